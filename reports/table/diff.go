package table

import (
	"math"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// A ResultChange is by how much a metric of a method at one point of the sweep differs between two
// runs. Numbers are those of the seeds that both runs have.
type ResultChange struct {
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

// A ResultDiff is what differs in the results of two runs.
type ResultDiff struct {
	Changes []ResultChange `json:"results"`
	Same    int            `json:"same"` // values that are the same in both, seed by seed
}

// Diff compares the final values of the metrics that either run reports, for the methods and
// points that both have. The final value of both is what that of the first is: the mean over its
// last rounds, those in which both runs were measured where they have as many.
func Diff(before, after infer.Input) (ResultDiff, error) {
	d := ResultDiff{Changes: []ResultChange{}}
	for _, in := range []*infer.Input{&before, &after} {
		if err := in.Validate(); err != nil {
			return d, err
		}
	}
	before.Report.Final = max(0, before.Report.Final)
	after.Report.Final = before.Report.Final
	a, b := infer.NewPlan(&before), infer.NewPlan(&after)
	for key, rounds := range a.CommonRounds {
		if others, known := b.CommonRounds[key]; known {
			both := infer.Intersection(rounds, others)
			a.CommonRounds[key], b.CommonRounds[key] = both, both
		}
	}
	metrics := slices.Clone(a.Metrics)
	for _, m := range b.Metrics {
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
			x, y := a.Sample(arm.cells, m), b.Sample(theirs[k].cells, m)
			s := changeOf(&x, &y)
			s.Method, s.Point, s.Metric = arm.method, arm.point, m
			switch {
			case s.Lost+s.Gained > 0 || !sameValues(&x, &y):
				d.Changes = append(d.Changes, s)
			case s.Seeds > 0:
				d.Same++
			}
		}
	}
	return d, nil
}

// An arm is a method at one point of the sweep, with the indices of its cells.
type arm struct {
	method string
	point  []string
	cells  []int
}

func (a arm) same(b arm) bool {
	return a.method == b.method && slices.Equal(a.point, b.point)
}

// armsOf groups cells that differ in their seeds, in their order.
func armsOf(cells []study.Cell) []arm {
	var arms []arm
	at := map[string]int{}
	for i := range cells {
		arm := arm{method: cells[i].Method, point: []string{}}
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

// changeOf compares two samples over the seeds that both have.
func changeOf(a, b *infer.Sample) ResultChange {
	r := infer.ComparePaired(b, a)
	s := ResultChange{Seeds: r.N, Delta: Number(r.Mean), Low: Number(r.Low), High: Number(r.High),
		Lost: len(a.Seeds) - r.N, Gained: len(b.Seeds) - r.N}
	s.Before, s.After = Number(a.MeanOver(b.Seeds)), Number(b.MeanOver(a.Seeds))
	return s
}

// sameValues reports whether two samples agree to the bit wherever both have a value.
func sameValues(a, b *infer.Sample) bool {
	for i, seed := range a.Seeds {
		j := slices.Index(b.Seeds, seed)
		if j >= 0 && math.Float64bits(a.Values[i]) != math.Float64bits(b.Values[j]) {
			return false
		}
	}
	return true
}
