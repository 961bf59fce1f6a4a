package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// outside says what of a claim is not in the part of an experiment that is judged: a point that it
// names, a point of the axis that it is about, or a method. It is nil for nothing, and where all of
// the experiment is judged.
func (j *judge) outside(c *study.Claim) *obstacle {
	if j.whole == nil {
		return nil
	}
	if missing := j.unnamed(c.At); missing != "" {
		return j.notJudged("no " + missing)
	}
	for k := range c.Expr {
		p := &c.Expr[k]
		for _, t := range j.whole.terms(p) {
			for _, method := range []string{t.Method, t.Minus} {
				if j.without(method, c.At) {
					return j.notJudged("no method " + method)
				}
			}
		}
		if p.Over == "" {
			continue
		}
		for _, l := range j.whole.lines(p.Over, c.At) {
			n := 0
			for _, point := range l.points {
				if j.has(point) {
					n++
				}
			}
			if n > 0 && n < len(l.points) {
				return j.notJudged(fmt.Sprintf("%d of %d points of %s", n, len(l.points),
					study.LastPart(p.Over)))
			}
		}
	}
	return nil
}

// notJudged is the obstacle that the part has less than a claim is about.
func (j *judge) notJudged(has string) *obstacle {
	return &obstacle{NotJudged, fmt.Sprintf("the part that is judged, %s, has %s", j.in.PartName(),
		has)}
}

// has reports whether the part has a point of the experiment.
func (j *judge) has(p infer.Point) bool {
	return slices.ContainsFunc(j.points, func(q infer.Point) bool { return slices.Equal(p, q) })
}

// unnamed returns a place that labels name and at which the part has no point: on an axis where it
// has none there, else the first of the places on several axes of which it has each, but not all at
// once; "" for none.
func (j *judge) unnamed(labels []string) (joint string) {
	covered := j.whole.covered(labels)
	for _, p := range covered {
		var names []string
		missing := false
		for _, c := range p {
			if !slices.Contains(labels, c.Label) {
				continue
			}
			names = append(names, c.Name())
			at := func(q infer.Point) bool { return slices.Contains(q, c) }
			if !slices.ContainsFunc(j.points, at) {
				return c.Name()
			}
			missing = missing || !slices.ContainsFunc(covered, func(q infer.Point) bool {
				return at(q) && j.has(q)
			})
		}
		if missing && joint == "" {
			joint = strings.Join(names, " with ")
		}
	}
	return joint
}

// without reports whether a method has cells at a point with some labels, and the part lacks them.
func (j *judge) without(method string, labels []string) bool {
	return slices.ContainsFunc(j.whole.covered(labels), func(p infer.Point) bool {
		key := infer.PlaceKey(method, p)
		return j.has(p) && len(j.whole.places[key]) > 0 && len(j.places[key]) == 0
	})
}
