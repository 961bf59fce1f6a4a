// Per-FedAvg — a global model that one step makes personal.
//
//	A. Fallah, A. Mokhtari, A. Ozdaglar. Personalized Federated Learning with Theoretical
//	Guarantees: A Model-Agnostic Meta-Learning Approach. NeurIPS 2020, Algorithm 1, and its two
//	approximations.
//
// Notation: w the model that is trained and sent, fᵢ the client's loss, D, D′ and D″ batches that
// are drawn one after another, α the rate of the step that makes w personal, β the rate of
// training. The client descends on Fᵢ(w) = fᵢ(w − α∇fᵢ(w)), whose gradient is
// (I − α∇²fᵢ(w))·∇fᵢ(w − α∇fᵢ(w)):
//
//	g = ∇fᵢ(w − α∇fᵢ(w; D); D′),
//	FO: w ← w − βg,
//	HF: w ← w − β(g − α·(∇fᵢ(w + δg; D″) − ∇fᵢ(w − δg; D″))/2δ).
//
// FO leaves the Hessian out, HF takes its product with g by differences. A client predicts with w
// after one step of rate α on its training samples. With α = 0 this is sgd, bit for bit, and no D
// is drawn.
//
// Departures: none. β is the parameter lr.

package local

import "github.com/hansa-fl/hansa/framework/fl"

// PerFedAvg describes the local rule to the registry.
var PerFedAvg = fl.LocalRuleEntry{
	Name:    "per-fedavg",
	Summary: "descent on the loss after one more step, with which clients predict (MAML)",
	Paper:   "fallah2020",
	New:     newPerFedAvg,
	Fits:    needsGradients,
	Traits:  fl.LocalTraits{Packed: true, Tunes: true},
}

// perFedAvg keeps nothing in State.
type perFedAvg struct {
	work
	alpha float64 // α
	delta float64 // δ of HF; 0: FO
	tunes int     // steps that make w personal
}

var _ fl.LocalRule = (*perFedAvg)(nil)

func newPerFedAvg(p *fl.Params) (fl.LocalRule, error) {
	s := &perFedAvg{
		alpha: p.Float("alpha", 0.01, fl.AtLeast(0), "rate α of the step that makes the model "+
			"personal; 0: FedAvg"),
		tunes: p.Int("tune_steps", 1, fl.AtLeast(0), "steps of rate α, each on a batch, after "+
			"which the client predicts; training takes one for granted"),
	}
	hessian := p.Choice("hessian", "first-order", "whether the Hessian is left out (FO), or its "+
		"product taken by differences of gradients (HF), which doubles the gradients of a step",
		"first-order", "differences") == "differences"
	delta := p.Float("delta", 1e-3, fl.Above(0), "half of the distance δ of these differences, in "+
		"multiples of g; networks compute in float32, and much less is lost in rounding")
	if hessian {
		s.delta = delta
	}
	s.work = newWork(p)
	return s, nil
}

// Run implements fl.LocalRule.
func (s *perFedAvg) Run(t *fl.Task) (fl.Update, error) {
	d := s.descent(t)
	switch {
	case t.FineTunes:
		d.Steps, d.Rate = s.tunes, s.alpha
		t.Worker.Descend(d)
		return fl.Update{Steps: d.Steps, Params: t.Params}, nil
	case s.alpha == 0:
		t.Worker.Descend(d)
		return fl.Update{Steps: d.Steps, Params: t.Params}, nil
	}
	w, n := t.Params, len(t.Params)
	at, g, h := t.Scratch(n), t.Scratch(n), t.Scratch(n)
	// slope adds the gradient at w + c·along, by a batch, to grad.
	slope := func(grad fl.Vector, c float64, along fl.Vector, rows []int) {
		copy(at, w)
		at.AddScaled(c, along)
		d.Gradient(t.Worker, grad, at, rows)
	}
	for range d.Steps {
		clear(h)
		slope(h, 0, w, d.Next())
		clear(g)
		slope(g, -s.alpha, h, d.Next())
		if s.delta > 0 {
			rows := d.Next()
			clear(h)
			slope(h, s.delta, g, rows)
			h.Scale(-1)
			slope(h, -s.delta, g, rows)
			g.AddScaled(s.alpha/(2*s.delta), h)
		}
		w.AddScaled(-d.Rate, g)
	}
	return fl.Update{Steps: d.Steps, Params: w}, nil
}
