package registry

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// personal says what the local rule keeps of every client's model, and what it does about drift.
func (b *builder) personal(s *engine.Setup) {
	pick := b.resolved.Picks["local"]
	e, ok := b.registry.LocalRules.Get(pick.Name)
	if !ok || s.Local == nil { // there is another problem already: metrics are not blamed for it
		b.setting.Personal, b.setting.Models = true, true
		return
	}
	traits := fl.TraitsOf[fl.LocalTraits](e)
	s.Drift = traits.Drift
	s.Personal = engine.Personal{Model: traits.Personal, Tunes: traits.Tunes}
	if traits.Stays != nil && s.Model != nil && b.setting.Known() { // else the model has no size
		s.Personal.Stays = traits.Stays(pick.Params, s.Model.Layout())
		if s.Model.Facts().Mixed() && len(s.Personal.Stays) > 0 {
			b.report("local", []fl.Problem{{Param: "name", Message: fmt.Sprintf("local %s: keeps "+
				"parts of a model, and clients train models with different layouts", e.Name)}})
		}
	}
	b.setting.Personal = traits.Stays != nil || traits.Personal != ""
	b.setting.Models = traits.Statistics == ""
}
