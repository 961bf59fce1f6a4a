package reportstest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// Gone stands for a seed without a result.
var Gone = math.Float64frombits(0x7ff8_dead_0000_0001)

// An Example is an Input that grows arm by arm.
type Example struct {
	infer.Input
	Name    string
	metrics []engine.Series // keys, units and directions
}

// NewExample begins an example that measures some metrics.
func NewExample(name, title string, metrics ...engine.Series) *Example {
	x := &Example{Name: name, metrics: metrics}
	x.Input = infer.Input{Title: title, Results: map[string]*engine.Result{},
		Failures: map[string]string{}, Volatile: map[string][]engine.Series{},
		Costs:  map[string]*engine.Cost{},
		Report: study.Report{Final: 20}, Command: "hansa table example", Hash: "sha256:41c0d9"}
	for _, m := range metrics {
		x.Report.Metrics = append(x.Report.Metrics, m.Key)
	}
	return x
}

// At makes a point from axis, label, axis, label, …
func At(names ...string) []study.Coordinate {
	var p []study.Coordinate
	for i := 0; i < len(names); i += 2 {
		p = append(p, study.Coordinate{Axis: names[i], Label: names[i+1]})
	}
	return p
}

// IDOf is the identity of a cell.
func IDOf(label string, point []study.Coordinate, seed int) string {
	return fmt.Sprint(label, point, seed)
}

// Add adds one method at one point: finals[m][s] is the final value of metric m with seed
// s. Every run is measured before training and in rounds 10 and 20.
func (x *Example) Add(cell study.Cell, finals ...[]float64) {
	for seed := range finals[0] {
		c := cell
		c.Seed = uint64(seed)
		id := IDOf(c.Method, c.Point, seed)
		if slices.Contains(x.IDs, id) {
			id += " again"
		}
		x.Cells, x.IDs = append(x.Cells, c), append(x.IDs, id)
		if math.Float64bits(finals[0][seed]) == math.Float64bits(Gone) {
			continue
		}
		r := &engine.Result{ID: id, Seed: c.Seed, Rounds: []int{0, 10, 20}}
		r.Law.Exact = true
		for m, s := range x.metrics {
			v := finals[m][seed]
			s.Values = engine.Floats{1e9, v, v}
			if fl.Cumulative(s.Unit) {
				s.Values = engine.Floats{0, v / 2, v}
			}
			r.Series = append(r.Series, s)
		}
		x.Results[id] = r
	}
}

// Around returns n values with mean about m and standard deviation about sd, of which a
// part rho is common to all calls with the same n.
func Around(name uint64, n int, m, sd, rho float64) []float64 {
	common, own := rand.New(rand.NewPCG(7, 7)), rand.New(rand.NewPCG(1, name))
	v := make([]float64, n)
	for i := range v {
		v[i] = m + sd*(math.Sqrt(rho)*common.NormFloat64()+math.Sqrt(1-rho)*own.NormFloat64())
	}
	return v
}

// All returns n times the same value.
func All(n int, v float64) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = v
	}
	return list
}

var (
	Loss     = engine.Series{Key: "loss"}
	Floor    = engine.Series{Key: "suboptimality"}
	Accuracy = engine.Series{Key: "accuracy", Unit: "%", Higher: true}
	Upload   = engine.Series{Key: "upload", Unit: fl.Bytes}
	seconds  = engine.Series{Key: "time", Unit: "s"}
)

// Shifted returns the sums of two lists.
func Shifted(v []float64, by ...float64) []float64 {
	list := make([]float64, len(v))
	for i := range v {
		list[i] = v[i] + by[i%len(by)]
	}
	return list
}

// scaled returns multiples of a list.
func scaled(v []float64, by float64) []float64 {
	list := make([]float64, len(v))
	for i := range v {
		list[i] = v[i] * by
	}
	return list
}
