// IFCA, the server's half — a model of each cluster, by the clients that chose it.
//
//	A. Ghosh, J. Chung, D. Yin, K. Ramchandran. An Efficient Framework for Clustered Federated
//	Learning. NeurIPS 2020, Algorithm 1.
//
// Notation: S the cohort, m = |S|, S_j those of it that chose cluster j, m_j their number, θ_j the
// model of the cluster, θ̃ᵢ what client i made of it, η_g the server's rate:
//
//	models:    θ_j ← θ_j + η_g/m_j·Σ_{S_j} (θ̃ᵢ − θ_j)  (option II, model averaging),
//	gradients: θ_j ← θ_j + η_g/m·Σ_{S_j} (θ̃ᵢ − θ_j)    (option I, gradient averaging),
//
// the latter by all m, not by m_j: with one step of rate γ of each client it moves θ_j by
// −γ/m·Σ_{S_j} ∇fᵢ. A model that no client chose stays. θ₁ is the global model; the k − 1 others
// are broadcast. With k = 1 this is a plain mean, bit for bit.
//
// Departures: the paper begins with k models, drawn or chosen, that clients are sent in the first
// round; here these have θ⁰ alone then. With start = "groups" all k models are θ⁰, and its cohort
// is split at random among them, as if ties were. With start = "drawn" they are θ⁰ and k − 1 draws
// of the law of θ⁰, and what the first cohort sends is not used.

package aggregator

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
)

// IFCA describes the aggregator to the registry.
var IFCA = fl.AggregatorEntry{
	Name:    "ifca",
	Summary: "plain mean of the models of each of k clusters, which clients choose; sends all",
	Paper:   "ghosh2020",
	Deviations: "clients are sent the models of the other clusters from the second round on; the " +
		"first one splits its cohort at random, or draws models",
	Waives: map[string]string{"numbering": "the first cohort is split at random"},
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &ifca{
			k: p.Int("clusters", 2, fl.AtLeast(1), "number k of clusters; every client is sent as "+
				"many models"),
			byAll: p.Choice("average", "models", "a cluster's model is the mean of those of its "+
				"clients (option II), or is moved by their sum over the size of the cohort "+
				"(option I)", "models", "gradients") == "gradients",
			drawn: p.Choice("start", "groups", "the first cohort is split at random among the "+
				"clusters, or their models are drawn as the initial one is and it trains for "+
				"nothing", "groups", "drawn") == "drawn",
			rate: newServerRate(p),
			sent: fl.Tensors{},
		}, nil
	},
	Traits: fl.AggregatorTraits{Method: "IFCA"},
}

// ifca keeps θ₂ … θ_k in State.
type ifca struct {
	k            int
	byAll, drawn bool
	rate         *serverRate // η_g
	sent         fl.Tensors  // the broadcast of a round, whose memory is that of State
}

var _ fl.Aggregator = (*ifca)(nil)

// Aggregate implements fl.Aggregator.
func (a *ifca) Aggregate(r *fl.Round) (fl.Outcome, error) {
	m := len(r.Updates)
	if m == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	others := r.State.Matrix("models", a.k-1, len(r.Global))
	if a.k > 1 {
		a.sent["models"] = others
	}
	cluster := r.Room(m)
	if begun := r.State.Vector("begun", 1); begun[0] == 0 {
		begun[0] = 1
		for j := range others.Rows {
			copy(others.Row(j), r.Global)
			if a.drawn {
				copy(others.Row(j), r.Model.Init(r.RNG))
			}
		}
		if a.drawn && a.k > 1 {
			return fl.Outcome{Params: r.Global, Broadcast: a.sent}, nil
		}
		cluster = append(cluster, a.split(r)...)
	} else {
		for k := range r.Updates {
			j, err := a.choice(&r.Updates[k])
			if err != nil {
				return fl.Outcome{}, err
			}
			cluster = append(cluster, j)
		}
	}
	var first, weights fl.Vector
	for j := range a.k {
		base := r.Global
		if j > 0 {
			base = others.Row(j - 1)
		}
		w := a.weigh(r, cluster, j)
		next := r.Combine(w)
		trained, total := r.Layout.Trained(len(next)), w.Sum()
		if total <= 1 {
			trained = len(next)
		}
		next[:trained].AddScaled(1-total, base[:trained])
		next[trained:].Scale(1 / total) // statistics: the mean
		if j == 0 {
			first, weights = next, w
		} else {
			copy(base, next)
		}
	}
	if a.k > 1 {
		weights = nil // θᵗ is not the mean of the cohort
	}
	return fl.Outcome{Params: first, Broadcast: a.sent, Weights: weights}, nil
}

// split returns a cluster for every update, at random and as equal in size as can be.
func (a *ifca) split(r *fl.Round) []int {
	cluster := make([]int, len(r.Updates)) // once in a run
	if a.k == 1 {
		return cluster
	}
	for at, k := range r.RNG.Perm(len(cluster)) {
		cluster[k] = at % a.k
	}
	return cluster
}

// choice returns the cluster that a client chose: the first where it says none, as a client does
// that was sent no other model than θ₁.
func (a *ifca) choice(u *fl.Update) (int, error) {
	said := u.Payload["cluster"].Data
	if len(said) == 0 {
		return 0, nil
	}
	if len(said) != 1 || !(said[0] >= 0 && said[0] < float64(a.k)) {
		return 0, fmt.Errorf("client %d sends no cluster from 0 to %d", u.Client, a.k-1)
	}
	return int(said[0]), nil
}

// weigh returns the weights of updates in cluster j: 0 of those that chose another one.
func (a *ifca) weigh(r *fl.Round, cluster []int, j int) fl.Vector {
	w, size := r.Scratch(len(cluster)), 0.0
	for k := range cluster {
		if cluster[k] == j {
			size++
			w[k] = 1
		}
	}
	if a.byAll {
		size = float64(len(cluster))
	}
	if size > 0 {
		w.Scale(a.rate.of(r) / size)
	}
	return w
}
