package registry

import (
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// Guards are the kind of guards. A method that names none aggregates updates as they come; a list
// stands for a chain of them.
func Guards() KindOf[fl.Guard] {
	return KindOf[fl.Guard]{
		Kind: Kind{Name: "guard",
			Meaning: "what the server makes of updates before they are aggregated"},
		table: func(r *Registry) *Table[fl.Guard] { return &r.Guards },
		says: func(e fl.Entry[fl.Guard], c fl.Guard) []string {
			if _, none := c.(fl.NoGuard); none {
				return nil
			}
			says := []string{"Models are kept until all clients have trained."}
			if fl.TraitsOf[fl.GuardTraits](e).Merges {
				says = append(says, "Makes one update of several: not before an aggregator that "+
					"tells clients apart.")
			}
			return says
		},
		place:    func(s *engine.Setup, c fl.Guard) { s.Guard.Component = c },
		optional: true}
}

// updates says what becomes of updates between clients and the aggregator.
func (b *builder) updates(s *engine.Setup) {
	of := b.server()
	s.Release = b.release(of)
	b.completes(s)
	b.compressor(s)
	b.download(s)
	b.guard(s, of)
	b.adversary(s)
}

// guard says whether the guard merges updates, and refuses one that stands before an aggregator
// that it does not suit.
func (b *builder) guard(s *engine.Setup, of fl.AggregatorTraits) {
	pick := b.resolved.Picks[Guards().Name]
	if _, none := s.Guard.Component.(fl.NoGuard); none || s.Guard.Component == nil {
		s.Guard = engine.Guard{}
		return
	}
	s.Guard.Name, s.Guard.Merges = pick.Name, b.merges(pick.Name, pick.Params)
	s.Guard.Links = links(pick)
	complain := func(format string, args ...any) {
		b.report(Guards().Name, []fl.Problem{{Param: "name",
			Message: fmt.Sprintf("guard %s: ", pick.Name) + fmt.Sprintf(format, args...)}})
	}
	switch {
	case s.Statistics != "":
		complain("changes models, and local %s sends %s", b.cell.Picks["local"].Name, s.Statistics)
	case s.Model != nil && s.Model.Facts().Mixed():
		complain("clients train models with different layouts")
	case s.Guard.Merges:
		if reason := b.tellsApart(s, of); reason != "" {
			complain("makes one update of several, and %s", reason)
		}
	}
}

// merges reports whether a guard, or one of a chain, makes one update of several.
func (b *builder) merges(name string, params map[string]any) bool {
	if traits[fl.GuardTraits](&b.registry.Guards, name).Merges {
		return true
	}
	return slices.ContainsFunc(study.Members(params["of"]), func(p study.Pick) bool {
		return b.merges(p.Name, p.Params)
	})
}

// links returns how many guards of a chain follow one another: 1 for a single guard.
func links(pick study.Pick) (n int) {
	members := study.Members(pick.Params["of"])
	if members == nil {
		return 1
	}
	for _, p := range members {
		n += links(p)
	}
	return n
}

// tellsApart says why the server needs the updates of single clients, "" where it does not.
func (b *builder) tellsApart(s *engine.Setup, of fl.AggregatorTraits) string {
	pick, _ := innermost(b.resolved.Picks["aggregator"])
	name := "aggregator " + pick.Name
	weights, weighs := pick.Params["weights"].(string)
	switch {
	case of.Remembers:
		return name + " keeps the update of each client"
	case of.Tracks:
		return name + " keeps a history of each client"
	case of.Losses:
		return name + " asks for the loss of each client"
	case of.Method != "":
		return name + " is a half of " + of.Method + ", whose clients send more than models"
	case of.Mixes:
		return name + " fuses models of single clients"
	case s.Selects.Repeats:
		return "selection " + b.cell.Picks["selection"].Name + " may repeat clients"
	case weighs && weights != "uniform" && weights != "samples":
		return fmt.Sprintf("%s weighs each client: weights = %q; here \"uniform\" or \"samples\" "+
			"can be", name, weights)
	case s.WeightedSum() != nil && !weighs:
		return name + " weighs each client"
	}
	return ""
}
