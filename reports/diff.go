package reports

import (
	"math"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
)

// A Shift is by how much a metric of a method at one point of the sweep differs between two
// runs. Numbers are those of the seeds that both runs have.
type Shift struct {
	Method string   `json:"method"`
	Point  []string `json:"point"` // labels
	Metric string   `json:"metric"`
	Seeds  int      `json:"seeds"`  // that both runs have a value for
	Before Number   `json:"before"` // mean of the first run
	After  Number   `json:"after"`  // mean of the second
	Delta  Number   `json:"delta"`  // mean of after − before
	Low    Number   `json:"low"`    // 95 % confidence interval of Delta, null for few seeds
	High   Number   `json:"high"`   //
	Lost   int      `json:"lost"`   // seeds with a value in the first run only
	Gained int      `json:"gained"` // seeds with a value in the second run only
}

// A Difference is what differs in the results of two runs.
type Difference struct {
	Shifts []Shift `json:"results"`
	Same   int     `json:"same"` // values of the table that are the same in both, seed by seed
}

// Diff compares the final values of the metrics that either run reports, for the methods and
// points that both have. The final value of both is what that of the first is: the mean over its
// last rounds, those in which both runs were measured where they have as many.
func Diff(before, after Input) (Difference, error) {
	d := Difference{Shifts: []Shift{}}
	for _, in := range []*Input{&before, &after} {
		if err := in.aligned(); err != nil {
			return d, err
		}
	}
	before.Report.Final = max(0, before.Report.Final)
	after.Report.Final = before.Report.Final
	a, b := newPlan(&before), newPlan(&after)
	for key, rounds := range a.common {
		if others, known := b.common[key]; known {
			both := intersection(rounds, others)
			a.common[key], b.common[key] = both, both
		}
	}
	metrics := slices.Clone(a.metrics)
	for _, m := range b.metrics {
		if !slices.Contains(metrics, m) {
			metrics = append(metrics, m)
		}
	}
	theirs := armsOf(after.Cells)
	for _, arm := range armsOf(before.Cells) {
		k := slices.IndexFunc(theirs, arm.same)
		if k < 0 {
			continue
		}
		for _, m := range metrics {
			x, y := a.sample(arm.cells, m), b.sample(theirs[k].cells, m)
			s := shiftOf(&x, &y)
			s.Method, s.Point, s.Metric = arm.method, arm.point, m
			switch {
			case s.Lost+s.Gained > 0 || !sameValues(&x, &y):
				d.Shifts = append(d.Shifts, s)
			case s.Seeds > 0:
				d.Same++
			}
		}
	}
	return d, nil
}

// An armCells is a method at one point of the sweep, with the indices of its cells.
type armCells struct {
	method string
	point  []string
	cells  []int
}

func (a armCells) same(b armCells) bool {
	return a.method == b.method && slices.Equal(a.point, b.point)
}

// armsOf groups cells that differ in their seeds, in their order.
func armsOf(cells []study.Cell) []armCells {
	var arms []armCells
	at := map[string]int{}
	for i := range cells {
		arm := armCells{method: cells[i].Method, point: []string{}}
		for _, c := range cells[i].Point {
			arm.point = append(arm.point, c.Label)
		}
		key := strings.Join(append([]string{arm.method}, arm.point...), "\x00")
		k, known := at[key]
		if !known {
			k, at[key] = len(arms), len(arms)
			arms = append(arms, arm)
		}
		arms[k].cells = append(arms[k].cells, i)
	}
	return arms
}

// shiftOf compares two samples over the seeds that both have.
func shiftOf(a, b *sample) Shift {
	r := pair(b, a)
	s := Shift{Seeds: r.n, Delta: Number(r.mean), Low: Number(r.low), High: Number(r.high),
		Lost: len(a.seeds) - r.n, Gained: len(b.seeds) - r.n}
	s.Before, s.After = Number(a.over(b.seeds)), Number(b.over(a.seeds))
	return s
}

// over returns the mean over those of its seeds that are listed.
func (s *sample) over(seeds []uint64) float64 {
	var values []float64
	for i, seed := range s.seeds {
		if slices.Contains(seeds, seed) {
			values = append(values, s.values[i])
		}
	}
	if len(values) == 0 {
		return math.NaN()
	}
	mean, _ := meanSD(values)
	return mean
}

// sameValues reports whether two samples agree to the bit wherever both have a value.
func sameValues(a, b *sample) bool {
	for i, seed := range a.seeds {
		j := slices.Index(b.seeds, seed)
		if j >= 0 && math.Float64bits(a.values[i]) != math.Float64bits(b.values[j]) {
			return false
		}
	}
	return true
}
