package launch

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// A Packing says how cells become tasks.
type Packing struct {
	Most int           // tasks: Limits.Tasks; 0: 1
	CPUs int           // cells that a task runs at once; 0: 1
	Want time.Duration // that a task is expected to take; 0: half an hour
}

// Pack assigns cells to tasks: every cell to exactly one, and cells of a group to the same one.
// Weights are the seconds that each cell is expected to take; where one is unknown, 0 or NaN,
// tasks are as many as they may be. Groups are disjoint lists of cells; a cell of none is one by
// itself. The longest is assigned first, round and round, so that no task has more to do than
// another one by over the longest group. What a task has is in the order of assignment.
func Pack(weights []float64, groups [][]int, p Packing) [][]int {
	batches := batches(weights, groups)
	n := p.tasks(weights, len(batches))
	tasks := make([][]int, n)
	for i, b := range batches {
		tasks[i%n] = append(tasks[i%n], b.cells...)
	}
	return tasks
}

// A batch is cells that go to one task.
type batch struct {
	cells  []int
	weight float64
}

// batches returns what is assigned, the longest first and else in the order of cells.
func batches(weights []float64, groups [][]int) []batch {
	grouped := make([]bool, len(weights))
	var all []batch
	for _, cells := range groups {
		if len(cells) == 0 {
			continue
		}
		b := batch{cells: cells}
		for _, c := range cells {
			grouped[c] = true
			b.weight += known(weights[c])
		}
		all = append(all, b)
	}
	for c, w := range weights {
		if !grouped[c] {
			all = append(all, batch{[]int{c}, known(w)})
		}
	}
	slices.SortStableFunc(all, func(a, b batch) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.cells[0], b.cells[0]))
	})
	return all
}

// known returns a weight, or 0 where it is none.
func known(w float64) float64 {
	if w > 0 && !math.IsInf(w, 1) {
		return w
	}
	return 0
}

// tasks returns the number of tasks, at least 1 where there is something to do.
func (p Packing) tasks(weights []float64, batches int) int {
	cpus := float64(max(p.CPUs, 1))
	total, all := 0.0, true
	for _, w := range weights {
		total += known(w)
		all = all && known(w) > 0
	}
	n := math.Ceil(float64(len(weights)) / cpus)
	if all {
		n = min(n, math.Ceil(total/cpus/cmp.Or(p.Want, 30*time.Minute).Seconds()))
	}
	return min(int(min(n, math.MaxInt32)), batches, max(p.Most, 1))
}
