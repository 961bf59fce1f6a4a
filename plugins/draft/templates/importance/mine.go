// Package mine weighs clients by a power of their numbers of samples.
package mine

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Mine describes the importance. New declares a parameter by reading it: name, default,
// range, meaning.
var Mine = fl.ImportanceEntry{
	Name:    "mine",
	Summary: "a power of the number of samples: between uniform and samples",
	New: func(p *fl.Params) (fl.Importance, error) {
		return &mine{p.Float("alpha", 0.5, fl.Closed(0, 1), "0: uniform, 1: by samples")}, nil
	},
}

type mine struct{ alpha float64 }

// Weights returns p, which is not negative and sums to 1: pᵢ ∝ nᵢ^α. The Roster has the number of
// clients, N, and their numbers of samples.
func (m *mine) Weights(pop *fl.Roster) fl.Vector {
	p := make(fl.Vector, pop.N)
	for i, n := range pop.Samples {
		p[i] = math.Pow(float64(n), m.alpha)
	}
	p.Scale(1 / p.Sum())
	return p
}
