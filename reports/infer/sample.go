package infer

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// A Sample is the final values of one metric for one method at one point of the sweep.
type Sample struct {
	Planned []uint64  // seeds the plan has
	Seeds   []uint64  // seeds with a value, in plan order
	Values  []float64 // final value for each of seeds

	Differs      []string // in what it measures something else than its column
	Incomparable bool     // and is therefore compared with nothing
}

// Comparable reports whether a sample is complete and measures what its column measures.
func (s *Sample) Comparable() bool { return s.Complete() && !s.Incomparable }

// Complete reports whether every planned seed has a finite value.
func (s *Sample) Complete() bool {
	return len(s.Seeds) > 0 && len(s.Seeds) == len(s.Planned) && s.Finite()
}

// Finite reports whether every value is a number that digits can show.
func (s *Sample) Finite() bool { return len(s.NonFinite()) == 0 }

// NonFinite returns the seeds whose value is NaN or infinite.
func (s *Sample) NonFinite() []uint64 {
	var list []uint64
	for i, x := range s.Values {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			list = append(list, s.Seeds[i])
		}
	}
	return list
}

// Mean returns the mean over seeds.
func (s *Sample) Mean() float64 {
	mean, _ := MeanSD(s.Values)
	return mean
}

// SD is the standard deviation over seeds: NaN for fewer than two, and exactly 0 when
// all values are the same up to the rounding of their computation.
func (s *Sample) SD() float64 {
	if len(s.Values) < 2 {
		return math.NaN()
	}
	low, high := slices.Min(s.Values), slices.Max(s.Values)
	if high-low <= Rounding(max(math.Abs(low), math.Abs(high))) {
		return 0
	}
	_, sd := MeanSD(s.Values)
	return sd
}

// Sample collects the final values of a metric over the cells with the given indices.
func (p *Plan) Sample(cells []int, metric string) Sample {
	return p.Collect(cells, func(i int) (float64, bool) { return p.Final(i, metric) })
}

// Collect collects what read returns of the cells with the given indices. Cells that share a
// seed are averaged within it first: the seed is the unit of replication.
func (p *Plan) Collect(cells []int, read func(i int) (float64, bool)) Sample {
	var s Sample
	for _, i := range cells {
		if seed := p.In.Cells[i].Seed; !slices.Contains(s.Planned, seed) {
			s.Planned = append(s.Planned, seed)
		}
	}
	for _, seed := range s.Planned {
		sum, n := 0.0, 0.0
		for _, i := range cells {
			if p.In.Cells[i].Seed != seed {
				continue
			}
			if v, ok := read(i); ok {
				sum, n = sum+v, n+1
			}
		}
		if n > 0 {
			s.Seeds = append(s.Seeds, seed)
			s.Values = append(s.Values, sum/n)
		}
	}
	return s
}

// Final returns the final value of a metric in a cell, or false when the cell has no result,
// or its result has no such metric or nothing to tell of it: the mean over its window.
func (p *Plan) Final(i int, metric string) (float64, bool) {
	s := p.Series(p.In.IDs[i], metric)
	if s == nil || len(s.Values) == 0 {
		return 0, false
	}
	last := s.Values[len(s.Values)-1]
	if s.Describes && math.IsNaN(last) {
		return 0, false
	}
	at := positions(p.In.Results[p.In.IDs[i]].Rounds, p.Window(i), len(s.Values))
	if fl.Cumulative(s.Unit) || len(at) == 0 { // a mean of the last few would be too small
		return last, true
	}
	values := make([]float64, len(at))
	for k, t := range at {
		values[k] = s.Values[t]
	}
	return stat.Mean(values, nil), true
}

// Series returns the series of a metric in the cell with the given identity, or nil.
func (p *Plan) Series(id, metric string) *engine.Series {
	result := p.In.Results[id]
	if result == nil {
		return nil
	}
	for _, list := range [][]engine.Series{result.Series, result.Volatile, p.In.Volatile[id]} {
		for i := range list {
			if list[i].Key == metric {
				return &list[i]
			}
		}
	}
	return nil
}

// AnySeries returns a series of the metric from whichever cell has one, or nil: its unit and
// direction are those of all.
func (p *Plan) AnySeries(metric string) *engine.Series {
	for _, id := range p.In.IDs {
		if s := p.Series(id, metric); s != nil {
			return s
		}
	}
	return nil
}

// costNames are what costs are called for short, and the built-in metrics that measure them.
var costNames = map[string]string{"bytes": "upload", "hours": "virtual-time"}

// CostKey returns the key of the metric that a short name of a cost stands for: bytes are those of
// the upload, and hours those of virtual time. Where some metric has that key itself it is that
// one, and other names stand for themselves. A cost that is not measured is the metric's name.
func (in *Input) CostKey(name string) string {
	metric, short := costNames[name]
	if !short {
		return name
	}
	key := ""
	for i := range in.Cells {
		for _, m := range in.Cells[i].Measures {
			if m.Key == name {
				return name
			}
			if m.Name == metric && key == "" {
				key = m.Key
			}
		}
	}
	return cmp.Or(key, metric)
}

// DirectionOf says which values of a series are better.
func DirectionOf(s *engine.Series) Direction {
	switch {
	case fl.Cumulative(s.Unit) || s.Describes:
		return None
	case s.Higher:
		return Up
	}
	return Down
}

// Spread returns what stands behind ± for n values with standard deviation sd.
func Spread(kind string, sd float64, n int) float64 {
	switch kind {
	case "sem":
		return sd / math.Sqrt(float64(n))
	case "ci":
		if n < 2 {
			return math.NaN()
		}
		return tQuantile(1-Alpha/2, float64(n-1)) * sd / math.Sqrt(float64(n))
	default:
		return sd
	}
}

// MeanOver returns the mean over those of its seeds that are listed.
// Mean returns the mean over seeds.
func (s *Sample) MeanOver(seeds []uint64) float64 {
	var values []float64
	for i, seed := range s.Seeds {
		if slices.Contains(seeds, seed) {
			values = append(values, s.Values[i])
		}
	}
	if len(values) == 0 {
		return math.NaN()
	}
	mean, _ := MeanSD(values)
	return mean
}

// Finite reports whether x is a number that digits can show.
func Finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// A Direction says which values of a metric are better.
type Direction string

// The directions of a metric. Costs such as bytes sent have none: they are not ranked.
const (
	Up   Direction = "up"
	Down Direction = "down"
	None Direction = ""
)
