// IPM — inner product manipulation: all faulty clients send the reverse of the mean.
//
//	C. Xie, O. Koyejo, I. Gupta. Fall of Empires: Breaking Byzantine-tolerant SGD by Inner Product
//	Manipulation. UAI 2019, Section 4.
//
// Notation: μ the mean of the honest updates, ε a factor:
//
//	Δᵢ = −ε·μ.
//
// Rules that look at distances let a small ε in; where a share β of clients is faulty, the mean of
// all points backwards once εβ > 1 − β. With ε = 0 it is zero; ε = 1 is what ByzFL calls
// sign flipping, and its FallOfEmpires(τ) is ε = τ − 1.
//
// With optimal = true, ε is found by line search, see search.
//
// Departures: the default ε is 0.5, of those that the paper tries one in the middle.

package adversary

import "github.com/hansa-fl/hansa/framework/fl"

// IPM describes the adversary to the registry.
var IPM = fl.AdversaryEntry{
	Name:    "ipm",
	Summary: "faulty clients send the mean of honest updates, reversed and scaled",
	Paper:   "xie2019",
	New: func(p *fl.Params) (fl.Adversary, error) {
		return &ipm{
			epsilon: p.Float("epsilon", 0.5, fl.AtLeast(0), "ε, times which the mean is reversed; "+
				"without effect where it is optimal"),
			search: newSearch(p, "epsilon"),
		}, nil
	},
	Traits: optimises,
}

type ipm struct {
	epsilon float64 // ε
	search  search
}

var _ fl.Adversary = (*ipm)(nil)

// Corrupt implements fl.Adversary.
func (e *ipm) Corrupt(a *fl.Attack) error {
	mean, back := a.Moments()
	copy(back, mean)
	back.Scale(-1)
	if e.search.optimal {
		return e.search.run(a, a.Scratch(len(mean)), back, mean)
	}
	back.Scale(e.epsilon)
	a.Send(back)
	return nil
}
