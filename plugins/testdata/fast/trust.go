package fast

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// FLTrust describes the aggregator. The first client of a cohort stands for the server's own data.
var FLTrust = fl.AggregatorEntry{
	Name:    "fltrust",
	Summary: "updates count by their cosine with one that is trusted, and have its norm",
	Paper:   "X. Cao, M. Fang, J. Liu, N. Z. Gong, NDSS 2021: FLTrust",
	New:     func(p *fl.Params) (fl.Aggregator, error) { return &trust{}, nil },
	Waives:  map[string]string{"numbering": "the first client is trusted"},
}

// FoolsGold describes the aggregator.
var FoolsGold = fl.AggregatorEntry{
	Name:    "foolsgold",
	Summary: "clients whose updates so far point the same way count less",
	Paper:   "C. Fung, C. J. M. Yoon, I. Beschastnikh, RAID 2020: FoolsGold",
	New:     func(p *fl.Params) (fl.Aggregator, error) { return &foolsGold{}, nil },
}

type trust struct{}

// Aggregate returns θᵗ⁻¹ + Σ tₖ(‖Δ₀‖/‖Δₖ‖)Δₖ/Σ t with tₖ = max(0, cos(Δₖ, Δ₀)).
func (*trust) Aggregate(r *fl.Round) (fl.Outcome, error) {
	d := len(r.Global)
	root, delta, sum := update(r, 0, r.Scratch(d)), r.Scratch(d), r.Scratch(d)
	total := 0.0
	for k := range r.Updates {
		score := max(0, update(r, k, delta).Cosine(root))
		if score > 0 {
			sum.AddScaled(score*root.Norm()/delta.Norm(), delta)
			total += score
		}
	}
	if total > 0 {
		sum.Scale(1 / total)
	}
	return fl.Outcome{Params: moved(r, 1, sum)}, nil
}

// foolsGold keeps in State: history, a row for each of N clients, the sum of its updates.
type foolsGold struct{}

// Aggregate returns θᵗ⁻¹ + Σ wₖΔₖ/Σ w.
func (*foolsGold) Aggregate(r *fl.Round) (fl.Outcome, error) {
	n, d := len(r.Updates), len(r.Global)
	history, delta := r.State.Matrix("history", r.Roster.N, d), r.Scratch(d)
	for k, u := range r.Updates {
		history.Row(u.Client).Add(update(r, k, delta))
	}
	alike, largest := tensor.NewMatrix(n, n), r.Scratch(n)
	for i, u := range r.Updates {
		for j, v := range r.Updates {
			if i != j {
				alike.Row(i)[j] = history.Row(u.Client).Cosine(history.Row(v.Client))
				largest[i] = max(largest[i], alike.Row(i)[j])
			}
		}
	}
	w := r.Scratch(n)
	for i := range n {
		most := 0.0
		for j := range n {
			c := alike.Row(i)[j]
			if largest[j] > largest[i] && largest[i] > 0 { // i is pardoned in part
				c *= largest[i] / largest[j]
			}
			most = max(most, c)
		}
		w[i] = 1 - most
	}
	weigh(w)
	return fl.Outcome{Params: r.CombineDeltas(w), Weights: w}, nil
}

// weigh brings scores to [0, 1] as the paper does, and then to a sum of 1 or 0.
func weigh(w fl.Vector) {
	largest := w.NormInf()
	for i, x := range w {
		x = min(max(x/max(largest, 1e-12), 1e-6), 0.99)
		w[i] = min(max(math.Log(x/(1-x))+0.5, 0), 1)
	}
	if sum := w.Sum(); sum > 0 {
		w.Scale(1 / sum)
	}
}
