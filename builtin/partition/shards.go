// Shards — rows sorted by class, cut into shards, a few shards for every client.
//
//	H. B. McMahan, E. Moore, D. Ramage, S. Hampson, B. Agüera y Arcas.
//	Communication-Efficient Learning of Deep Networks from Decentralized Data.
//	AISTATS 2017, Section 3: 200 shards of 300 digits, 2 for each of 100 clients.
//
// Departures: none. Where the number of shards does not divide the rows, their sizes
// differ by one. Rows of one class keep their order, as in a stable sort.

package partition

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Shards describes the partition to the registry.
var Shards = fl.PartitionerEntry{
	Name:     "shards",
	Summary:  "sorts rows by class, cuts them into shards, assigns these at random",
	Paper:    "mcmahan2017",
	OneLabel: true,
	New:      newShards,
	Traits:   fl.PartitionTraits{Packed: true},
	Fits:     classified,
}

type shards struct{ perClient int }

var _ fl.Partitioner = (*shards)(nil)

func newShards(p *fl.Params) (fl.Partitioner, error) {
	return &shards{
		perClient: p.Int("per_client", 2, fl.AtLeast(1), "shards that every client gets"),
	}, nil
}

// Split assigns shards to clients in random order.
func (s *shards) Split(d *fl.Dataset, n int, rng *rand.Rand) ([][]int, error) {
	classes, err := rowsByClass(d, n)
	if err != nil {
		return nil, err
	}
	if s.perClient > d.Len()/n {
		return nil, fmt.Errorf("per_client: %d shards for each of %d clients are more than %d rows",
			s.perClient, n, d.Len())
	}
	to := each(n, s.perClient)
	rng.Shuffle(len(to), func(a, b int) { to[a], to[b] = to[b], to[a] })
	owner := make([]int, d.Len())
	deal(owner, slices.Concat(classes...), to)
	return gather(owner, n), nil
}
