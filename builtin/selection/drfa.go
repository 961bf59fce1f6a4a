// DRFA, the selection — clients are drawn by a mixture that ascends along losses.
//
//	Y. Deng, M. M. Kamani, M. Mahdavi. Distributionally Robust Federated Averaging. NeurIPS 2020,
//	Algorithm 1.
//
// Notation: N clients, m draws of a round, λ the mixture, s the snapshot of the round before, τ its
// steps, U a uniform set of m clients, fᵢ(s) their losses at s, Π the projection on the simplex,
// γ a rate. Before each round but the first
//
//	λ ← Π(λ + τγ·N/|U|·Σ_U fᵢ(s)eᵢ);
//
// then m clients are drawn by λ, with replacement. Each client of U is sent s and answers with
// 8 bytes. λ is p at first. With γ = 0 no client is asked, and this is md by importance, to the
// bit.
//
// Departures: U and the draws are among the available clients, whose λ are scaled to sum to 1; N
// counts enrolled clients. Losses are of all samples of a client, not of one batch. γ stays, and
// is 0.01 by default; in the authors' code it begins at 0.1 and loses a tenth in every round, and
// no λᵢ is below 0.001. Simulated rounds have no model, and λ stays p in them.

package selection

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// DRFA describes the selection mechanism to the registry.
var DRFA = fl.SelectionEntry{
	Name:    "drfa",
	Summary: "K draws with replacement by a mixture that ascends along losses at a snapshot",
	Paper:   "deng2020drfa",
	Deviations: "draws are among the available clients; losses are of all samples; the rate of " +
		"the ascent is constant",
	New:     newDRFA,
	Example: map[string]any{"k": int64(3)},
	Traits:  fl.SelectionTraits{Repeats: true, Asks: true, Method: "DRFA"},
}

// drfa keeps in Shared: mixture, λ; begun, whether there is one. The aggregator has there snapshot
// and taken, its length and τ.
type drfa struct {
	k    int     // m, ≥ 1
	rate float64 // γ
}

var _ fl.Selection = (*drfa)(nil)

func newDRFA(p *fl.Params) (fl.Selection, error) {
	return &drfa{
		k: p.Int("k", 10, fl.AtLeast(1), "m, draws of a round, and clients that are asked"),
		rate: p.Float("ascent", 0.01, fl.AtLeast(0),
			"γ, rate of the mixture along losses; 0: it stays p"),
	}, nil
}

// Select implements fl.Selection. Where all shares are 0 it selects no client.
func (s *drfa) Select(d *fl.SelectionInput) []int {
	lambda := d.Shared.Vector("mixture", d.Roster.N)
	if begun := d.Shared.Vector("begun", 1); begun[0] == 0 {
		begun[0] = 1
		copy(lambda, d.Roster.Importance)
	}
	if s.rate > 0 && d.LossAt != nil {
		s.ascend(d, lambda)
	}
	q := d.Scratch(len(d.Available))
	for j, i := range d.Available {
		q[j] = lambda[i]
	}
	if sum := q.Sum(); sum > 0 {
		q.Scale(1 / sum)
	}
	cohort, times, _ := drawRepeated(d, q, s.k)
	d.Times = times
	return cohort
}

// ascend moves the mixture along losses at the snapshot, once for each snapshot.
func (s *drfa) ascend(d *fl.SelectionInput, lambda fl.Vector) {
	taken := d.Shared.Vector("taken", 2)
	if taken[0] == 0 {
		return
	}
	snapshot := d.Shared.Vector("snapshot", int(taken[0]))
	taken[0] = 0
	asked := d.Room(d.Roster.N)
	if s.k < len(d.Available) {
		asked = stats.DrawUniform(asked, len(d.Available), s.k, d.RNG)
		for j, at := range asked {
			asked[j] = d.Available[at]
		}
	} else {
		asked = append(asked, d.Available...)
	}
	step := taken[1] * s.rate * float64(d.Roster.Enrolment()) / float64(len(asked))
	for _, i := range asked {
		lambda[i] += step * d.LossAt(i, snapshot)
	}
	enrolled := asked[:0]
	for i := range lambda {
		if d.Roster.Reaches(i) {
			enrolled = append(enrolled, i)
		} else {
			lambda[i] = 0
		}
	}
	stats.ProjectSimplex(lambda, enrolled)
}

// Law says false: it depends on the model.
func (s *drfa) Law(*fl.Roster, []int) (fl.Law, bool) { return fl.Law{}, false }
