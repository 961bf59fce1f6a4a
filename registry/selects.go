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
func (b *builder) selects(s *engine.Setup, counts bool) {
	name, t := b.cell.Picks["selection"].Name, &s.Selects
	if t.Repeats && !counts {
		b.report("aggregator", []fl.Problem{{Param: "name", Message: fmt.Sprintf("aggregator %s: "+
			"counts each client of a cohort once, and selection %s may select one several times",
			b.cell.Picks["aggregator"].Name, name),
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
	if s.Statistics != "" || s.NoModel {
		b.report("selection", []fl.Problem{{Param: "name", Message: fmt.Sprintf("selection %s: "+
			"asks for losses or norms of models, and local %s sends %s", name,
			b.cell.Picks["local"].Name, cmp.Or(s.Statistics, "none"))}})
	}
}
