// FedMGDA+ — the shortest convex combination of the clients' updates, along which no loss rises.
//
//	Z. Hu, K. Shaloudegi, G. Zhang, Y. Yu. Federated Learning Meets Multi-Objective Optimization.
//	IEEE Transactions on Network Science and Engineering 9, 2022, Algorithm 1.
//
// Notation: S the cohort, gᵢ = θᵗ⁻¹ − θᵢ, ḡᵢ = gᵢ/‖gᵢ‖, λ⁰ weights that sum to 1 over S, ε how far
// others may be from them, η the server's rate:
//
//	λ = argmin {‖Σ_S λᵢḡᵢ‖² : λ ≥ 0, Σ λᵢ = 1, |λᵢ − λ⁰ᵢ| ≤ ε},    θᵗ = θᵗ⁻¹ − η Σ_S λᵢḡᵢ.
//
// With ε = 1 all weights are allowed, and d = Σ λᵢḡᵢ has ⟨ḡᵢ, d⟩ ≥ ‖d‖² for every client: to first
// order no loss rises, and where d = 0, which is Pareto-stationary, none can fall but for another
// that rises. With ε = 0 and normalize = false it is FedAvg, to the bit. Clients send nothing
// beside models.
//
// The quadratic programme is solved by Wolfe's algorithm, an active-set method, on the inner
// products of updates; its duality gap, a share of the largest ‖ḡᵢ‖², is in the notes where it is
// above 1e-12. Inner products are taken of stretches of the updates: none is copied as a whole.
//
// Departures: η follows the schedules that all servers have.

package aggregator

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/stats"
)

// FedMGDA describes the aggregator to the registry.
var FedMGDA = fl.AggregatorEntry{
	Name:       "fedmgda-plus",
	Summary:    "shortest convex combination of normalised updates, near given weights (FedMGDA+)",
	Paper:      "hu2022",
	Deviations: "the server's rate has the schedules that all servers have",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &fedMGDA{
			of: newPrior(p),
			epsilon: p.Float("epsilon", 0.1, fl.Closed(0, 1), "ε, how far weights may be from "+
				"λ⁰; 1: any; 0: as λ⁰; the paper tries 0.01 to 1"),
			normalize: p.Bool("normalize", true, "whether updates are divided by their norms"),
			rate:      newServerRate(p),
		}, nil
	},
}

// fedMGDA keeps nothing in State: the rest is room for one round.
type fedMGDA struct {
	of        *fedAvg
	epsilon   float64 // ε
	normalize bool
	rate      *serverRate // η
	solver    stats.MinNorm
	space     kernel.Workspace
}

var _ fl.Aggregator = (*fedMGDA)(nil)

// Aggregate implements fl.Aggregator.
func (a *fedMGDA) Aggregate(r *fl.Round) (fl.Outcome, error) {
	prior, err := a.of.Weights(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	w := prior.By
	n := len(w)
	if a.epsilon == 0 && !a.normalize || w.Sum() == 0 {
		return a.step(r, w)
	}
	gram := fl.Matrix{Rows: n, Cols: n, Data: r.Scratch(n * n)}
	a.products(r, gram)
	norm := r.Scratch(n)
	for i := range norm {
		norm[i] = gram.Row(i)[i]
	}
	norm.Sqrt()
	if a.normalize {
		for i, x := range norm {
			for j, y := range norm {
				if gram.Row(i)[j] != 0 {
					gram.Row(i)[j] /= x * y
				}
			}
		}
	}
	a.weigh(r, w, gram)
	for i, x := range norm {
		if a.normalize && x > 0 {
			w[i] /= x
		}
	}
	return a.step(r, w)
}

// weigh makes λ of λ⁰.
func (a *fedMGDA) weigh(r *fl.Round, w fl.Vector, gram fl.Matrix) {
	if a.epsilon == 0 {
		return
	}
	low, high := r.Scratch(len(w)), r.Scratch(len(w))
	for i, x := range w {
		low[i], high[i] = max(0, x-a.epsilon), min(1, x+a.epsilon)
	}
	if gap := a.solver.Solve(w, gram, low, high); gap > 1e-12 {
		r.Notes.Add(fmt.Sprintf("in a round the weights of FedMGDA+ were found to a gap of %.0e, "+
			"not 1e-12", gap))
	}
}

// products sets gram to the inner products of updates.
func (a *fedMGDA) products(r *fl.Round, gram fl.Matrix) {
	const most = 512
	n := gram.Rows
	room := r.Scratch(n * most)
	for lo := 0; lo < len(r.Global); lo += most {
		hi := min(lo+most, len(r.Global))
		part := fl.Matrix{Rows: n, Cols: hi - lo, Data: room[:n*(hi-lo)]}
		for k := range n {
			row := part.Row(k)
			copy(row, r.Updates[k].Params[lo:hi])
			row.Sub(r.Global[lo:hi])
		}
		rows := kernel.RowMajor(part.Data, n, hi-lo)
		kernel.Gemm64(&a.space, kernel.RowMajor(gram.Data, n, n), rows, rows.T(), true)
	}
}

// step returns θᵗ⁻¹ + η Σ wᵢΔᵢ.
func (a *fedMGDA) step(r *fl.Round, w fl.Vector) (fl.Outcome, error) {
	if rate := a.rate.of(r); rate != 1 {
		w.Scale(rate)
	}
	return fl.Outcome{Params: r.CombineDeltas(w), Weights: w}, nil
}
