// Package mine partitions samples into parts whose sizes follow a power law.
package mine

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Mine describes the partition. New declares a parameter by reading it: name, default,
// range, meaning.
var Mine = fl.PartitionerEntry{
	Name:    "mine",
	Summary: "shuffles the rows and cuts them into parts whose sizes follow a power law",
	New: func(p *fl.Params) (fl.Partitioner, error) {
		return &mine{p.Float("exponent", 1, fl.Closed(0, 10), "0: equal parts")}, nil
	},
}

type mine struct{ exponent float64 }

// Split returns the rows of each of n clients: every row of d once, and at least one for each.
// Of the other rows client i gets a share ∝ (i + 1)^−exponent. It draws
// from rng and nothing else, so that a run can be repeated.
func (m *mine) Split(d *fl.Dataset, n int, rng *rand.Rand) ([][]int, error) {
	if n > d.Len() {
		return nil, fmt.Errorf("%d rows are too few for %d clients", d.Len(), n)
	}
	upTo, sum := make(fl.Vector, n), 0.0
	for i := range upTo {
		sum += math.Pow(float64(i+1), -m.exponent)
		upTo[i] = sum
	}
	parts, rows, start := make([][]int, n), rng.Perm(d.Len()), 0
	for i := range parts {
		end := i + 1 + int(upTo[i]/sum*float64(len(rows)-n))
		parts[i] = rows[start:end]
		start = end
	}
	return parts, nil
}
