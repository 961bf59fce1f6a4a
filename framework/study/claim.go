package study

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/study/claim"
)

// claimKeys are the keys of [[claim]].
var claimKeys = []string{"source", "says", "holds", "needs", "at"}

// A Claim is what a paper says of results, to be tested with those of an experiment. It decides
// no result and is no part of an identity.
type Claim struct {
	Source string     // where it is made: paper, section, figure
	Says   string     // the words of the paper
	Holds  string     `json:",omitempty"` // the predicate as it is written; or empty, and
	Needs  string     `json:",omitempty"` // what is missing here to test it
	At     []string   `json:",omitempty"` // labels on axes; empty: it is about all points
	Expr   claim.Expr `json:",omitempty"` // what Holds says, with full names of axes
}

// claim checks a [[claim]].
func (r *reader) claim(s *Spec, t table, at Span) Claim {
	var out Claim
	t = r.mend(t, "[[claim]]", claimKeys, nil)
	for _, key := range []string{"source", "says"} {
		if _, ok := t.get(key); !ok {
			r.fail(at.Value, "", "a [[claim]] has no %s", key)
		}
	}
	_, tested := t.get("holds")
	needs, missing := t.get("needs")
	switch {
	case !tested && !missing:
		r.fail(at.Value, `holds = "better(A, B, METRIC)" says what is to be tested, needs = "…" `+
			"what is missing", "a [[claim]] has neither holds nor needs")
	case tested && missing:
		r.fail(needs.at.Key, "leave out one of them", "a [[claim]] has both holds and needs")
	}
	for _, f := range t {
		what := "claim." + f.key
		switch f.key {
		case "source":
			out.Source, _ = r.text(what, f.node)
		case "says":
			out.Says, _ = r.text(what, f.node)
		case "needs":
			out.Needs, _ = r.text(what, f.node)
		case "at":
			out.At = r.points(s, what, f.node)
		}
	}
	var places []map[string]Pos
	if n, ok := t.get("holds"); ok {
		out.Holds, out.Expr, places = r.predicates(s, n, out.At)
	}
	s.claimPlaces = append(s.claimPlaces, places)
	return out
}

// ClaimAt returns where a predicate of a claim stands in the file, or an argument of it, as
// claim.Places has them.
func (s *Spec) ClaimAt(claim, predicate int, argument string) Pos {
	places := s.claimPlaces[claim][predicate]
	if at, ok := places[argument]; ok {
		return at
	}
	return places[""]
}

// predicates reads what a claim says, and holds it to the experiment.
func (r *reader) predicates(s *Spec, n node, at []string) (
	string, claim.Expr, []map[string]Pos,
) {
	text, ok := r.text("claim.holds", n)
	if !ok {
		return "", nil, nil
	}
	v := claim.Vocabulary{Methods: s.Methods, Metrics: s.measured(), Suggest: r.suggest}
	for _, a := range s.Axes {
		v.Axes = append(v.Axes, a.Name)
	}
	e, ranges, wrong := claim.Locate(text, &v)
	for _, p := range wrong {
		r.fail(within(n.at.Value, text, p.At, p.Len), p.Hint, "claim.holds: %s", p.Message)
	}
	var places []map[string]Pos
	for k := range e {
		its := map[string]Pos{}
		for argument, found := range ranges[k] {
			its[argument] = within(n.at.Value, text, found.At, found.Len)
		}
		places = append(places, its)
		r.along(s, &e[k], at, its["over"])
	}
	return text, e, places
}

// along checks the axis of a predicate: it has several points, and of an exponent these are
// positive numbers.
func (r *reader) along(s *Spec, p *claim.Predicate, at []string, place Pos) {
	k := slices.IndexFunc(s.Axes, func(a Axis) bool { return a.Name == p.Over })
	if k < 0 {
		return
	}
	labels := slices.Clone(s.Axes[k].Labels)
	if listed := func(l string) bool { return slices.Contains(at, l) }; slices.ContainsFunc(labels,
		listed) {
		labels = slices.DeleteFunc(labels, func(l string) bool { return !listed(l) })
	}
	if len(labels) < 2 {
		r.fail(place, "", "claim.holds: %s: %s has one point only", p.Kind, p.Over)
	}
	if p.Kind != claim.Exponent {
		return
	}
	for _, l := range labels {
		if x, ok := LabelNumber(l); !ok || x <= 0 {
			r.fail(place,
				`the labels of its points are numbers above 0, such as 100 or "T = 100"`,
				"claim.holds: exponent: the point %q of %s is no number above 0", l, p.Over)
		}
	}
}

// labelled matches the label of a point that is a number, alone or behind what it is of.
var labelled = regexp.MustCompile(
	`^(?:[^=,]*=)?\s*([-+]?[0-9._]+(?:[eE][-+]?[0-9]+)?)(?:\s*,.*)?$`)

// LabelNumber returns the number that the label of a point on an axis is: 100 of "100", of
// "rounds = 100", and of "T = 100, s = 5", where the first is taken.
func LabelNumber(label string) (float64, bool) {
	m := labelled.FindStringSubmatch(label)
	if m == nil {
		return 0, false
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(m[1], "_", ""), 64)
	return x, err == nil
}
