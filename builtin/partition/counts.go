package partition

import (
	"math/rand/v2"
	"slices"
	"sort"
)

// counts says how many rows of class k client i gets: counts[k][i].
type counts [][]int

func newCounts(classes, n int) counts {
	c := make(counts, classes)
	for k := range c {
		c[k] = make([]int, n)
	}
	return c
}

// sizes returns the number of rows of every client.
func (c counts) sizes() []int {
	sizes := make([]int, len(c[0]))
	for _, class := range c {
		for i, m := range class {
			sizes[i] += m
		}
	}
	return sizes
}

// deal assigns the shuffled rows of every class, c of them to each client. It returns the rows of
// every client.
func (c counts) deal(classes [][]int, total int, rng *rand.Rand) [][]int {
	owner := make([]int, total)
	for k, rows := range classes {
		rng.Shuffle(len(rows), func(a, b int) { rows[a], rows[b] = rows[b], rows[a] })
		for i, m := range c[k] {
			for _, r := range rows[:m] {
				owner[r] = i
			}
			rows = rows[m:]
		}
	}
	return gather(owner, len(c[0]))
}

// repair brings every client to at least floor rows, of which there must be enough. What
// is missing is taken from the largest clients, so that they become as large as each
// other but for a row, and there from the class of which a client has most. Nothing is
// random.
func (c counts) repair(floor int) {
	sizes := c.sizes()
	missing := 0
	for _, m := range sizes {
		missing += max(0, floor-m)
	}
	// The lowest level that does not yield enough: the next one below does.
	level := sort.Search(slices.Max(sizes), func(level int) bool {
		above := 0
		for _, m := range sizes {
			above += max(0, m-level)
		}
		return above < missing
	})
	from := 0
	for to := range sizes {
		for ; sizes[to] < floor; sizes[to]++ {
			for sizes[from] <= level {
				if from++; from == len(sizes) {
					from, level = 0, level-1
				}
			}
			class := c.largest(from)
			class[from]--
			class[to]++
			sizes[from]--
		}
	}
}

// largest returns the counts of the class of which client i has most, the first of several.
func (c counts) largest(i int) []int {
	most := c[0]
	for _, class := range c {
		if class[i] > most[i] {
			most = class
		}
	}
	return most
}
