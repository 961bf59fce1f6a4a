// Exponential — importance falls or rises by equal factors: pᵢ ∝ exp(∓i/scale).
//
//	S. A. Rahimi, D. Kalogerias. FedAVOT: Exact Distribution Alignment in Federated
//	Learning via Masked Optimal Transport. Section 4, pᵢ ∝ exp(−i/10).
//
// Notation: i = 1 … N the client's number.

package importance

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Exponential describes the importance to the registry.
var Exponential = fl.ImportanceEntry{
	Name:    "exponential",
	Summary: "falls or rises by the same factor from each client to the next",
	Paper:   "fedavot",
	New:     newExponential,
}

// exponential keeps weights relative to the largest, so that no scale underflows them all.
type exponential struct {
	scale      float64 // clients per factor e
	increasing bool
}

var _ fl.Importance = (*exponential)(nil)

func newExponential(p *fl.Params) (fl.Importance, error) {
	return &exponential{
		scale:      p.Float("scale", 10, fl.Above(0), "clients over which importance falls to 1/e"),
		increasing: direction(p),
	}, nil
}

// Weights implements fl.Importance.
func (e *exponential) Weights(pop *fl.Roster) fl.Vector {
	p := make(fl.Vector, pop.N)
	for i := range p {
		away := i // from the client that counts most
		if e.increasing {
			away = pop.N - 1 - i
		}
		p[i] = math.Exp(-float64(away) / e.scale)
	}
	return normalise(p)
}
