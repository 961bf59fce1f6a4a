package kinds

import (
	"fmt"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Ladder gives later clients more rows.
var Ladder = fl.PartitionerEntry{
	Name:    "ladder",
	Summary: "sizes grow from client to client",
	New:     func(p *fl.Params) (fl.Partitioner, error) { return &ladder{}, nil },
}

type ladder struct{}

// Split cuts shuffled rows into parts proportional to i + 1, each of at least one.
func (*ladder) Split(d *fl.Dataset, n int, rng *rand.Rand) ([][]int, error) {
	if d.Len() < n {
		return nil, fmt.Errorf("%d rows for %d clients", d.Len(), n)
	}
	rows := rng.Perm(d.Len())
	parts := make([][]int, n)
	total := float64(n*(n+1)) / 2
	at := 0
	for i := range parts {
		size := max(1, int(float64(len(rows)-n)*float64(i+1)/total))
		end := min(len(rows)-(n-1-i), at+size)
		if i == n-1 {
			end = len(rows)
		}
		parts[i] = rows[at:end]
		at = end
	}
	return parts, nil
}
