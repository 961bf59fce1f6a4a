// Package mine says how much a client counts by a power of its number of samples.
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
		return &mine{p.Float("alpha", 0.5, fl.Closed(0, 1), "0 counts clients, 1 samples")}, nil
	},
}

type mine struct{ alpha float64 }

// Weights returns p, which is never negative and sums to 1: pᵢ ∝ nᵢ^α. The Roster tells how
// many clients there are, N, and how many samples each has.
func (m *mine) Weights(pop *fl.Roster) fl.Vector {
	p := make(fl.Vector, pop.N)
	for i, n := range pop.Samples {
		p[i] = math.Pow(float64(n), m.alpha)
	}
	p.Scale(1 / p.Sum())
	return p
}
