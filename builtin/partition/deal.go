package partition

import (
	"errors"
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
)

// classified says why classes cannot be partitioned in a setting.
func classified(s fl.Setting) error {
	if s.Shape.Classes == 0 {
		return errors.New("needs classes; regression data have none")
	}
	return nil
}

// enough says why n clients cannot share the rows of d, each getting at least one.
func enough(d *fl.Dataset, n int) error {
	if n < 1 || n > d.Len() {
		return fmt.Errorf("cannot split %d rows to %d clients: each needs at least one", d.Len(), n)
	}
	return nil
}

// rowsByClass returns the rows of every class, ascending, or why they cannot be partitioned among n
// clients.
func rowsByClass(d *fl.Dataset, n int) ([][]int, error) {
	if err := classified(fl.Setting{Shape: d.Shape}); err != nil {
		return nil, err
	}
	if err := enough(d, n); err != nil {
		return nil, err
	}
	return gather(d.Y, d.Shape.Classes), nil
}

// gather turns the owner of every row, 0 ≤ owner < n, into the rows of every owner,
// ascending. They share one piece of memory.
func gather(owner []int, n int) [][]int {
	end := make([]int, n)
	for _, i := range owner {
		end[i]++
	}
	for i := 1; i < n; i++ {
		end[i] += end[i-1]
	}
	all, rows := make([]int, len(owner)), make([][]int, n)
	for i, start := 0, 0; i < n; i++ {
		rows[i], start = all[start:start:end[i]], end[i]
	}
	for r, i := range owner {
		rows[i] = append(rows[i], r)
	}
	return rows
}

// deal cuts rows into runs, one for each element of to, whose lengths differ by at most
// one, and notes in owner whose they are.
func deal(owner, rows, to []int) {
	for k, i := range to {
		for _, r := range rows[k*len(rows)/len(to) : (k+1)*len(rows)/len(to)] {
			owner[r] = i
		}
	}
}

// each returns the numbers 0 to n−1, every one given times over: 0, 0, 1, 1, … for two.
func each(n, times int) []int {
	all := make([]int, n*times)
	for k := range all {
		all[k] = k / times
	}
	return all
}
