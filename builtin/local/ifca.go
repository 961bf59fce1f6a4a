// IFCA, the client's half — the best of k models for its samples, and steps from there.
//
//	A. Ghosh, J. Chung, D. Yin, K. Ramchandran. An Efficient Framework for Clustered Federated
//	Learning. NeurIPS 2020, Algorithm 1.
//
// Notation: θ₁ … θ_k the models of the clusters, fᵢ the client's loss on its training samples. The
// client is sent all k, chooses ĵ = argmin fᵢ(θ_j), the first of equal ones, trains θ_ĵ, and sends
// what becomes of it and ĵ. It predicts with θ_ĵ, for which it chooses anew. θ₁ is the global
// model, the others are broadcast, from the second round on; where there are none this is sgd, bit
// for bit.
//
// Departures: none beside those of the server's half.

package local

import "github.com/hansa-fl/hansa/framework/fl"

// IFCA describes the local rule to the registry.
var IFCA = fl.LocalRuleEntry{
	Name:    "ifca",
	Summary: "gradient descent from that of several models whose loss is least",
	Paper:   "ghosh2020",
	New:     newIFCA,
	Traits:  fl.LocalTraits{Packed: true, Method: "IFCA", Tunes: true},
}

// ifca keeps nothing in State: clients choose anew in every round.
type ifca struct{ sgd }

var _ fl.LocalRule = (*ifca)(nil)

func newIFCA(p *fl.Params) (fl.LocalRule, error) { return &ifca{newSteps(p)}, nil }

// Run implements fl.LocalRule.
func (s *ifca) Run(t *fl.Task) (fl.Update, error) {
	others, chosen := t.Broadcast["models"], 0
	if others.Rows > 0 {
		least := t.Worker.Loss(t.Global, &t.Client.Data)
		for j := range others.Rows {
			if loss := t.Worker.Loss(others.Row(j), &t.Client.Data); loss < least {
				least, chosen = loss, j+1
			}
		}
		if chosen == 0 {
			copy(t.Params, t.Global)
		} else {
			copy(t.Params, others.Row(chosen-1))
		}
	}
	if t.FineTunes {
		return fl.Update{Params: t.Params}, nil
	}
	d := s.descent(t)
	t.Worker.Descend(d)
	u := fl.Update{Steps: d.Steps, Params: t.Params}
	if others.Rows > 0 {
		cluster := t.Payload(1, 1)
		cluster.Data[0] = float64(chosen)
		u.Payload = fl.Tensors{"cluster": cluster}
	}
	return u, nil
}
