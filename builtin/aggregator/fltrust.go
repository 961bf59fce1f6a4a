// FLTrust — updates count by their cosine with an update that the server makes of its own samples.
//
//	X. Cao, M. Fang, J. Liu, N. Z. Gong. FLTrust: Byzantine-robust Federated Learning via Trust
//	Bootstrapping. NDSS 2021, Section IV and Algorithm 2.
//
// Notation: Δₖ = θₖ − θᵗ⁻¹ the updates, Δ₀ that of the server, which trains θᵗ⁻¹ on samples of its
// own as a client would, η_g the server's rate (the paper's α), TSₖ the trust score:
//
//	TSₖ = max(0, cos(Δₖ, Δ₀)),    θᵗ = θᵗ⁻¹ + η_g/ΣTS·Σ TSₖ·‖Δ₀‖/‖Δₖ‖·Δₖ.
//
// However many clients are faulty, the model moves by at most η_g‖Δ₀‖, and not against Δ₀. Where
// clients have the samples of the server and do the same steps, it is the plain mean.
//
// Departures: the server makes gradient steps by parameters of this aggregator, at the learning
// rate of the clients' rule unless it is given one; in the paper the rule is that of clients. Its
// samples are those that validation = … gives it, drawn from all training samples. An update of
// length 0 has no direction, and counts 0. Where no update has a positive cosine the model stays
// as it is; the official code adds 1e-9 to norms and sums, which are left as they are here.

package aggregator

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
)

// FLTrust describes the aggregator to the registry.
var FLTrust = fl.AggregatorEntry{
	Name:    "fltrust",
	Summary: "updates weighted by their cosine with the server's own, all of that one's length",
	Paper:   "cao2021",
	Deviations: "the server trains by gradient steps with parameters of its own; without any " +
		"trust the model stays as it is",
	New:     newFLTrust,
	Fits:    needsOwnSamples,
	Example: map[string]any{"lr": 0.05},
}

// needsOwnSamples is why FLTrust does not fit.
func needsOwnSamples(s fl.Setting) error {
	if !s.Held {
		return errors.New("trains on samples that the server holds; validation = 0.01 gives it a " +
			"hundredth of the clients' samples")
	}
	return nil
}

// flTrust keeps nothing in State.
type flTrust struct {
	steps, epochs, batch int
	local                *fl.Schedule
	rate                 *serverRate // η_g
	by                   fl.Optimizer
	server               student
}

var _ fl.Aggregator = (*flTrust)(nil)

func newFLTrust(p *fl.Params) (fl.Aggregator, error) {
	a := &flTrust{
		steps: p.Int("steps", 0, fl.AtLeast(0), "gradient steps of the server in a round; 0: as "+
			"many as epochs take"),
		epochs: p.Int("epochs", 1, fl.AtLeast(1), "passes of the server over its samples where "+
			"steps is 0"),
		batch: p.Int("batch", 0, fl.AtLeast(0), "samples per step of the server; 0: all it has"),
	}
	a.local = localRate(p, "learning rate of the server; 0: that of the local rule in each round")
	a.by = p.Optimizer("optimizer", "sgd", "what makes a step of a gradient; begins anew in "+
		"every round")
	a.rate = newServerRate(p)
	return a, nil
}

// Aggregate implements fl.Aggregator.
func (a *flTrust) Aggregate(r *fl.Round) (fl.Outcome, error) {
	switch {
	case len(r.Updates) == 0:
		return fl.Outcome{}, errNoUpdates
	case r.Validation == nil || r.Validation.Len() == 0:
		return fl.Outcome{}, errors.New("the server holds no samples to train on")
	}
	own := a.train(r)
	own.Sub(r.Global)
	length := own.Norm()
	w, step := r.Scratch(len(r.Updates)), r.Scratch(len(own))
	trust, trusted := 0.0, 0
	for k := range r.Updates {
		copy(step, r.Updates[k].Params)
		step.Sub(r.Global)
		score := max(0, step.Cosine(own))
		if norm := step.Norm(); norm > 0 && length > 0 && score > 0 {
			trust += score
			trusted++
			w[k] = score * length / norm
		}
	}
	r.Notes.Observe("share of clients that fltrust trusts", float64(trusted)/float64(len(w)))
	if trust > 0 {
		w.Scale(a.rate.of(r) / trust)
	}
	return fl.Outcome{Params: r.CombineDeltas(w), Weights: w}, nil
}

// train returns θᵗ⁻¹ trained on the server's samples.
func (a *flTrust) train(r *fl.Round) fl.Vector {
	params := r.Scratch(len(r.Global))
	copy(params, r.Global)
	t := a.server.task(r, r.Validation, params)
	d := t.Descent()
	d.Optimizer, d.Rate, d.Batches = a.by, a.local.At(r.T), t.Batches(a.batch)
	d.Steps = a.steps
	if d.Steps == 0 {
		d.Steps = a.epochs * d.Batches.PerEpoch()
	}
	t.Worker.Descend(d)
	return t.Params
}
