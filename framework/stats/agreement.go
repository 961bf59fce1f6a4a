package stats

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A Tally counts draws of listed cohorts.
type Tally struct {
	counts    tensor.Vector  // how often each was drawn
	at        map[string]int // where a cohort stands in the list
	strangers int            // draws of cohorts that are not in the list
	key       []byte
}

// NewTally returns a tally of the given cohorts, each ascending and none of them twice.
func NewTally(sets [][]int) *Tally {
	t := &Tally{counts: make(tensor.Vector, len(sets)), at: make(map[string]int, len(sets))}
	for j, set := range sets {
		t.at[string(t.keyOf(set))] = j
	}
	return t
}

// Add counts one draw.
func (t *Tally) Add(set []int) {
	if j, ok := t.at[string(t.keyOf(set))]; ok {
		t.counts[j]++
	} else {
		t.strangers++
	}
}

func (t *Tally) keyOf(set []int) []byte {
	t.key = t.key[:0]
	for _, i := range set {
		t.key = binary.AppendUvarint(t.key, uint64(i))
	}
	return t.key
}

// An Agreement is the outcome of Pearson's χ² test.
type Agreement struct {
	Statistic float64
	Degrees   int     // of freedom
	P         float64 // probability of a statistic at least as large under the law
}

// Against tests whether the draws follow the law under which the j-th cohort of the list
// has probability q[j]. From the rarest on, cohorts share a cell until it is expected at
// least 5 times (Cochran, Biometrics 10, 1954). A draw that the law rules out gives P = 0.
func (t *Tally) Against(q tensor.Vector) Agreement {
	const least = 5
	order := make([]int, len(q))
	impossible := t.strangers > 0
	for j := range order {
		order[j] = j
		impossible = impossible || q[j] == 0 && t.counts[j] > 0
	}
	if impossible {
		return Agreement{Statistic: math.Inf(1), Degrees: len(q)}
	}
	slices.SortStableFunc(order, func(j, k int) int { return cmp.Compare(q[j], q[k]) })

	draws := t.counts.Sum()
	var seen, expected []float64
	open := false
	for _, j := range order {
		if !open {
			seen, expected = append(seen, 0), append(expected, 0)
		}
		cell := len(seen) - 1
		seen[cell] += t.counts[j]
		expected[cell] += draws * q[j]
		open = expected[cell] < least
	}
	if last := len(seen) - 1; open && last > 0 {
		seen[last-1] += seen[last]
		expected[last-1] += expected[last]
		seen, expected = seen[:last], expected[:last]
	}
	if len(seen) < 2 {
		return Agreement{P: 1}
	}
	a := Agreement{Statistic: stat.ChiSquare(seen, expected), Degrees: len(seen) - 1}
	a.P = distuv.ChiSquared{K: float64(a.Degrees)}.Survival(a.Statistic)
	return a
}
