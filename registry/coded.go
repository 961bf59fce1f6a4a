package registry

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// coded says in how many bits clients send updates in the code of an aggregator that gets their sum
// alone, and refuses what changes single updates before it.
func (b *builder) coded(s *engine.Setup) {
	of := b.server()
	if of.Coded == nil || s.Model == nil {
		return
	}
	pick, _ := innermost(b.resolved.Picks["aggregator"])
	complain := func(kind, why string) {
		b.report(kind, []fl.Problem{{Param: "name", Message: fmt.Sprintf("%s %s: %s, and "+
			"aggregator %s gets their sum alone, in integers", kind, b.cell.Picks[kind].Name, why,
			pick.Name)}})
	}
	if s.Guard.Component != nil {
		complain(Guards().Name, "changes updates of single clients")
	}
	if s.Compressor.Component != nil {
		complain(Compressors().Name, "has a code for updates of single clients")
	}
	if len(s.Personal.Stays) > 0 {
		complain("local", "sends parts of updates")
	}
	s.Coded = of.Coded(fl.NewResolved(pick.Params), s.Model.Layout().Len())
}
