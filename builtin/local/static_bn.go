// Static batch normalisation (sBN) — statistics of batch norms are computed once, after training.
//
//	E. Diao, J. Ding, V. Tarokh. HeteroFL: Computation and Communication Efficient Federated
//	Learning for Heterogeneous Clients. ICLR 2021, Section 3.
//
// Notation: T rounds. In all rounds but the last a client trains as sgd does, by the moments of its
// batches, and neither keeps nor sends running statistics. In the last round it does not train: it
// computes the mean of the moments of its batches at the model that it is sent, every layer behind
// norms by batch, and sends that. The server's statistics are the weighted mean over clients.
//
// Departures: statistics are those of the cohort of the last round, which is all clients where all
// are available and selected. Clients count by the weights of the aggregator, and batches by their
// samples; the authors' code counts all batches alike. The last round is counted as one in which
// the whole model is sent. Models before the last round have the statistics of θ⁰, and measures of
// them say little; statistics = "averaged" gives them running statistics, averaged as with sgd.

package local

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
)

// StaticBN describes the local rule to the registry.
var StaticBN = fl.LocalRuleEntry{
	Name:    "static-bn",
	Summary: "gradient descent; in the last round computes statistics of batch norms instead",
	Paper:   "diao2021",
	Deviations: "statistics are those of the cohort of the last round, in which the whole model " +
		"is counted; batches count by their samples",
	New: newStaticBN,
	Fits: func(s fl.Setting) error {
		if s.Known() && s.Rounds < 2 {
			return errors.New("needs two rounds or more: in the last one it does not train")
		}
		if n := s.Layout.Len(); n > 0 && s.Layout.Trained(n) == n {
			return errors.New("computes statistics of batch norms, and this model has none")
		}
		return nil
	},
	Traits: fl.LocalTraits{Packed: true},
}

// staticBN keeps nothing in State.
type staticBN struct {
	sgd
	rounds   int  // T
	averaged bool // statistics before the last round
}

var _ fl.LocalRule = (*staticBN)(nil)

func newStaticBN(p *fl.Params) (fl.LocalRule, error) {
	return &staticBN{
		averaged: p.Choice("statistics", "none", "of models before the last round: those of θ⁰; "+
			"or running ones, averaged", "none", "averaged") == "averaged",
		rounds: p.Setting().Rounds, sgd: newSteps(p),
	}, nil
}

// Run implements fl.LocalRule.
func (s *staticBN) Run(t *fl.Task) (fl.Update, error) {
	w, normed := t.Worker.(fl.StatisticsWorker) // others have no statistics
	if t.T+1 == s.rounds {
		if normed {
			w.Statistics(t.Params, &t.Client.Data, s.batch)
		}
		return fl.Update{Params: t.Params}, nil
	}
	u, err := s.sgd.Run(t)
	if normed && !s.averaged {
		copy(t.Params[w.Trained():], t.Global[w.Trained():])
	}
	return u, err
}
