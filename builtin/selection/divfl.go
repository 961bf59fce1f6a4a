// DivFL — K clients whose last updates stand for those of all.
//
//	R. Balakrishnan, T. Li, T. Zhou, N. Himayat, V. Smith, J. Bilmes. Diverse Client Selection for
//	Federated Learning via Submodular Maximization. ICLR 2022: eqs. (4) and (5), in the form in
//	which only clients that participate renew their updates; with what the authors' code
//	(melodi-lab/divfl, flearn/trainers) says more.
//
// Notation: V the clients of which the server has an update, Gᵢ that update, S a cohort. Every
// client is represented by the one of S whose update is nearest, and
//
//	L(S) = Σ_{i∈V} min_{j∈S} ‖Gᵢ − Gⱼ‖
//
// bounds how far the update of S, weighted by how many each represents, is from that of V. Clients
// are added one after another, each time the one that makes L least. M·|V| − L(S), M the largest
// distance, is monotone and submodular, so that the cohort has at least 1 − 1/e of the best one's
// (Nemhauser, Wolsey, Fisher 1978).
//
// A client of which the server has no update participates as soon as it is available: all such
// clients at once, as all do in the first round of the authors' code, or K of them. The server
// keeps an update of every client, and N² distances. Nothing is sent beside models.
//
// Departures: S is of the available clients, V of all that took part. Updates θᵢ − θᵗ⁻¹ after local
// training take the place of gradients. Greedy selection looks at every candidate; the authors also
// have a lazy and a stochastic variant. Of clients that are as good the lot decides. Aggregation is
// the aggregator's: the authors' code averages by samples, weights = "samples" of fedavg. Simulated
// rounds have no updates, and clients are drawn uniformly in them.

package selection

import (
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// DivFL describes the selection mechanism to the registry.
var DivFL = fl.SelectionEntry{
	Name:    "divfl",
	Summary: "K clients that represent all by their last updates, found greedily",
	Paper:   "balakrishnan2022",
	Deviations: "among available clients; updates in place of gradients; simulated rounds have " +
		"no updates, so that an audit shows uniform draws",
	New: func(p *fl.Params) (fl.Selection, error) {
		return &divFL{
			k: p.Int("k", 10, fl.AtLeast(1), "K, clients of a round"),
			gradual: p.Choice("unseen", "all", "clients of which the server has no update come "+
				"first: \"all\" of them at once, or \"k\" of them in a round", "all", "k") == "k",
		}, nil
	},
	Example: map[string]any{"k": int64(3)},
	Traits:  fl.SelectionTraits{Updates: true},
}

// divFL keeps in State what distances does.
type divFL struct {
	k       int  // K, ≥ 1
	gradual bool // no more than K without update in a round
}

var _ fl.Selection = (*divFL)(nil)

// Select implements fl.Selection.
func (s *divFL) Select(d *fl.SelectionInput) []int {
	m := distances.renew(d)
	cohort, candidates := d.Room(len(d.Available)), d.Room(len(d.Available))
	for _, i := range d.Available {
		if d.Told(i).Round < 0 {
			cohort = append(cohort, i)
		} else {
			candidates = append(candidates, i)
		}
	}
	shuffle(d, candidates)
	if s.gradual && len(cohort) > s.k {
		shuffle(d, cohort)
		cohort = cohort[:s.k]
	}
	seen := d.Room(d.Roster.N) // V
	for i := range d.Roster.N {
		if d.Told(i).Round >= 0 {
			seen = append(seen, i)
		}
	}
	nearest := d.Scratch(d.Roster.N) // of every client the distance to its representative
	nearest.Fill(math.Inf(1))
	for len(cohort) < s.k && len(candidates) > 0 {
		best, least := 0, math.Inf(1)
		for c, j := range candidates {
			sum := 0.0 // L with this one
			for _, i := range seen {
				sum += min(nearest[i], m.Row(j)[i])
			}
			if sum < least {
				best, least = c, sum
			}
		}
		j := candidates[best]
		nearest.Min(m.Row(j))
		cohort, candidates = append(cohort, j), slices.Delete(candidates, best, best+1)
	}
	slices.Sort(cohort)
	return cohort
}

// shuffle puts clients into an order that is drawn.
func shuffle(d *fl.SelectionInput, clients []int) {
	d.RNG.Shuffle(len(clients), func(a, b int) { clients[a], clients[b] = clients[b], clients[a] })
}

// Law says false: it depends on the model.
func (s *divFL) Law(*fl.Roster, []int) (fl.Law, bool) { return fl.Law{}, false }
