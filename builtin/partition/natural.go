// Natural — every row stays with its natural client.
//
//	H. B. McMahan, E. Moore, D. Ramage, S. Hampson, B. Agüera y Arcas.
//	Communication-Efficient Learning of Deep Networks from Decentralized Data.
//	AISTATS 2017, Section 3: a client per speaking role of Shakespeare's plays.
//
// Departures: none.

package partition

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Natural describes the partition to the registry.
var Natural = fl.PartitionerEntry{
	Name:    "natural",
	Summary: "leaves every row with its natural client",
	Paper:   "mcmahan2017",
	New:     func(*fl.Params) (fl.Partitioner, error) { return natural{}, nil },
	Fits:    owned,
	Traits:  fl.PartitionTraits{Packed: true, Keeps: fl.KeepsOwners},
}

type natural struct{}

var _ fl.Partitioner = natural{}

// Split groups the rows by owner. N must be the number of owners.
func (natural) Split(d *fl.Dataset, n int, _ *rand.Rand) ([][]int, error) {
	if err := owned(fl.Setting{Shape: d.Shape}); err != nil {
		return nil, err
	}
	if err := enough(d, n); err != nil {
		return nil, err
	}
	if owners := slices.Max(d.Owner) + 1; owners != n {
		return nil, fmt.Errorf("the data come with %d clients, the experiment has %d", owners, n)
	}
	rows := gather(d.Owner, n)
	for i := range rows {
		if len(rows[i]) == 0 {
			return nil, fmt.Errorf("no row belongs to client %d", i)
		}
	}
	return rows, nil
}

// owned says why rows cannot be grouped by owner in a setting.
func owned(s fl.Setting) error {
	if !s.Shape.Owned {
		return errors.New("needs rows that come with a client; these do not")
	}
	return nil
}
