// Extended Dirichlet — every client has rows of at most k labels, in shares that differ.
//
//	Y. Li, X. Lyu. Convergence Analysis of Sequential Federated Learning on Heterogeneous Data.
//	NeurIPS 2023, the "extended Dirichlet strategy" ExDir(C, α) of its experiments.
//
// Notation: N clients, k labels of a client (their C), C classes that occur in the data. First
// every client is given k labels, and every label about kN/C clients; then the rows of each label
// are cut by a draw from Dir(α·1) over its clients. As α → ∞ it is the partition "labels"; with
// k = C it is "dirichlet" of the kind per-class.
//
// Departures: a client that is left without a row is given one of the largest client that has some
// of one of its labels; so a client may have fewer labels than k, but no other.

package partition

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// ExtendedDirichlet describes the partition to the registry.
var ExtendedDirichlet = fl.PartitionerEntry{
	Name:       "extended-dirichlet",
	Summary:    "gives every client at most k labels, cut by draws from a Dirichlet distribution",
	Paper:      "lyu2023",
	Deviations: "a client without rows is given one of a label of its own",
	OneLabel:   true,
	New:        newExtendedDirichlet,
	Traits:     fl.PartitionTraits{Packed: true},
	Fits:       classified,
}

type extendedDirichlet struct {
	labels labels
	alpha  float64 // α, [1e-6, 1e6]
}

var _ fl.Partitioner = (*extendedDirichlet)(nil)

func newExtendedDirichlet(p *fl.Params) (fl.Partitioner, error) {
	made, err := newLabels(p)
	if err != nil {
		return nil, err
	}
	return &extendedDirichlet{*made.(*labels), p.Float("alpha", 0.5, fl.Closed(1e-6, 1e6),
		"concentration; the smaller, the more skewed")}, nil
}

// Split gives clients labels, and cuts the rows of each label among its clients.
func (e *extendedDirichlet) Split(d *fl.Dataset, n int, rng *rand.Rand) ([][]int, error) {
	classes, err := rowsByClass(d, n)
	if err != nil {
		return nil, err
	}
	classes = slices.DeleteFunc(classes, func(rows []int) bool { return len(rows) == 0 })
	holders, err := e.labels.assign(classes, n, rng)
	if err != nil {
		return nil, fmt.Errorf("k: %w", err)
	}
	table := newCounts(len(classes), n)
	for c, rows := range classes {
		shares, parts := make([]float64, len(holders[c])), make([]int, len(holders[c]))
		for i := range shares {
			shares[i] = e.alpha
		}
		drawLogs(shares, shares, rng)
		proportions(shares, shares)
		divide(parts, len(rows), shares)
		for i, client := range holders[c] {
			table[c][client] = parts[i]
		}
	}
	for i, size := range table.sizes() {
		if size == 0 && !table.give(i, holders) {
			return nil, fmt.Errorf("client %d finds no row: its labels have too few", i)
		}
	}
	return table.deal(classes, d.Len(), rng), nil
}

// give moves a row of a label that client i holds to it, from the largest client that keeps another
// row, and reports whether there was one.
func (c counts) give(i int, holders [][]int) bool {
	sizes := c.sizes()
	from, class := -1, -1
	for k, clients := range holders {
		if !slices.Contains(clients, i) {
			continue
		}
		for _, j := range clients {
			if c[k][j] > 0 && sizes[j] > 1 && (from < 0 || sizes[j] > sizes[from]) {
				from, class = j, k
			}
		}
	}
	if from < 0 {
		return false
	}
	c[class][from]--
	c[class][i]++
	return true
}
