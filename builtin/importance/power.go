// Power — importance is a power of the client's number: pᵢ ∝ (N + 1 − i)^e or pᵢ ∝ i^e.
//
//	S. A. Rahimi, D. Kalogerias. FedAVOT: Exact Distribution Alignment in Federated
//	Learning via Masked Optimal Transport. The authors' code has e = 0.8 (regression)
//	and e = 4 (MNIST).
//
// Notation: i = 1 … N the client's number.

package importance

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Power describes the importance to the registry.
var Power = fl.ImportanceEntry{
	Name:    "power",
	Summary: "a power of the client's number, from either end",
	Paper:   "fedavot",
	New: func(p *fl.Params) (fl.Importance, error) {
		exponent := p.Float("exponent", 1, fl.Closed(0, 100), "the power e; 0 is uniform")
		weight := func(rank float64) float64 { return math.Pow(rank, exponent) }
		return &byRank{direction(p), weight}, nil
	},
}
