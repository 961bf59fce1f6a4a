// LongestAbsent — the K available clients that took part the longest time ago.
//
//	Y. Yan, C. Niu, Y. Ding, Z. Zheng, S. Tang, Q. Li, F. Wu, C. Lyu, Y. Feng, G. Chen. Federated
//	Optimization Under Intermittent Client Availability. INFORMS Journal on Computing, 2024
//	(arXiv:2002.07399), Federated Latest Averaging.
//
// Notation: Tᵢ the round in which client i took part last, −1 before it did. Of the available
// clients the K with the smallest Tᵢ participate, of equal ones the first. Where all are available
// they take turns. With K = N this is all.
//
// Departures: none. Agrees with the authors' code, mikudehuane/FedLaAvg, train/server.py: where
// fewer than K are available all of them participate.

package selection

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// LongestAbsent describes the selection mechanism to the registry.
var LongestAbsent = fl.SelectionEntry{
	Name:    "longest-absent",
	Summary: "the K available that took part the longest time ago",
	Paper:   "yan2024",
	New: func(p *fl.Params) (fl.Selection, error) {
		return &longestAbsent{p.Int("k", 10, fl.AtLeast(1), "K, clients of a round")}, nil
	},
	Example: map[string]any{"k": int64(3)},
	Traits:  fl.SelectionTraits{Rounds: true},
}

// longestAbsent keeps nothing in State.
type longestAbsent struct{ k int }

var _ fl.Selection = (*longestAbsent)(nil)

// Select implements fl.Selection.
func (s *longestAbsent) Select(d *fl.SelectionInput) []int {
	cohort := append(d.Room(len(d.Available)), d.Available...)
	if len(cohort) <= s.k {
		return cohort
	}
	slices.SortStableFunc(cohort, func(a, b int) int { return d.Told(a).Round - d.Told(b).Round })
	cohort = cohort[:s.k]
	slices.Sort(cohort)
	return cohort
}

// Law implements fl.Selection: it depends on the rounds before, but where all participate.
func (s *longestAbsent) Law(_ *fl.Roster, available []int) (fl.Law, bool) {
	return fl.Law{Everyone: true, Exact: true, Memoryless: true}, len(available) <= s.k
}
