// MD — the server draws K clients with replacement, by their shares (multinomial sampling).
//
//	X. Li, K. Huang, W. Yang, S. Wang, Z. Zhang. On the Convergence of FedAvg on Non-IID
//	Data. ICLR 2020, Scheme I.
//
// Notation: qᵢ the share of client i, K draws, mᵢ how often it is drawn: m is multinomial,
// E mᵢ = Kqᵢ and πᵢ = 1 − (1 − qᵢ)ᴷ. The aggregate is the mean of K draws, Σ mᵢ/K·θᵢ, which is
// unbiased for Σ qᵢθᵢ: weights = "uniform" of fedavg. A client that is drawn several times trains
// and uploads once.
//
// Departures: draws are among the available clients, whose shares are scaled to sum to 1.

package selection

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// MD describes the selection mechanism to the registry.
var MD = fl.SelectionEntry{
	Name:       "md",
	Summary:    "K draws with replacement, a client counted as often as it is drawn",
	Paper:      "li2020",
	Deviations: "draws are among the available clients",
	New:        newMD,
	Example:    map[string]any{"k": int64(3)},
	Traits:     fl.SelectionTraits{Repeats: true, Expected: true},
}

// mostRepeats bounds the multisets of a law that is listed.
const mostRepeats = 20_000

type md struct {
	shareOf
	k int // K, ≥ 1
}

var _ fl.Selection = (*md)(nil)

func newMD(p *fl.Params) (fl.Selection, error) {
	return &md{
		k: p.Int("k", 10, fl.AtLeast(1), "K, draws of a round"),
		shareOf: newShareOf(p, "what the shares of clients are proportional to: their samples, as "+
			"published, or their importance p"),
	}, nil
}

// Select implements fl.Selection. Where all shares are 0 it selects no client.
func (s *md) Select(d *fl.SelectionInput) []int {
	q := d.Scratch(len(d.Available))
	s.fill(q, d.Roster, d.Available)
	cohort, times, expected := drawRepeated(d, q, s.k)
	d.Times, d.Expected = times, expected
	return cohort
}

// drawRepeated draws so many of the available clients with replacement, by their shares q: which
// are drawn, ascending, how often, and how often each is to be expected.
func drawRepeated(d *fl.SelectionInput, q fl.Vector, draws int) (
	cohort, times []int, expected fl.Vector,
) {
	tree := d.Scratch(2 * len(q))
	stats.SumTree(tree, q)
	drawn := stats.DrawRepeated(d.Room(draws), tree, draws, d.RNG)
	cohort, times = d.Room(draws), d.Room(draws)
	expected = d.Scratch(len(drawn))[:0]
	for k, j := range drawn {
		if k > 0 && j == drawn[k-1] {
			times[len(times)-1]++
			continue
		}
		cohort, times = append(cohort, d.Available[j]), append(times, 1)
		expected = append(expected, float64(draws)*q[j])
	}
	return cohort, times, expected
}

// Law implements fl.Selection.
func (s *md) Law(pop *fl.Roster, available []int) (fl.Law, bool) {
	q := make(fl.Vector, len(available))
	s.fill(q, pop, available)
	law := fl.Law{Exact: true, Memoryless: true, Inclusion: make(fl.Vector, pop.N),
		Expected: make(fl.Vector, pop.N)}
	if q.Sum() == 0 {
		law.Empty = 1
		return law, true
	}
	var likely []int // those that can be drawn
	for j, i := range available {
		law.Inclusion[i] = -math.Expm1(float64(s.k) * math.Log1p(-q[j]))
		law.Expected[i] = float64(s.k) * q[j]
		if q[j] > 0 {
			likely = append(likely, j)
		}
	}
	if binomial(len(likely)+s.k-1, s.k) <= mostRepeats {
		s.list(&law, q, available, likely)
	}
	return law, true
}

// list lists the multisets of K draws, by the cohorts that they are made of.
func (s *md) list(law *fl.Law, q fl.Vector, available, likely []int) {
	at := map[string]int{} // where a cohort stands
	times := make([]int, len(likely))
	var visit func(next, left int, chance float64)
	visit = func(next, left int, chance float64) {
		j := likely[next]
		if next == len(likely)-1 {
			times[next] = left
			addRepeat(law, at, times, chance*math.Pow(q[j], float64(left)), func(k int) int {
				return available[likely[k]]
			})
			return
		}
		for m := 0; m <= left; m++ {
			times[next] = m
			visit(next+1, left-m, chance*binomial(left, m)*math.Pow(q[j], float64(m)))
		}
	}
	visit(0, s.k, 1)
	for j := range law.Repeats {
		for k := range law.Repeats[j] {
			law.Repeats[j][k].Q /= law.Q[j]
		}
	}
	law.Q.Scale(1 / law.Q.Sum())
}

// binomial returns how many subsets of m there are of n; math.Inf(1) where they are too many.
func binomial(n, m int) float64 {
	all := 1.0
	for k := range min(m, n-m) {
		all *= float64(n-k) / float64(k+1)
	}
	return math.Round(all)
}

// addRepeat adds a multiset to a law, with its probability q. Its k-th client is client(k).
func addRepeat(law *fl.Law, at map[string]int, times []int, q float64, client func(k int) int) {
	var cohort, counts []int
	key := make([]byte, len(times))
	for k, m := range times {
		if m > 0 {
			cohort, counts, key[k] = append(cohort, client(k)), append(counts, m), 1
		}
	}
	j, listed := at[string(key)]
	if !listed {
		j = len(law.Sets)
		at[string(key)] = j
		law.Sets, law.Q = append(law.Sets, cohort), append(law.Q, 0)
		law.Repeats = append(law.Repeats, nil)
	}
	law.Q[j] += q
	law.Repeats[j] = append(law.Repeats[j], fl.Repeat{Times: counts, Q: q})
}
