package audit

import (
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// addAsked adds what is asked for and follows from the cohort distribution alone.
func (f *Finding) addAsked(
	s *engine.Setup, w *engine.World, law *fl.Law, o *Options,
) (err error) {
	if o.Frontiers != nil {
		if f.Frontier, err = o.Frontiers.of(s, w, law); err != nil {
			return err
		}
	}
	if o.Balance {
		f.Balance, err = newBalance(w, law)
	}
	return err
}

// addObjectives adds what there is to say of a method that ends at theta beside F(θ).
func (f *Finding) addObjectives(
	s *engine.Setup, w *engine.World, theta fl.Vector, o *Options,
) (err error) {
	if f.Risks, err = risks(s, o.Options, w, theta); err != nil || len(o.Sensitivity) == 0 {
		return err
	}
	f.Sensitivity, err = sensitivity(s, w, theta, o.Sensitivity)
	return err
}
