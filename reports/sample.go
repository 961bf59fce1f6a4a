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

	differs []string // in what it measures something else than its column
	apart   bool     // and is therefore compared with nothing
}

// comparable reports whether a sample is complete and measures what its column measures.
func (s *sample) comparable() bool { return s.complete() && !s.apart }

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
	return p.collect(cells, func(i int) (float64, bool) { return p.final(i, metric) })
}

// collect collects what read returns of the cells with the given indices. Cells that share a
// seed are averaged within it first: the seed is the unit of replication.
func (p *plan) collect(cells []int, read func(i int) (float64, bool)) sample {
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
			if v, ok := read(i); ok {
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

// final returns the final value of a metric in a cell, or false when the cell has no result,
// or its result has no such metric or nothing to tell of it: the mean over its window.
func (p *plan) final(i int, metric string) (float64, bool) {
	s := p.series(p.in.IDs[i], metric)
	if s == nil || len(s.Values) == 0 {
		return 0, false
	}
	last := s.Values[len(s.Values)-1]
	if s.Describes && math.IsNaN(last) {
		return 0, false
	}
	at := positions(p.in.Results[p.in.IDs[i]].Rounds, p.window(i), len(s.Values))
	if cumulative(s.Unit) || len(at) == 0 {
		return last, true
	}
	values := make([]float64, len(at))
	for k, t := range at {
		values[k] = s.Values[t]
	}
	return stat.Mean(values, nil), true
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
