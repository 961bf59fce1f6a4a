// Uniform — every client counts the same: pᵢ = 1/N.

package importance

import "github.com/hansa-fl/hansa/framework/fl"

// Uniform describes the importance to the registry.
var Uniform = fl.ImportanceEntry{
	Name:    "uniform",
	Summary: "every client counts the same",
	New:     func(*fl.Params) (fl.Importance, error) { return uniform{}, nil },
}

type uniform struct{}

var _ fl.Importance = uniform{}

// Weights implements fl.Importance.
func (uniform) Weights(pop *fl.Roster) fl.Vector {
	p := make(fl.Vector, pop.N)
	for i := range p {
		p[i] = 1 / float64(pop.N)
	}
	return p
}
