package reports

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/hansa-fl/hansa/framework/engine"
)

// A sample is the final values of one metric for one method at one point of the sweep.
type sample struct {
	planned []uint64  // seeds the plan has
	seeds   []uint64  // seeds with a value, in plan order
	values  []float64 // final value for each of seeds
}

// complete reports whether every planned seed has a finite value.
func (s *sample) complete() bool {
	return len(s.seeds) > 0 && len(s.seeds) == len(s.planned) && s.finite()
}

func (s *sample) finite() bool { return len(s.broken()) == 0 }

// broken returns the seeds whose value is NaN or infinite.
func (s *sample) broken() []uint64 {
	var list []uint64
	for i, x := range s.values {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			list = append(list, s.seeds[i])
		}
	}
	return list
}

func (s *sample) mean() float64 {
	mean, _ := meanSD(s.values)
	return mean
}

// sd is the standard deviation over seeds: NaN for fewer than two, and exactly 0 when
// all values are the same up to the rounding of their computation.
func (s *sample) sd() float64 {
	if len(s.values) < 2 {
		return math.NaN()
	}
	low, high := slices.Min(s.values), slices.Max(s.values)
	if high-low <= rounding(max(math.Abs(low), math.Abs(high))) {
		return 0
	}
	_, sd := meanSD(s.values)
	return sd
}

// sample collects the final values of a metric over the cells with the given indices.
func (p *plan) sample(cells []int, metric string) sample {
	return p.collect(cells, func(id string) (float64, bool) { return p.final(id, metric) })
}

// collect collects what read returns of the cells with the given indices, by their
// identities. Cells that share a seed are averaged within it first: the seed is the unit of
// replication.
func (p *plan) collect(cells []int, read func(id string) (float64, bool)) sample {
	var s sample
	for _, i := range cells {
		if seed := p.in.Cells[i].Seed; !slices.Contains(s.planned, seed) {
			s.planned = append(s.planned, seed)
		}
	}
	for _, seed := range s.planned {
		sum, n := 0.0, 0.0
		for _, i := range cells {
			if p.in.Cells[i].Seed != seed {
				continue
			}
			if v, ok := read(p.in.IDs[i]); ok {
				sum, n = sum+v, n+1
			}
		}
		if n > 0 {
			s.seeds = append(s.seeds, seed)
			s.values = append(s.values, sum/n)
		}
	}
	return s
}

// final returns the final value of a metric in the cell with the given identity, or
// false when the cell has no result, or its result has no such metric or nothing to tell of it.
func (p *plan) final(id, metric string) (float64, bool) {
	result := p.in.Results[id]
	s := p.series(id, metric)
	if s == nil || len(s.Values) == 0 {
		return 0, false
	}
	from, to := p.tail(result, len(s.Values))
	if s.Describes && math.IsNaN(s.Values[to-1]) {
		return 0, false
	}
	if cumulative(s.Unit) {
		return s.Values[to-1], true
	}
	return stat.Mean(s.Values[from:to], nil), true
}

// tail returns the range of evaluations whose mean is the final value: the last
// Report.Final of them, without the one before training where there are others.
func (p *plan) tail(result *engine.Result, n int) (from, to int) {
	from = max(0, n-p.in.Report.Final)
	if from == 0 && n > 1 && len(result.Rounds) > 0 && result.Rounds[0] == 0 {
		from = 1
	}
	return from, n
}

// cumulative reports whether a metric with the given unit counts up over the rounds: floats
// sent, seconds gone. Its final value is the last one, a mean of the last few would
// be too small. Such a cost is shown and not ranked.
func cumulative(unit string) bool { return unit == "floats" || unit == "s" }

// series returns the series of a metric in the cell with the given identity, or nil.
func (p *plan) series(id, metric string) *engine.Series {
	result := p.in.Results[id]
	if result == nil {
		return nil
	}
	for _, list := range [][]engine.Series{result.Series, result.Volatile, p.in.Volatile[id]} {
		for i := range list {
			if list[i].Key == metric {
				return &list[i]
			}
		}
	}
	return nil
}

// some returns a series of the metric from whichever cell has one, or nil: its unit and
// direction are those of all.
func (p *plan) some(metric string) *engine.Series {
	for _, id := range p.in.IDs {
		if s := p.series(id, metric); s != nil {
			return s
		}
	}
	return nil
}
