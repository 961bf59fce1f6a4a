// Samples — every sample counts the same: pᵢ = nᵢ/Σn.
//
//	B. McMahan, E. Moore, D. Ramage, S. Hampson, B. Agüera y Arcas. Communication-
//	Efficient Learning of Deep Networks from Decentralized Data. AISTATS 2017, eq. (1).
//
// Notation: nᵢ the number of samples of client i.

package importance

import "github.com/hansa-fl/hansa/framework/fl"

// Samples describes the importance to the registry.
var Samples = fl.ImportanceEntry{
	Name:    "samples",
	Summary: "every sample counts the same, so a client counts by its number of samples",
	Paper:   "mcmahan2017",
	New:     func(*fl.Params) (fl.Importance, error) { return samples{}, nil },
}

type samples struct{}

var _ fl.Importance = samples{}

// Weights implements fl.Importance.
func (samples) Weights(pop *fl.Roster) fl.Vector {
	p := make(fl.Vector, pop.N)
	for i, n := range pop.Samples {
		p[i] = float64(n)
	}
	return normalise(p)
}
