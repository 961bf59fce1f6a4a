package contract

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// dealing is a partitioner of one function.
func dealing(breaks, found string, f dealer) citizen[fl.Partitioner] {
	return made(breaks, found, func() fl.Partitioner { return f })
}

// ruining deals in turn and then does something else to six parts.
func ruining(breaks, found string, do func(parts [][]int)) citizen[fl.Partitioner] {
	return dealing(breaks, found, func(d *fl.Dataset, n int, _ *rand.Rand) ([][]int, error) {
		parts, err := inTurn(upTo(d.Len()), n)
		if n == clients {
			do(parts)
		}
		return parts, err
	})
}

// keeping says that it keeps something together, and deals blocks of rows.
func keeping(k fl.Keeping, found string) citizen[fl.Partitioner] {
	c := dealing("keeps", found, func(d *fl.Dataset, n int, _ *rand.Rand) ([][]int, error) {
		parts, err := inTurn(upTo(d.Len()), n)
		lo := 0
		for _, part := range parts {
			copy(part, upTo(d.Len())[lo:])
			lo += len(part)
		}
		return parts, err
	})
	c.entry.Traits = fl.PartitionTraits{Keeps: k}
	return c
}

func TestBadPartitioners(t *testing.T) {
	calls := 0
	catches(t, partitions(), partitions().checks, []citizen[fl.Partitioner]{
		dealing("deals", "error: not today", func(*fl.Dataset, int, *rand.Rand) ([][]int, error) {
			return nil, errors.New("not today")
		}),
		dealing("deals", "5 parts for 6 clients", func(d *fl.Dataset, n int, _ *rand.Rand) ([][]int, error) {
			if n != clients {
				return inTurn(upTo(d.Len()), n)
			}
			return inTurn(upTo(d.Len()), n-1)
		}),

		ruining("disjoint", "client 1 gets row 0, which is assigned already", func(parts [][]int) {
			parts[1] = append(parts[1], 0)
		}),
		ruining("disjoint", "client 1 gets row 120 of 120", func(parts [][]int) {
			parts[1] = append(parts[1], 120)
		}),
		ruining("disjoint", "client 0 gets row -1", func(parts [][]int) {
			parts[0] = append(parts[0], -1)
		}),
		ruining("covering", "no client gets row 5", func(parts [][]int) { parts[5] = parts[5][1:] }),
		ruining("non-empty", "client 3 gets nothing", func(parts [][]int) {
			parts[4], parts[3] = append(parts[4], parts[3]...), nil
		}),

		keeping(fl.KeepsOwners, "client 0 gets row 10 of client 1"),
		keeping(fl.KeepsDomains, "client 0 gets rows of domains 0 and 1"),

		dealing("repeatable", "two deals differ", func(d *fl.Dataset, n int, _ *rand.Rand) ([][]int, error) {
			calls++
			parts, err := inTurn(upTo(d.Len()), n)
			if calls%2 == 0 && n == clients {
				parts[0], parts[1] = parts[1], parts[0]
			}
			return parts, err
		}),
		dealing("seeds", "1 numbers are drawn", func(d *fl.Dataset, n int, rng *rand.Rand) ([][]int, error) {
			rng.Uint64()
			return inTurn(upTo(d.Len()), n)
		}),

		dealing("one-client", "1 parts, of 119 rows in all, where there are 120",
			func(d *fl.Dataset, n int, _ *rand.Rand) ([][]int, error) {
				if n == 1 {
					return [][]int{upTo(d.Len())[1:]}, nil
				}
				return inTurn(upTo(d.Len()), n)
			}),
		dealing("one-client", "panic: ", func(d *fl.Dataset, n int, _ *rand.Rand) ([][]int, error) {
			if n == 1 {
				panic("alone")
			}
			return inTurn(upTo(d.Len()), n)
		}),

		dealing("too-many", "120 rows are assigned to 121 clients, in 121 parts",
			func(d *fl.Dataset, n int, _ *rand.Rand) ([][]int, error) {
				parts, _ := inTurn(upTo(d.Len()), min(n, d.Len()))
				return append(parts, make([][]int, n-len(parts))...), nil
			}),

		dealing("read-only", "the data changed", func(d *fl.Dataset, n int, _ *rand.Rand) ([][]int, error) {
			d.Owner[0]++
			return inTurn(upTo(d.Len()), n)
		}),
	})
}

// TestClassesOnly examines a partitioner that fits one of the toys, and violates a requirement
// for one option of a choice.
func TestClassesOnly(t *testing.T) {
	e := fl.PartitionerEntry{
		Fits: accuracy.Fits,
		New: func(p *fl.Params) (fl.Partitioner, error) {
			lossy := p.Choice("kind", "", "what is dealt", "all", "less") == "less"
			return dealer(func(d *fl.Dataset, n int, _ *rand.Rand) ([][]int, error) {
				parts, err := inTurn(upTo(d.Len()), n)
				if lossy && n == clients {
					parts[0] = parts[0][1:]
				}
				return parts, err
			}), nil
		},
	}
	all := examined(t, partitions(), e)
	if len(all) != 1 || all[0].Found != "kind = less: classification: no client gets row 0" {
		t.Errorf("%v", all)
	}
}
