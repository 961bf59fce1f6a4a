// F3AST, the selection — the K clients whose rate of participation is least for their importance.
//
//	M. Ribero, H. Vikalo, G. de Veciana. Federated Learning Under Intermittent Client Availability
//	and Time-Varying Communication Constraints. IEEE Journal of Selected Topics in Signal
//	Processing, 2022 (arXiv:2205.06730), F3AST.
//
// Notation: p importance, rᵢ the rate of participation of client i, β a rate of forgetting, A the
// available clients, S the cohort. A round with the weights pᵢ/rᵢ has a variance that grows with
// H(r) = Σ pᵢ²/rᵢ, and the cohort is where H falls most:
//
//	S = the K of A with the largest pᵢ²/rᵢ²,    r ← (1 − β)r + β·1_S,
//
// rᵢ = K/N at first. Of equal clients the first ones are taken. Where all are available r goes to
// the minimum of H over rates that sum to K: rᵢ ∝ p, and none above 1. The aggregator f3ast weighs
// by the renewed r.
//
// Departures: where fewer than K clients are available all of them participate; the authors' code,
// mriberodiaz/f3ast, utils/training_utils.py, then takes clients that are not, the first of all. rᵢ
// is pᵢ at first in that code, or 1/N by a flag, and sums to K in the long run only. K is constant.
// N counts enrolled clients. β is 0.01, as in the code. In a round in which no client is available
// all rates fall.

package selection

import (
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// F3AST describes the selection mechanism to the registry.
var F3AST = fl.SelectionEntry{
	Name:       "f3ast",
	Summary:    "the K available whose rate of participation is least for their importance",
	Paper:      "ribero2022",
	Deviations: "never more than are available; rates are K/N at first; K is constant",
	New: func(p *fl.Params) (fl.Selection, error) {
		return &f3ast{
			k: p.Int("k", 10, fl.AtLeast(1), "K, clients of a round"),
			beta: p.Float("beta", 0.01, fl.LeftOpen(0, 1),
				"β, how fast rates of participation follow the rounds; 1/β rounds count"),
		}, nil
	},
	Example: map[string]any{"k": int64(3)},
	Traits:  fl.SelectionTraits{Method: "F3AST"},
}

// f3ast keeps in Shared: rate, rᵢ by client; in State: next, the number of rounds that rate knows.
type f3ast struct {
	k    int     // K, ≥ 1
	beta float64 // β
}

var _ fl.Selection = (*f3ast)(nil)

// Select implements fl.Selection.
func (s *f3ast) Select(d *fl.SelectionInput) []int {
	rate, next := d.Shared.Vector("rate", d.Roster.N), d.State.Vector("next", 1)
	if next[0] == 0 {
		rate.Fill(min(1, float64(s.k)/float64(d.Roster.Enrolment())))
	}
	rate.Scale(math.Pow(1-s.beta, float64(d.T)-next[0])) // rounds without available clients
	next[0] = float64(d.T + 1)
	urgency := d.Scratch(len(d.Available))
	for j, i := range d.Available {
		if p := d.Roster.Importance[i]; p > 0 {
			urgency[j] = p / rate[i] // in the order of squares
		}
	}
	cohort := d.Room(s.k)
	order := tensor.ArgSortDescending(d.Room(len(urgency)), urgency)
	for _, j := range order[:min(s.k, len(order))] {
		cohort = append(cohort, d.Available[j])
	}
	slices.Sort(cohort)
	rate.Scale(1 - s.beta)
	for _, i := range cohort {
		rate[i] += s.beta
	}
	return cohort
}

// Law says false: it depends on the rounds before.
func (s *f3ast) Law(*fl.Roster, []int) (fl.Law, bool) { return fl.Law{}, false }
