package registry

import (
	"cmp"
	"fmt"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// selects refuses a selection that repeats clients beside an aggregator that counts each once, one
// that depends on the model where the server is to know the cohort distribution, and one that asks
// of models what local rules without models cannot answer.
func (b *builder) selects(s *engine.Setup, server fl.AggregatorTraits) {
	name, t := b.cell.Picks["selection"].Name, &s.Selects
	b.selectionOf(name, t.Method, server)
	if t.Repeats && !server.Repeats {
		first, path := innermost(b.resolved.Picks["aggregator"])
		b.report("aggregator", []fl.Problem{{Param: path + "name", Message: fmt.Sprintf(
			"aggregator %s: counts each client of a cohort once, and selection %s may select one "+
				"several times", first.Name, name),
			Hint: offers(&b.registry.Aggregators, "aggregator = %q", " counts them as often",
				func(t fl.AggregatorTraits) bool { return t.Repeats })}})
	}
	if !t.Adapts() {
		return
	}
	if b.cell.Law {
		b.report("selection", []fl.Problem{{Param: "name", Message: fmt.Sprintf("selection %s: "+
			"depends on the model, so the server cannot know the cohort distribution", name),
			Hint: `law = "unknown" hides it`}})
	}
	if t.Updates && s.Model != nil && s.Model.Facts().Mixed() {
		b.report("selection", []fl.Problem{{Param: "name", Message: fmt.Sprintf("selection %s: "+
			"compares updates, and clients train models with different layouts", name)}})
	}
	if s.Statistics != "" || s.NoModel {
		b.report("selection", []fl.Problem{{Param: "name", Message: fmt.Sprintf("selection %s: "+
			"needs losses, norms or updates of models, and local %s sends %s", name,
			b.cell.Picks["local"].Name, cmp.Or(s.Statistics, "none"))}})
	}
}

// selectionOf refuses the selection of a method beside an aggregator of another one or of none, and
// an aggregator whose method has a selection beside another selection.
func (b *builder) selectionOf(name, method string, server fl.AggregatorTraits) {
	aggregator := b.cell.Picks["aggregator"].Name
	switch {
	case method != "" && method != server.Method:
		b.report("selection", []fl.Problem{{Param: "name", Message: fmt.Sprintf("selection %s: is "+
			"that of %s, and aggregator %s is not the server's half", name, method, aggregator),
			Hint: offers(&b.registry.Aggregators, "aggregator = %q", " is",
				func(t fl.AggregatorTraits) bool { return t.Method == method })}})
	case server.Selects && method != server.Method:
		b.report("selection", []fl.Problem{{Param: "name", Message: fmt.Sprintf("selection %s: is "+
			"not that of %s, of which aggregator %s is the server's half", name, server.Method,
			aggregator), Hint: offers(&b.registry.Selections, "selection = %q", " is",
			func(t fl.SelectionTraits) bool { return t.Method == server.Method })}})
	}
}

// trains reports whether a method has a client's half: one that has a selection needs none, and
// then goes with any local rule.
func (r *Registry) trains(method string) bool {
	for _, name := range r.LocalRules.Names() {
		e, _ := r.LocalRules.Get(name)
		if fl.TraitsOf[fl.LocalTraits](e).Method == method {
			return true
		}
	}
	return false
}
