// Package importance holds what says how much each client counts in the objective
// F(θ) = Σ pᵢ fᵢ(θ), and serves as priors of sampling designs as well.
package importance

import "github.com/hansa-fl/hansa/framework/fl"

// byRank are weights that depend on a client's rank alone: 1/N, 2/N, …, 1 counted from
// the first client when increasing, from the last when decreasing.
type byRank struct {
	increasing bool
	weight     func(rank float64) float64
}

var _ fl.Importance = (*byRank)(nil)

// Weights implements fl.Importance.
func (b *byRank) Weights(pop *fl.Roster) fl.Vector {
	p := make(fl.Vector, pop.N)
	for i := range p {
		rank := pop.N - i
		if b.increasing {
			rank = i + 1
		}
		p[i] = b.weight(float64(rank) / float64(pop.N))
	}
	return normalise(p)
}

// direction declares which clients count most.
func direction(p *fl.Params) bool {
	return p.Choice("direction", "decreasing", "whether the first clients count most or the last",
		"decreasing", "increasing") == "increasing"
}

// normalise scales w to sum 1.
func normalise(w fl.Vector) fl.Vector {
	w.Scale(1 / w.Sum())
	return w
}
