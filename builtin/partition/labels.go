// Labels — every client gets rows of exactly k labels.
//
//	Q. Li, Y. Diao, Q. Chen, B. He. Federated Learning on Non-IID Data Silos: An
//	Experimental Study. ICDE 2022, Section 4.1 (quantity-based label imbalance, #C = k).
//
// Notation: N clients, C labels that occur in the data.
//
// Departures: every label has an owner, also when N < C, so that no row is lost; a label
// is not given to more clients than it has rows.

package partition

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Labels describes the partition to the registry.
var Labels = fl.PartitionerEntry{
	Name:       "labels",
	Summary:    "gives every client rows of exactly k labels",
	Paper:      "li2022",
	Deviations: "every label is used, by no more clients than it has rows, so that no row is lost",
	OneLabel:   true,
	New:        newLabels,
	Traits:     fl.PartitionTraits{Packed: true},
	Fits:       classified,
}

type labels struct{ k int } // labels of every client

var _ fl.Partitioner = (*labels)(nil)

func newLabels(p *fl.Params) (fl.Partitioner, error) {
	l := &labels{k: p.Int("k", 2, fl.AtLeast(1), "labels that every client gets")}
	if s := p.Setting(); s.Known() && s.Shape.Classes > 0 {
		if err := l.possible(s.Clients, s.Shape.Classes); err != nil {
			p.Fail("k", "%v", err)
		}
	}
	return l, nil
}

// Split assigns the shuffled rows of each label evenly to the clients that have it.
func (l *labels) Split(d *fl.Dataset, n int, rng *rand.Rand) ([][]int, error) {
	classes, err := rowsByClass(d, n)
	if err != nil {
		return nil, err
	}
	classes = slices.DeleteFunc(classes, func(rows []int) bool { return len(rows) == 0 })
	holders, err := l.assign(classes, n, rng)
	if err != nil {
		return nil, fmt.Errorf("k: %w", err)
	}
	owner := make([]int, d.Len())
	for c, rows := range classes {
		rng.Shuffle(len(rows), func(a, b int) { rows[a], rows[b] = rows[b], rows[a] })
		deal(owner, rows, holders[c])
	}
	return gather(owner, n), nil
}

// assign returns the clients that have each label, ascending. The first label of client i
// is i mod C, the others are random, as in the authors' code.
func (l *labels) assign(classes [][]int, n int, rng *rand.Rand) ([][]int, error) {
	if err := l.possible(n, len(classes)); err != nil {
		return nil, err
	}
	has, given := make([][]int, n), make([]int, len(classes))
	give := func(i, c int) {
		if len(has[i]) < l.k && given[c] < len(classes[c]) && !slices.Contains(has[i], c) {
			has[i] = append(has[i], c)
			given[c]++
		}
	}
	for j := range max(n, len(classes)) { // beyond N, the labels that have no owner yet
		give(j%n, j%len(classes))
	}
	holders := make([][]int, len(classes))
	for i := range has {
		for _, c := range rng.Perm(len(classes)) {
			give(i, c)
		}
		if len(has[i]) < l.k {
			return nil, fmt.Errorf("too few rows: client %d finds %d labels", i, len(has[i]))
		}
		for _, c := range has[i] {
			holders[c] = append(holders[c], i)
		}
	}
	return holders, nil
}

// possible says why n clients cannot have k of the classes each and use them all.
func (l *labels) possible(n, classes int) error {
	if l.k > classes {
		return fmt.Errorf("%d labels for every client, of only %d classes", l.k, classes)
	}
	if l.k < (classes+n-1)/n {
		return fmt.Errorf("%d × %d labels cannot cover %d classes", n, l.k, classes)
	}
	return nil
}
