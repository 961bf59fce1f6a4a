// Package mine sends the mean of the honest updates, moved against the signs of their mean.
package mine

import "github.com/hansa-fl/hansa/framework/fl"

// Mine describes the adversary. New declares a parameter by reading it: name, default, range,
// meaning. Its traits say what it knows; it is shown no more.
var Mine = fl.AdversaryEntry{
	Name:    "mine",
	Summary: "faulty clients send the mean of honest updates, moved against its signs",
	New: func(p *fl.Params) (fl.Adversary, error) {
		return &mine{
			p.Float("factor", 2, fl.AtLeast(0), "how many deviations the mean is moved"),
		}, nil
	},
	Traits: fl.AdversaryTraits{Knows: fl.KnowsCohort},
}

type mine struct{ factor float64 }

// Corrupt overwrites the Params of a.Updates, those of the faulty clients after honest training.
// a.Moments are mean and deviation of the honest updates θₖ − θᵗ⁻¹. It draws from a.RNG and nothing
// else, so that a run can be repeated. What lasts from one round to the next belongs in a.State.
// Which clients are faulty, the setting says: share, count, clients or domains.
func (m *mine) Corrupt(a *fl.Attack) error {
	update, deviation := a.Moments()
	signs := update.Clone()
	signs.Sign()
	deviation.Mul(signs)
	update.AddScaled(-m.factor, deviation)
	a.Send(update)
	return nil
}
