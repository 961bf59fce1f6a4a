// Worker momentum — clients send a running average of their updates.
//
//	S. P. Karimireddy, L. He, M. Jaggi. Learning from History for Byzantine Robust Optimization.
//	ICML 2021, Algorithm 2, the workers' half.
//
// Notation: x = θᵗ⁻¹ the received model, Δᵢ what local steps change it by, β ∈ [0, 1), mᵢ the
// momentum, which is the client's state and is Δᵢ when it first trains:
//
//	mᵢ ← (1 − β)Δᵢ + βmᵢ,    sent is x + mᵢ.
//
// Of independent updates of one variance, momenta come to have (1 − β)/(1 + β) of it, so that a
// robust rule, centered clipping above all, tells honest clients better from faulty ones. With one
// step of rate η it is the paper's momentum of gradients times −η. With β = 0 it is sgd, bit for
// bit.
//
// Departures: the momentum is of what local steps did, of any number. A client that does not
// participate keeps its momentum; in the paper all participate. The official code (epfml/
// byzantine-robust-optimizer, worker.py) adds gradients with weight 1, so that its momentum is
// 1/(1 − β) times as long.

package local

import "github.com/hansa-fl/hansa/framework/fl"

// WorkerMomentum describes the local rule to the registry.
var WorkerMomentum = fl.LocalRuleEntry{
	Name:       "worker-momentum",
	Summary:    "gradient descent; sends a running average of its updates",
	Paper:      "karimireddy2021",
	Deviations: "the momentum is of updates by local steps; the absent keep theirs",
	New:        newWorkerMomentum,
	Traits:     fl.LocalTraits{Packed: true, Drift: fl.Drift{Handling: fl.DriftRemains}},
}

// workerMomentum keeps in the client's state: mᵢ, and began, 1 once there is one.
type workerMomentum struct {
	sgd
	beta float64 // β
}

var _ fl.LocalRule = (*workerMomentum)(nil)

func newWorkerMomentum(p *fl.Params) (fl.LocalRule, error) {
	return &workerMomentum{
		beta: p.Float("beta", 0.9, fl.RightOpen(0, 1), "β, the weight of the updates before; 0: "+
			"sgd; the paper takes 0.9 and 0.99"),
		sgd: newSteps(p),
	}, nil
}

// Run implements fl.LocalRule.
func (s *workerMomentum) Run(t *fl.Task) (fl.Update, error) {
	d := s.descent(t)
	t.Worker.Descend(d)
	if s.beta > 0 {
		s.average(t)
	}
	return fl.Update{Steps: d.Steps, Params: t.Params}, nil
}

// average makes parameters of the client those of its momentum, which it renews.
func (s *workerMomentum) average(t *fl.Task) {
	momentum, began := t.State.Vector("momentum", len(t.Params)), t.State.Vector("began", 1)
	share := 1 - s.beta
	if began[0] == 0 {
		began[0], share = 1, 1
	}
	momentum.Scale(1 - share)
	momentum.AddScaled(share, t.Params)
	momentum.AddScaled(-share, t.Global)
	copy(t.Params, t.Global)
	t.Params.Add(momentum)
}
