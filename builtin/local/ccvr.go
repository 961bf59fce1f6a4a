// CCVR, the client's half — local descent, and in the last round moments of features by class.
//
//	M. Luo, F. Chen, D. Hu, Y. Zhang, J. Liang, J. Feng. No Fear of Heterogeneity: Classifier
//	Calibration for Federated Learning with Non-IID Data. NeurIPS 2021, Algorithm 1.
//
// Notation: z ∈ ℝᵈ the features of a sample, what enters the last dense layer; T rounds; n_c
// samples of class c at the client, μ_c and Σ_c mean and covariance of their features. In all
// rounds but the last a client trains as sgd does. In the last one it does not train: of the model
// that it is sent it computes features of its samples, and sends of each class that it has c, n_c,
// μ_c and Σ (z − μ_c)(z − μ_c)ᵀ, of which half, as it is symmetric. The model is not sent back.
//
// Departures: the cohort of the last round sends moments, where in the paper all clients do. The
// sum of squares is sent, (n_c − 1)·Σ_c, which one sample has, too.

package local

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// CCVR describes the local rule to the registry.
var CCVR = fl.LocalRuleEntry{
	Name:    "ccvr",
	Summary: "gradient descent; in the last round sends moments of features by class instead",
	Paper:   "luo2021",
	Deviations: "moments are those of the cohort of the last round; sums of squares are sent, " +
		"not covariances",
	OneLabel: true,
	New:      newCCVR,
	Fits: func(s fl.Setting) error {
		if s.Known() && s.Rounds < 2 {
			return errors.New("needs two rounds or more: in the last one it does not train")
		}
		return needsFeatures(s)
	},
	Traits: fl.LocalTraits{Method: "CCVR"},
}

// ccvr keeps nothing in State.
type ccvr struct {
	sgd
	rounds int // T
}

var _ fl.LocalRule = (*ccvr)(nil)

func newCCVR(p *fl.Params) (fl.LocalRule, error) {
	return &ccvr{sgd: newSteps(p), rounds: p.Setting().Rounds}, nil
}

// Run implements fl.LocalRule.
func (s *ccvr) Run(t *fl.Task) (fl.Update, error) {
	w, ok := t.Worker.(fl.GuidedWorker)
	switch {
	case !ok:
		return fl.Update{}, errors.New("ccvr needs a network that tells its features")
	case t.T+1 != s.rounds:
		return s.sgd.Run(t)
	}
	return fl.Update{Params: t.Params, Returned: true, Payload: featureMoments(t, w)}, nil
}

// featureMoments returns moments of the features of each class that a client has.
func featureMoments(t *fl.Task, w fl.GuidedWorker) fl.Tensors {
	x, y, n := t.Client.Data.X, t.Client.Data.Y, w.FeatureLen()
	z := fl.Matrix{Rows: x.Rows, Cols: n, Data: t.Scratch(x.Rows * n)}
	w.Features(z, t.Global, x)
	counts, present := t.Ints(t.Client.Data.Shape.Classes), 0
	clear(counts)
	for _, c := range y {
		if counts[c]++; counts[c] == 1 {
			present++
		}
	}
	classes, samples := t.Payload(1, present), t.Payload(1, present)
	means, squares := t.Payload(present, n), t.Payload(present, tensor.Packed(n))
	m, one, next := stats.NewClassMoments(1, n), t.Ints(len(y)), 0
	for c, count := range counts {
		if count == 0 {
			continue
		}
		for r, own := range y {
			one[r] = -1 // left out
			if own == c {
				one[r] = 0
			}
		}
		m.Reset()
		m.Add(z, one)
		classes.Data[next], samples.Data[next] = float64(c), float64(count)
		copy(means.Row(next), m.Mean.Data)
		m.Within.Pack(squares.Row(next))
		next++
	}
	return fl.Tensors{"classes": classes, "samples": samples, "means": means, "squares": squares}
}
