// Linear — importance falls or rises by equal steps: pᵢ ∝ N + 1 − i or pᵢ ∝ i.
//
//	S. A. Rahimi, D. Kalogerias. FedAVOT: Exact Distribution Alignment in Federated
//	Learning via Masked Optimal Transport. Section 4, "proportional to (−i)".
//
// Notation: i = 1 … N the client's number.
// Departures: the paper's p ∝ −i is read as p ∝ N + 1 − i, as the authors' code has it.

package importance

import "github.com/hansa-fl/hansa/framework/fl"

// Linear describes the importance to the registry.
var Linear = fl.ImportanceEntry{
	Name:       "linear",
	Summary:    "proportional to the client's number, from either end",
	Paper:      "fedavot",
	Deviations: "the paper's p ∝ −i is read as p ∝ N + 1 − i",
	New: func(p *fl.Params) (fl.Importance, error) {
		return &byRank{direction(p), func(rank float64) float64 { return rank }}, nil
	},
}
