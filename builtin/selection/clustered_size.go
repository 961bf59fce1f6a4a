// ClusteredSize — K draws from K distributions, each of few clients.
//
//	Y. Fraboni, R. Vidal, L. Kameni, M. Lorenzi. Clustered Sampling: Low-Variance and Improved
//	Representativity for Clients Selection in Federated Learning. ICML 2021, Algorithm 1.
//
// Notation: qᵢ the share of client i, r_ki the probability of client i in the k-th of K
// distributions, Σ_i r_ki = 1 and Σ_k r_ki = Kqᵢ. Clients are laid by falling share into K urns of
// the same size, one after another; a client that does not fit goes on in the next one. One client
// is drawn from every urn, independently. The aggregate is the mean of K draws, Σ mᵢ/K·θᵢ, weights
// = "uniform" of fedavg, and is unbiased for Σ qᵢθᵢ. mᵢ has no more variance than in md, and πᵢ = 1
// − Π_k (1 − r_ki) is no less.
//
// Departures: draws are among the available clients, whose shares are scaled to sum to 1. The
// scheme by similarity, Algorithm 2, is clustered-similarity.

package selection

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// ClusteredSize describes the selection mechanism to the registry.
var ClusteredSize = fl.SelectionEntry{
	Name:       "clustered-size",
	Summary:    "a draw from each of K urns, into which clients are laid by falling share",
	Paper:      "fraboni2021",
	Deviations: "draws are among the available clients",
	New: func(p *fl.Params) (fl.Selection, error) {
		return &clusteredSize{k: p.Int("k", 10, fl.AtLeast(1), "K, draws of a round, and urns"),
			shareOf: newShareOf(p, bySize)}, nil
	},
	Example: map[string]any{"k": int64(3)},
	Traits:  fl.SelectionTraits{Repeats: true, Expected: true},
}

type clusteredSize struct {
	shareOf
	k int // K, ≥ 1
}

var _ fl.Selection = (*clusteredSize)(nil)

// lay calls a function with what lies in the urns, one after another: so much of the j-th of those
// available.
func (s *clusteredSize) lay(q fl.Vector, order []int, put func(urn, j int, r float64)) {
	urn, room := 0, 1.0
	for _, j := range tensor.ArgSortDescending(order, q) {
		left := float64(s.k) * q[j]
		for left > 0 && urn < s.k {
			r := min(left, room)
			put(urn, j, r)
			left, room = left-r, room-r
			if room < 1e-12 { // full but for rounding
				urn, room = urn+1, 1
			}
			if left < 1e-12 {
				break
			}
		}
	}
}

// Select implements fl.Selection. Where all shares are 0 it selects no client.
func (s *clusteredSize) Select(d *fl.SelectionInput) []int {
	n := len(d.Available)
	q, times := d.Scratch(n), d.Room(n)[:n]
	clear(times)
	s.fill(q, d.Roster, d.Available)
	at, sum, u, last := -1, 0.0, 0.0, -1
	s.lay(q, d.Room(n), func(urn, j int, r float64) {
		if urn > at {
			if at, sum, u = urn, 0, d.RNG.Float64(); last >= 0 {
				times[last]++ // all of an urn was passed by: rounding
			}
		}
		if sum >= 0 {
			if sum += r; u < sum {
				times[j]++
				sum, last = -1, -1
				return
			}
			last = j
		}
	})
	if last >= 0 {
		times[last]++
	}
	cohort, counts, expected := d.Room(n), d.Room(n), d.Scratch(n)[:0]
	for j, m := range times {
		if m > 0 {
			cohort, counts = append(cohort, d.Available[j]), append(counts, m)
			expected = append(expected, float64(s.k)*q[j])
		}
	}
	d.Times, d.Expected = counts, expected
	return cohort
}

// Law implements fl.Selection.
func (s *clusteredSize) Law(pop *fl.Roster, available []int) (fl.Law, bool) {
	q := make(fl.Vector, len(available))
	s.fill(q, pop, available)
	law := fl.Law{Exact: true, Memoryless: true, Inclusion: make(fl.Vector, pop.N),
		Expected: make(fl.Vector, pop.N)}
	if q.Sum() == 0 {
		law.Empty = 1
		return law, true
	}
	urns, spared, all := make([][]drawn, s.k), make(fl.Vector, len(q)), 1.0
	spared.Fill(1)
	s.lay(q, nil, func(urn, j int, r float64) {
		urns[urn] = append(urns[urn], drawn{j, r})
		spared[j] *= 1 - r
	})
	for j, i := range available {
		law.Inclusion[i], law.Expected[i] = 1-spared[j], float64(s.k)*q[j]
	}
	for _, urn := range urns {
		all *= float64(len(urn))
	}
	if all <= mostRepeats {
		listUrns(&law, urns, available)
	}
	return law, true
}

// A drawn is a client of an urn, and the probability with which it is drawn.
type drawn struct {
	j int
	r float64
}

// listUrns lists the multisets of one draw from every urn, by the cohorts that they are made of.
func listUrns(law *fl.Law, urns [][]drawn, available []int) {
	times := make([]int, len(available))
	chance, kept := map[string]float64{}, [][]int{}
	var visit func(urn int, q float64)
	visit = func(urn int, q float64) {
		if urn == len(urns) {
			key := make([]byte, 2*len(times))
			for j, m := range times {
				key[2*j], key[2*j+1] = byte(m), byte(m>>8)
			}
			if _, seen := chance[string(key)]; !seen {
				kept = append(kept, append([]int(nil), times...))
			}
			chance[string(key)] += q
			return
		}
		for _, c := range urns[urn] {
			times[c.j]++
			visit(urn+1, q*c.r)
			times[c.j]--
		}
	}
	visit(0, 1)
	at := map[string]int{}
	for _, times := range kept {
		key := make([]byte, 2*len(times))
		for j, m := range times {
			key[2*j], key[2*j+1] = byte(m), byte(m>>8)
		}
		addRepeat(law, at, times, chance[string(key)], func(k int) int { return available[k] })
	}
	for j := range law.Repeats {
		for k := range law.Repeats[j] {
			law.Repeats[j][k].Q /= law.Q[j]
		}
	}
	law.Q.Scale(1 / law.Q.Sum())
}
