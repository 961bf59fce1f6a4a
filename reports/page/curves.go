package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/table"
)

// mostValues is how many values of curves a page has, about: 2 bytes each. Every curve has at
// least leastPoints all the same, and no more than mostPoints, which is what a screen shows.
const (
	mostValues  = 20_000
	leastPoints = 25
	mostPoints  = 201
)

// curves are the values of all metrics over the rounds.
type curves struct {
	Metrics    []metric `json:"metrics"` // those of the report first
	Conditions []string `json:"conditions"`
	Rounds     [][]int  `json:"rounds"` // what line.Rounds refers to
	Lines      []line   `json:"lines"`

	evaluations, points int // of the longest curve: as measured, and as kept
}

// A metric is one that can be shown.
type metric struct {
	Key    string `json:"key"`
	Label  string `json:"label"`            // with its unit
	Across bool   `json:"across,omitempty"` // it counts up, and can stand for the round

	// Unlike says by condition which methods measure something else than the others.
	Unlike map[int]string `json:"unlike,omitempty"`
}

// A line is a method in one condition.
type line struct {
	Entry     int         `json:"e"`
	Condition int         `json:"c"`
	Rounds    int         `json:"r"`
	Seeds     []uint64    `json:"seeds"`
	T         numbers     `json:"t"`      // Student's t at 97.5 % for 1, 2, … degrees of freedom
	Values    [][]numbers `json:"values"` // by metric and seed; nil where it was not measured
}

// gather collects the curves of an input. Entry returns which entry of the legend a method is.
func gather(in *infer.Input, entry func(study.Cell) int) *curves {
	c := &curves{}
	at := map[string]int{}
	conditions := map[string]int{}
	for i := range in.Cells {
		cell := &in.Cells[i]
		result := in.Results[in.IDs[i]]
		if result == nil || len(result.Rounds) == 0 {
			continue
		}
		series := slices.Concat(result.Series, result.Volatile, in.Volatile[in.IDs[i]])
		c.learn(in.Report.Metrics, series)
		where := labels(cell.Point)
		if _, known := conditions[where]; !known {
			conditions[where] = len(c.Conditions)
			c.Conditions = append(c.Conditions, where)
		}
		rounds := c.known(result.Rounds)
		key := fmt.Sprint(cell.Method, "\x00", where, "\x00", rounds)
		k, known := at[key]
		if !known {
			k, at[key] = len(c.Lines), len(c.Lines)
			c.Lines = append(c.Lines, line{
				Entry: entry(*cell), Condition: conditions[where], Rounds: rounds})
		}
		c.Lines[k].add(c.Metrics, cell.Seed, series)
	}
	c.settle(len(in.Report.Metrics))
	for m := range c.Metrics {
		c.Metrics[m].Unlike = c.unlike(in, c.Metrics[m].Key)
	}
	return c
}

// unlike returns the notes on what is not comparable, by condition; nil for none.
func (c *curves) unlike(in *infer.Input, metric string) map[int]string {
	var notes map[int]string
	for i, note := range table.Incomparable(*in, metric) {
		at := slices.Index(c.Conditions, labels(in.Cells[i].Point))
		if note == "" || at < 0 {
			continue
		}
		if notes == nil {
			notes = map[int]string{}
		}
		notes[at] = note
	}
	return notes
}

// labels names a point of the sweep.
func labels(at []study.Coordinate) string {
	var words []string
	for _, c := range at {
		words = append(words, c.Label)
	}
	return strings.Join(words, ", ")
}

// learn adds the metrics that are new; those of the report have their places before.
func (c *curves) learn(first []string, series []engine.Series) {
	if c.Metrics == nil {
		for _, key := range first {
			c.Metrics = append(c.Metrics, metric{Key: key})
		}
	}
	for _, s := range series {
		k := slices.IndexFunc(c.Metrics, func(m metric) bool { return m.Key == s.Key })
		if k < 0 {
			k = len(c.Metrics)
			c.Metrics = append(c.Metrics, metric{Key: s.Key})
		}
		m := &c.Metrics[k]
		if m.Label = s.Key; s.Unit != "" {
			m.Label += " (" + s.Unit + ")"
		}
		m.Across = fl.Cumulative(s.Unit)
	}
}

// known returns the index of a list of rounds.
func (c *curves) known(rounds []int) int {
	k := slices.IndexFunc(c.Rounds, func(r []int) bool { return slices.Equal(r, rounds) })
	if k < 0 {
		k = len(c.Rounds)
		c.Rounds = append(c.Rounds, rounds)
	}
	return k
}

// add adds what was measured with a seed.
func (l *line) add(metrics []metric, seed uint64, series []engine.Series) {
	l.Seeds = append(l.Seeds, seed)
	for len(l.Values) < len(metrics) {
		l.Values = append(l.Values, nil)
	}
	for m := range metrics {
		k := slices.IndexFunc(series, func(s engine.Series) bool { return s.Key == metrics[m].Key })
		if k >= 0 && len(series[k].Values) > 0 {
			l.Values[m] = append(l.Values[m], numbers(series[k].Values))
		}
	}
}

// settle thins the curves, and leaves out metrics that were not measured.
func (c *curves) settle(reported int) {
	series := 0
	for i := range c.Lines {
		l := &c.Lines[i]
		for _, runs := range l.Values {
			series += len(runs)
		}
		for n := range len(l.Seeds) - 1 {
			t := distuv.StudentsT{Sigma: 1, Nu: float64(n + 1)}.Quantile(0.975)
			l.T = append(l.T, t)
		}
	}
	most := min(max(mostValues/max(1, series), leastPoints), mostPoints)
	kept := make([][]int, len(c.Rounds))
	for k, rounds := range c.Rounds {
		if c.evaluations < len(rounds) {
			c.evaluations, c.points = len(rounds), min(len(rounds), most)
		}
		kept[k] = places(len(rounds), most)
		c.Rounds[k] = pick(rounds, kept[k])
	}
	for i := range c.Lines {
		l := &c.Lines[i]
		for _, runs := range l.Values {
			for s := range runs {
				runs[s] = pick(runs[s], kept[l.Rounds])
			}
		}
	}
	for m := len(c.Metrics) - 1; m >= 0; m-- {
		if c.Metrics[m].Label != "" {
			continue
		}
		c.Metrics = slices.Delete(c.Metrics, m, m+1)
		for i := range c.Lines {
			if l := &c.Lines[i]; m < len(l.Values) {
				l.Values = slices.Delete(l.Values, m, m+1)
			}
		}
	}
}

// places returns at most so many of n places, evenly spread, with the first and the last.
func places(n, most int) []int {
	var list []int
	if n <= most {
		for i := range n {
			list = append(list, i)
		}
		return list
	}
	for i := range most {
		list = append(list, int(math.Round(float64(i)*float64(n-1)/float64(most-1))))
	}
	return list
}

// pick returns what a list has at some places, as far as it goes.
func pick[T any](list []T, places []int) []T {
	var picked []T
	for _, i := range places {
		if i < len(list) {
			picked = append(picked, list[i])
		}
	}
	return picked
}

// thinned says what was left out of curves; "" for nothing.
func (c *curves) thinned() string {
	if c.points >= c.evaluations {
		return ""
	}
	return fmt.Sprintf("%d of %d evaluations are drawn, evenly spread and not smoothed; tables "+
		"are made of all", c.points, c.evaluations)
}
