// ClusteredSimilarity — K draws from K distributions, each of clients whose updates are alike.
//
//	Y. Fraboni, R. Vidal, L. Kameni, M. Lorenzi. Clustered Sampling: Low-Variance and Improved
//	Representativity for Clients Selection in Federated Learning. ICML 2021, Algorithm 2; with
//	what the authors' code (Accenture/Labs-Federated-Learning, py_func/clustering.py) says more.
//
// Notation: qᵢ the share of client i, Gᵢ its last update, 0 before it took part, ρᵢⱼ = arccos
// ⟨Gᵢ, Gⱼ⟩/(‖Gᵢ‖‖Gⱼ‖) the angle between two, 0 where one of them is 0, r_ki the probability of
// client i in the k-th of K distributions, Σ_i r_ki = 1 and Σ_k r_ki = Kqᵢ. In every round Ward's
// method makes a tree of the clients by ρ. It is cut into the largest clusters of a share of no
// more than 1/K. The K of the largest shares begin a distribution each; the clients of the others,
// by rising share of the cluster, fill what is left of these, one distribution after another. One
// client is drawn from every distribution, independently.
//
// Whatever the clusters are, the mean of K draws, Σ mᵢ/K·θᵢ, weights = "uniform" of fedavg, is
// unbiased for Σ qᵢθᵢ, and mᵢ has no more variance than in md (Section 4). Nothing is sent beside
// models: the server has the updates. It keeps one of every client that took part, and N² angles.
//
// Departures: draws are among the available clients, whose shares are scaled to sum to 1. A client
// with Kqᵢ ≥ 1 has ⌊Kqᵢ⌋ distributions alone, and the rest of it is in the tree. Clients of a
// cluster that is divided are taken in ascending order, where the authors' code shuffles them. That
// code hands the angles to SciPy as if each row of them were a point, so that Ward's method is of
// the distances between rows: this is tree = "rows", the default here as well, in which clients
// without update are alike. With "angles" Ward's formula begins with the angles themselves.

package selection

import (
	"cmp"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// ClusteredSimilarity describes the selection mechanism to the registry.
var ClusteredSimilarity = fl.SelectionEntry{
	Name:    "clustered-similarity",
	Summary: "a draw from each of K distributions, of clients whose last updates are alike",
	Paper:   "fraboni2021",
	Deviations: "draws are among the available clients; clients of divided clusters are in " +
		"ascending order; simulated rounds have no updates, so that all are alike in an audit",
	New:     newClusteredSimilarity,
	Example: map[string]any{"k": int64(3)},
	Traits:  fl.SelectionTraits{Repeats: true, Expected: true, Updates: true},
}

// clusteredSimilarity keeps in State what angles does.
type clusteredSimilarity struct {
	shareOf
	k    int  // K, ≥ 1
	rows bool // Ward's method is of distances between rows of angles

	ward stats.Ward
}

var _ fl.Selection = (*clusteredSimilarity)(nil)

func newClusteredSimilarity(p *fl.Params) (fl.Selection, error) {
	return &clusteredSimilarity{
		k:       p.Int("k", 10, fl.AtLeast(1), "K, draws of a round, and distributions"),
		shareOf: newShareOf(p, bySize),
		rows: p.Choice("tree", "rows", "what Ward's method clusters clients by: \"rows\", "+
			"distances between the rows of the matrix of angles, as the authors' code; "+
			"\"angles\", the angles", "rows", "angles") == "rows",
	}, nil
}

// Select implements fl.Selection. Where all shares are 0 it selects no client.
func (s *clusteredSimilarity) Select(d *fl.SelectionInput) []int {
	n := len(d.Available)
	q := d.Scratch(n)
	s.fill(q, d.Roster, d.Available)
	if q.Sum() == 0 {
		d.Times, d.Expected = d.Room(0), d.Scratch(0)
		return d.Room(0)
	}
	urns, times := s.distributions(d, q), d.Room(n)[:n]
	clear(times)
	for k := range urns.Rows {
		times[drawFrom(urns.Row(k), d.RNG.Float64())]++
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

// drawFrom returns the element of a distribution in which u ∈ [0, 1) of its sum lies.
func drawFrom(r fl.Vector, u float64) int {
	last, sum := 0, 0.0
	u *= r.Sum()
	for j, x := range r {
		if x > 0 {
			if last, sum = j, sum+x; u < sum {
				break
			}
		}
	}
	return last
}

// distributions returns r, K×n, of the available clients, whose shares are q.
func (s *clusteredSimilarity) distributions(d *fl.SelectionInput, q fl.Vector) fl.Matrix {
	n, k := len(q), 0
	r := fl.Matrix{Rows: s.k, Cols: n, Data: d.Scratch(s.k * n)}
	left := d.Scratch(n) // of Kq
	for j, x := range q {
		left[j] = float64(s.k) * x
		for left[j] >= 1-rounding && k < s.k {
			r.Row(k)[j] = 1
			left[j], k = left[j]-1, k+1
		}
		if left[j] < rounding {
			left[j] = 0
		}
	}
	parts, from := s.clusters(d, left)
	small := max(0, len(from)-1-(s.k-k)) // clusters that begin no distribution
	for c := small; c < len(from)-1; c++ {
		for _, j := range parts[from[c]:from[c+1]] {
			r.Row(k + c - small)[j] = left[j]
		}
	}
	fill(r, left, k, parts[:from[small]])
	return r
}

// clusters cuts the tree of the available clients into the largest clusters of a share of no more
// than 1, in draws. It returns the clients with a share by rising share of their cluster, and where
// clusters begin among them, with the end of the last.
func (s *clusteredSimilarity) clusters(d *fl.SelectionInput, share fl.Vector) (parts, from []int) {
	n, tree := len(share), s.tree(d)
	weight, of := d.Scratch(n+len(tree)), d.Room(n + len(tree))[:n+len(tree)]
	copy(weight, share)
	for k, m := range tree {
		weight[n+k] = weight[m.A] + weight[m.B]
	}
	for at := range of {
		of[at] = -1 // its cluster, when it is in one
	}
	for at := len(of) - 1; at >= 0; at-- {
		if of[at] < 0 && (at < n || weight[at] <= 1+rounding) {
			of[at] = at
		}
		if at >= n {
			of[tree[at-n].A], of[tree[at-n].B] = of[at], of[at]
		}
	}
	parts, first := d.Room(n), d.Room(len(of))[:len(of)]
	clear(weight)
	for j := n - 1; j >= 0; j-- {
		weight[of[j]] += share[j]
		first[of[j]] = j
	}
	for j, x := range share {
		if x > 0 {
			parts = append(parts, j)
		}
	}
	slices.SortFunc(parts, func(a, b int) int {
		return cmp.Or(cmp.Compare(weight[of[a]], weight[of[b]]),
			cmp.Compare(first[of[a]], first[of[b]]), a-b)
	})
	from = d.Room(len(parts) + 1)
	for c, j := range parts {
		if c == 0 || of[j] != of[parts[c-1]] {
			from = append(from, c)
		}
	}
	return parts, append(from, len(parts))
}

// rounding is how far sums of shares may be from what they are.
const rounding = 1e-12

// fill fills what is left of the distributions from the k-th on with what is left of some clients,
// one after another. The last distribution takes all that remains: rounding.
func fill(r fl.Matrix, left fl.Vector, k int, clients []int) {
	for _, j := range clients {
		for left[j] > 0 {
			room := 1 - r.Row(k).Sum()
			if k < r.Rows-1 && room < rounding {
				k++
				continue
			}
			put := left[j]
			if k < r.Rows-1 {
				put = min(put, room)
			}
			r.Row(k)[j] += put
			if left[j] -= put; left[j] < rounding {
				left[j] = 0
			}
		}
	}
}

// tree returns what Ward's method joins of the available clients.
func (s *clusteredSimilarity) tree(d *fl.SelectionInput) []stats.Merge {
	rho, n := angles.renew(d), len(d.Available)
	m := fl.Matrix{Rows: n, Cols: n, Data: d.Scratch(n * n)}
	for a, i := range d.Available {
		for b, j := range d.Available[:a] {
			x := rho.Row(i)[j]
			if s.rows {
				x = rho.Row(i).Distance(rho.Row(j))
			}
			m.Row(a)[b], m.Row(b)[a] = x, x
		}
	}
	return s.ward.Cluster(m)
}

// Law says false: it depends on the model.
func (s *clusteredSimilarity) Law(*fl.Roster, []int) (fl.Law, bool) { return fl.Law{}, false }
