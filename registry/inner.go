package registry

import (
	"fmt"
	"maps"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// outside says why an aggregator cannot be within another one, which makes a step of its own along
// what the inner one makes of θᵗ⁻¹; empty: it can.
func outside(e fl.Entry[fl.Aggregator]) string {
	switch t := fl.TraitsOf[fl.AggregatorTraits](e); {
	case t.Method != "":
		return "is the server's half of " + t.Method + ", whose clients expect the θᵗ that it makes"
	case t.Statistics != "":
		return "takes " + t.Statistics + ", not models, and makes no step from θᵗ⁻¹"
	case t.Mixes:
		return "takes its model from clients, and makes no step from θᵗ⁻¹"
	}
	return ""
}

// misplaced is the problem that a component cannot be within another one; nil where it can.
func (k KindOf[T]) misplaced(m *maker, name string) *fl.Problem {
	e, ok := k.table(m.registry).Get(name)
	if k.outside == nil || !ok {
		return nil
	}
	reason := k.outside(e)
	if reason == "" {
		return nil
	}
	var allowed []string
	for _, other := range k.table(m.registry).Names() {
		if o, _ := k.table(m.registry).Get(other); k.outside(o) == "" {
			allowed = append(allowed, other)
		}
	}
	return &fl.Problem{Param: "name", Hint: study.Suggest("", allowed),
		Message: fmt.Sprintf("%s %s: %s", k.Name, name, reason)}
}

// innermost returns the aggregator that sees the updates of clients first, and its path below the
// one that a method names: "", "inner.", "inner.inner." and so on.
func innermost(pick study.Pick) (first study.Pick, path string) {
	for {
		inner, ok := study.Within(pick.Params[fl.InnerParam])
		if !ok {
			return pick, path
		}
		pick, path = inner, path+fl.InnerParam+"."
	}
}

// server returns the traits of the aggregator of a cell together with those within it.
func (b *builder) server() fl.AggregatorTraits {
	return b.registry.AggregatorTraits(b.resolved.Picks["aggregator"])
}

// AggregatorTraits returns the traits of a resolved aggregator together with those within it: it
// counts updates as the innermost one does, and needs what any of them needs. Policies have the
// paths of their parameters.
func (r *Registry) AggregatorTraits(pick study.Pick) fl.AggregatorTraits {
	t := traits[fl.AggregatorTraits](&r.Aggregators, pick.Name)
	inner, ok := study.Within(pick.Params[fl.InnerParam])
	if !ok {
		return t
	}
	all := r.AggregatorTraits(inner) // so that what is said of updates holds of the whole
	all.Public, all.Remembers = all.Public || t.Public, all.Remembers || t.Remembers
	if t.Losses || t.Tracks { // then its step is not one of the model alone
		all.Private = nil
	}
	all.Losses, all.Tracks = all.Losses || t.Losses, all.Tracks || t.Tracks
	policies := maps.Clone(t.Policies)
	for param, values := range all.Policies {
		if policies == nil {
			policies = map[string][]string{}
		}
		policies[join(fl.InnerParam, param)] = values
	}
	all.Policies = policies
	return all
}
