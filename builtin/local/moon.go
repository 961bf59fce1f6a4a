// MOON — local descent with a loss that contrasts models by the features that they give.
//
//	Q. Li, B. He, D. Song. Model-Contrastive Federated Learning. CVPR 2021, Algorithm 1.
//
// Notation: of a sample, z its features by the model that is trained, z_g those by the received
// model, z_p those by the model that this client sent last, ⟨·,·⟩ their cosine, τ the temperature,
// μ the weight. The client descends on the cross-entropy and (eqs. 2 and 3) on
//
//	μ·ℓ,  ℓ = −log(g/(g + p)),  g = e^{⟨z, z_g⟩/τ},  p = e^{⟨z, z_p⟩/τ}.
//
// z_g and z_p are constants, computed once a round, as in evaluation. The model that was sent last
// is the client's state, in float32. With μ = 0 this is sgd, bit for bit.
//
// Departures: features are what enters the last dense layer; the paper adds a projection of two
// layers before it. In the first round of a client there is no z_p, and so no ℓ. With z_g in its
// place, as if the received model had been sent before, ℓ would be constant.

package local

import (
	"errors"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// MOON describes the local rule to the registry.
var MOON = fl.LocalRuleEntry{
	Name:    "moon",
	Summary: "gradient descent that contrasts features with those of the model sent last",
	Paper:   "li2021moon",
	Deviations: "features are what enters the last dense layer, without a projection before it; " +
		"no contrast in a client's first round",
	OneLabel: true,
	New:      newMOON,
	Fits:     needsFeatures,
}

// needsFeatures refuses models and data that have no features of samples of classes.
func needsFeatures(s fl.Setting) error {
	switch {
	case !s.Network || s.Head:
		return errors.New("needs a network of several layers: others have no features to train")
	case s.Shape.Classes == 0:
		return errors.New("needs classes; these data have a regression target")
	}
	return nil
}

// moon keeps the model that a client sent last in the client's state.
type moon struct {
	sgd
	mu          float64 // μ
	temperature float64 // τ
}

var (
	_ fl.LocalRule      = (*moon)(nil)
	_ fl.FeaturePenalty = (*moon)(nil)
)

func newMOON(p *fl.Params) (fl.LocalRule, error) {
	s := &moon{
		mu: p.Float("mu", 1, fl.AtLeast(0), "weight μ of the contrast; the paper tries 0.1, 1, 5 "+
			"and 10"),
		temperature: p.Float("temperature", 0.5, fl.Above(0), "temperature τ of the contrast"),
		sgd:         newSteps(p),
	}
	refuseMixup(p, &s.work, "mixes samples, and features are contrasted sample by sample")
	return s, nil
}

// Run implements fl.LocalRule.
func (s *moon) Run(t *fl.Task) (fl.Update, error) {
	d := s.descent(t)
	if s.mu > 0 {
		s.contrast(t, d)
	}
	t.Worker.Descend(d)
	if s.mu > 0 {
		last := t.State.Vector32("sent", len(t.Params))
		for i, v := range t.Params {
			last[i] = float32(v)
		}
		t.State.Vector("rounds", 1)[0]++
	}
	return fl.Update{Steps: d.Steps, Params: t.Params}, nil
}

// contrast adds μ·ℓ to the loss of a descent, from the second round of a client on.
func (s *moon) contrast(t *fl.Task, d *fl.Descent) {
	w, ok := t.Worker.(fl.GuidedWorker)
	if !ok || t.State.Vector("rounds", 1)[0] == 0 {
		return
	}
	last := t.Scratch(len(t.Params))
	for i, v := range t.State.Vector32("sent", len(t.Params)) {
		last[i] = float64(v)
	}
	x := t.Client.Data.X
	for k, params := range []fl.Vector{t.Global, last} { // z_g, z_p
		n := w.FeatureLen()
		d.Guide.Beside[k] = fl.Matrix{Rows: x.Rows, Cols: n, Data: t.Scratch(x.Rows * n)}
		w.Features(d.Guide.Beside[k], params, x)
	}
	d.Guide.Penalty = s
}

// Penalise implements fl.FeaturePenalty: μ·ℓ, of which the gradient is μ/τ·σ(⟨z,z_p⟩/τ − ⟨z,z_g⟩/τ)
// times that of ⟨z,z_p⟩ − ⟨z,z_g⟩.
func (s *moon) Penalise(in *fl.PenaltyInput) float64 {
	z := in.Features
	clear(in.Grad)
	global, last := in.Beside[0].Row(in.Row), in.Beside[1].Row(in.Row)
	e := (z.Cosine(last) - z.Cosine(global)) / s.temperature
	slope := s.mu / s.temperature / (1 + math.Exp(-e))
	addCosine(in.Grad, slope, z, last)
	addCosine(in.Grad, -slope, z, global)
	return s.mu * (max(e, 0) + math.Log1p(math.Exp(-math.Abs(e))))
}

// addCosine adds a multiple of the gradient of ⟨z, a⟩ at z: a/(‖z‖‖a‖) − ⟨z, a⟩·z/‖z‖², and 0 where
// one of them is 0.
func addCosine(grad fl.Vector, factor float64, z, a fl.Vector) {
	own, other := z.Norm(), a.Norm()
	if own == 0 || other == 0 {
		return
	}
	cosine := z.Dot(a) / own / other
	grad.AddScaled(factor/own/other, a)
	grad.AddScaled(-factor*cosine/own/own, z)
}
