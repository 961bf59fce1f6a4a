// Sign flip — a faulty client sends the reverse of its update.
//
//	Z. Allen-Zhu, F. Ebrahimianghazani, J. Li, D. Alistarh. Byzantine-Resilient Non-Convex
//	Stochastic Gradient Descent. ICLR 2021.
//
// Notation: Δᵢ the update of a faulty client after honest training, s a scale:
//
//	θᵢ = θᵗ⁻¹ − s·Δᵢ.
//
// Departures: each faulty client reverses its own update and knows no other; ByzFL's attack of this
// name sends the reverse of the mean of honest updates, which is ipm with ε = 1.

package adversary

import "github.com/hansa-fl/hansa/framework/fl"

// SignFlip describes the adversary to the registry.
var SignFlip = fl.AdversaryEntry{
	Name:    "sign-flip",
	Summary: "faulty clients send the reverse of their update",
	Paper:   "allenzhu2021",
	Deviations: "each faulty client reverses its own update; the reverse of the mean of honest " +
		"ones is ipm with epsilon = 1",
	New: func(p *fl.Params) (fl.Adversary, error) {
		return signFlip{p.Float("scale", 1, fl.AtLeast(0), "s, times which the reversed update is "+
			"sent")}, nil
	},
}

type signFlip struct{ scale float64 } // s

var _ fl.Adversary = signFlip{}

// Corrupt implements fl.Adversary.
func (f signFlip) Corrupt(a *fl.Attack) error {
	for k := range a.Updates {
		p := a.Updates[k].Params
		p.Scale(-f.scale)
		p.AddScaled(1+f.scale, a.Global)
	}
	return nil
}
