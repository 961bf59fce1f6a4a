// IID — every client gets a random sample of all rows.
//
//	H. B. McMahan, E. Moore, D. Ramage, S. Hampson, B. Agüera y Arcas.
//	Communication-Efficient Learning of Deep Networks from Decentralized Data.
//	AISTATS 2017, Section 3.
//
// Departures: none. Where N does not divide the rows, sizes differ by one.

package partition

import (
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
)

// IID describes the partition to the registry.
var IID = fl.PartitionerEntry{
	Name:    "iid",
	Summary: "shuffles the rows and cuts them into equal parts",
	Paper:   "mcmahan2017",
	New:     func(*fl.Params) (fl.Partitioner, error) { return iid{}, nil },
	Traits:  fl.PartitionTraits{Packed: true},
}

type iid struct{}

var _ fl.Partitioner = iid{}

// Split assigns the shuffled rows in order.
func (iid) Split(d *fl.Dataset, n int, rng *rand.Rand) ([][]int, error) {
	if err := enough(d, n); err != nil {
		return nil, err
	}
	owner := make([]int, d.Len())
	deal(owner, rng.Perm(d.Len()), each(n, 1))
	return gather(owner, n), nil
}
