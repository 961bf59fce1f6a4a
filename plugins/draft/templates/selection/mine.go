// Package mine selects clients with probabilities that grow with their samples.
package mine

import (
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// Mine describes the selection mechanism. New declares a parameter by reading it: name,
// default, range, meaning.
var Mine = fl.SelectionEntry{
	Name:    "mine",
	Summary: "k available clients, with probabilities proportional to their samples",
	New: func(p *fl.Params) (fl.Selection, error) {
		return &mine{p.Int("k", 5, fl.AtLeast(1), "cohort size")}, nil
	},
}

type mine struct{ k int }

// Select draws clients one after another, with probabilities proportional to their samples. It
// returns some of d.Available, ascending, and draws from d.RNG and nothing else, so that a
// run can be repeated. What lasts from one round to the next belongs in d.State.
func (m *mine) Select(d *fl.SelectionInput) []int {
	n := len(d.Available)
	if n <= m.k {
		return d.Available
	}
	samples, tree := make(fl.Vector, n), make(fl.Vector, 2*n)
	for j, i := range d.Available {
		samples[j] = float64(d.Roster.Samples[i])
	}
	stats.SumTree(tree, samples)
	cohort := stats.DrawSuccessive(d.Room(m.k), tree, m.k, d.RNG)
	for k, j := range cohort {
		cohort[k] = d.Available[j]
	}
	return cohort
}

// Law says false: the cohort distribution has no simple formula. What methods need of it is
// estimated from simulated rounds.
func (m *mine) Law(pop *fl.Roster, available []int) (fl.Law, bool) { return fl.Law{}, false }
