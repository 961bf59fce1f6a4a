package verdict

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/framework/study/claim"
	"github.com/hansa-fl/hansa/reports/infer"
)

// A judge finds the numbers that claims are about.
type judge struct {
	in     *infer.Input
	plan   *infer.Plan
	places map[string][]int // cells by method and point
	points []infer.Point    // in the order of the file
	whole  *judge           // of the experiment that the input is a part of; nil: it has all cells
}

// newJudge returns a judge of an input; nil for one without cells.
func newJudge(in *infer.Input) *judge {
	j := &judge{in: in}
	if in == nil {
		return j
	}
	j.plan = infer.NewPlan(in)
	j.places = j.plan.ByPlace()
	for i := range in.Cells {
		at := infer.PointOf(in.Cells[i].Point)
		if !slices.ContainsFunc(j.points, func(p infer.Point) bool { return slices.Equal(p, at) }) {
			j.points = append(j.points, at)
		}
	}
	if in.Whole != nil {
		whole := *in
		whole.Cells, whole.IDs, whole.Whole = in.Whole, make([]string, len(in.Whole)), nil
		j.whole = newJudge(&whole)
	}
	return j
}

// An obstacle is why nothing can be said of a claim.
type obstacle struct {
	outcome Outcome
	why     string
}

// fewSeeds is that of too few seeds.
func fewSeeds(n int) *obstacle {
	seeds := "seeds"
	if n == 1 {
		seeds = "seed"
	}
	return &obstacle{Undecided, fmt.Sprintf("%d %s: a test takes at least %d", n, seeds,
		infer.FewestSeeds)}
}

// covered returns the points that a claim is about: of every axis on which it names labels, those
// with one of them. The worst of an axis is a point where it is named.
func (j *judge) covered(labels []string) (list []infer.Point) {
	named := map[string][]string{} // labels by axis
	for _, p := range j.points {
		for _, c := range p {
			if slices.Contains(labels, c.Label) {
				named[c.Axis] = append(named[c.Axis], c.Label)
			}
		}
	}
	for _, p := range j.points {
		if p.IsWorst(j.in.Report.Worst) && !slices.Contains(labels, study.WorstLabel) {
			continue
		}
		if !slices.ContainsFunc(p, func(c infer.Coordinate) bool {
			return named[c.Axis] != nil && !slices.Contains(named[c.Axis], c.Label)
		}) {
			list = append(list, p)
		}
	}
	return list
}

// absent says which of the labels that a claim names no point has; nil for none.
func (j *judge) absent(labels []string) *obstacle {
	for _, label := range labels {
		if !slices.ContainsFunc(j.points, func(p infer.Point) bool {
			return slices.ContainsFunc(p, func(c infer.Coordinate) bool { return c.Label == label })
		}) {
			return &obstacle{CannotRun, label + " is not part of this run"}
		}
	}
	return nil
}

// at says where a statement is about: nothing where there is one point only.
func (j *judge) at(p infer.Point) string {
	if len(j.points) < 2 {
		return ""
	}
	return " at " + infer.Label(p)
}

// values returns what read returns of the cells of a method at a point, one number for each seed,
// and the seeds.
func (j *judge) values(method string, at infer.Point, read func(i int) (float64, bool)) (
	*infer.Sample, *obstacle,
) {
	cells := j.places[infer.PlaceKey(method, at)]
	where := method + j.at(at)
	if len(cells) == 0 {
		return nil, &obstacle{CannotRun, where + " is not part of this run"}
	}
	s := j.plan.Collect(cells, read)
	if s.Complete() {
		return &s, nil
	}
	without, diverged := 0, len(s.NonFinite())
	for _, i := range cells {
		id := j.in.IDs[i]
		why, failed := j.in.Failures[id]
		switch {
		case failed && engine.Diverged(why):
			diverged++
			continue
		case failed:
			return nil, &obstacle{CannotRun, where + " failed: " + why}
		}
		if j.in.Results[id] == nil {
			without++
		}
	}
	switch {
	case without > 0:
		return nil, &obstacle{Undecided, fmt.Sprintf(
			"%s: %d of %d training runs have no result yet", where,
			without, len(cells))}
	case diverged == 0:
		return nil, &obstacle{CannotRun, where + ": it was not measured"}
	}
	return nil, &obstacle{Undecided, fmt.Sprintf("%s diverged in %d of %d training runs: no "+
		"finite number", where, diverged, len(cells))}
}

// measured says why a term has no finite values at a point; nil where it has.
func (j *judge) measured(t claim.Term, metric string, at infer.Point) *obstacle {
	_, why := j.values(t.Method, at, j.last(metric))
	return why
}

// outcomes returns the final values of a method at a point. Where it diverged, it has infinitely
// bad ones of a metric that is a measure of models: of a cost, and of what has no direction,
// nothing is known then.
func (j *judge) outcomes(method, metric string, at infer.Point) (*infer.Sample, *obstacle) {
	s, why := j.values(method, at, j.last(metric))
	if why == nil || why.outcome != Undecided {
		return s, why
	}
	sign, none := j.sign(metric)
	if none != nil || fl.Cumulative(j.series(metric).Unit) {
		return nil, why
	}
	worst := math.Inf(int(-sign))
	found := j.plan.Collect(j.places[infer.PlaceKey(method, at)], func(i int) (float64, bool) {
		x, measured := j.plan.Final(i, metric)
		switch {
		case measured && infer.Finite(x):
			return x, true
		case measured, engine.Diverged(j.in.Failures[j.in.IDs[i]]):
			return worst, true
		}
		return 0, false
	})
	if len(found.Seeds) < len(found.Planned) {
		return nil, why
	}
	return &found, nil
}

// last reads final values of a metric.
func (j *judge) last(metric string) func(i int) (float64, bool) {
	return func(i int) (float64, bool) { return j.plan.Final(i, metric) }
}

// final returns the final values of a term at a point, and within what they are equal but for
// rounding, where that is more than their size says: 0 for a method.
func (j *judge) final(t claim.Term, metric string, at infer.Point) (
	*infer.Sample, float64, *obstacle,
) {
	if t.Minus == "" {
		s, why := j.outcomes(t.Method, metric, at)
		return s, 0, why
	}
	if why := j.incomparable(t.Method, t.Minus, metric, at); why != nil {
		return nil, 0, why
	}
	x, why := j.values(t.Method, at, j.last(metric))
	if why != nil {
		return nil, 0, why
	}
	y, why := j.values(t.Minus, at, j.last(metric))
	if why != nil {
		return nil, 0, why
	}
	both, seeds := aligned(x, y)
	s := &infer.Sample{Values: minus(both[0], both[1]), Seeds: seeds}
	return s, rounding(both...), nil
}

// quantity returns what a method measures at a point; nil where that is not known.
func (j *judge) quantity(method, metric string, at infer.Point) study.Quantity {
	return j.plan.Quantity(j.places[infer.PlaceKey(method, at)], metric)
}

// incomparable says why the numbers of two methods at a point must not be compared; nil where they
// may: they measure one quantity, or the report is across such differences.
func (j *judge) incomparable(a, b, metric string, at infer.Point) *obstacle {
	p, q := j.quantity(a, metric, at), j.quantity(b, metric, at)
	if j.in.Report.Across || p == nil || q == nil || p.Digest() == q.Digest() {
		return nil
	}
	return &obstacle{Incomparable, fmt.Sprintf("%s and %s do not measure the same %s%s: %s: %s", b,
		a, metric, j.at(at), a, strings.Join(p.Differences(q), "; "))}
}

// aligned returns the values of samples over the seeds that all of them have, and the seeds.
func aligned(samples ...*infer.Sample) (lists [][]float64, seeds []uint64) {
	lists = make([][]float64, len(samples))
	for _, seed := range samples[0].Seeds {
		var row []float64
		for _, s := range samples {
			if k := slices.Index(s.Seeds, seed); k >= 0 {
				row = append(row, s.Values[k])
			}
		}
		if len(row) == len(samples) {
			seeds = append(seeds, seed)
			for k, x := range row {
				lists[k] = append(lists[k], x)
			}
		}
	}
	return lists, seeds
}

// sign returns 1 for a metric of which more is better, −1 for one of which less is: costs, too.
func (j *judge) sign(metric string) (float64, *obstacle) {
	s := j.series(metric)
	switch {
	case s == nil:
		return 0, &obstacle{Undecided, metric + " has no result yet"}
	case s.Describes:
		return 0, &obstacle{Undecided, metric + " has no direction: nothing is better or worse " +
			"in it"}
	case s.Higher:
		return 1, nil
	}
	return -1, nil
}

// series returns a series of a metric of some cell; nil for none.
func (j *judge) series(metric string) *engine.Series { return j.plan.AnySeries(metric) }

// terms returns what a predicate about an axis is about: what it names, or else all methods that
// are ranked, or else all that are run.
func (j *judge) terms(p *claim.Predicate) (list []claim.Term) {
	if list = p.Terms(); len(list) > 0 {
		return list
	}
	var shown []claim.Term
	for _, m := range j.plan.Methods {
		if m.Ranked() {
			list = append(list, claim.Term{Method: m.Label})
		} else if !strings.HasPrefix(m.Role, "literature") {
			shown = append(shown, claim.Term{Method: m.Label})
		}
	}
	if len(list) == 0 {
		return shown
	}
	return list
}
