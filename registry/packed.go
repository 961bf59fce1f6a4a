package registry

import (
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// packed says whether all components that are shown rows of clients or test rows say that these may
// be packed. A strategy that is no part of this program finds all rows in X, whatever it says.
func (b *builder) packed(s *engine.Setup) {
	r, picks := b.registry, b.cell.Picks
	model, known := r.Models.Get(picks["model"].Name)
	s.Packed = known && model.Source == "" &&
		packs(&r.LocalRules, picks["local"].Name,
			func(t fl.LocalTraits) bool { return t.Packed }) &&
		packs(&r.Partitioners, picks["partition"].Name,
			func(t fl.PartitionTraits) bool { return t.Packed })
	for _, m := range b.cell.Measures {
		s.Packed = s.Packed &&
			packs(&r.Metrics, m.Name, func(t fl.MetricTraits) bool { return t.Packed })
	}
}

// packs reports whether the entry of a name is built in and has a trait.
func packs[T any, R fl.Traits[T]](t *Table[T], name string, has func(R) bool) bool {
	e, ok := t.Get(name)
	return ok && e.Source == "" && has(fl.TraitsOf[R](e))
}
