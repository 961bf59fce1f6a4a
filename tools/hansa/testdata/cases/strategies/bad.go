// Package bad holds aggregators that go wrong in round 2.
package bad

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

type bad struct {
	how  string
	kept [][]float64
}

var (
	Index  = fl.AggregatorEntry{Name: "index", Summary: "bad", New: newIndex}
	Map    = fl.AggregatorEntry{Name: "nil-map", Summary: "bad", New: newMap}
	Divide = fl.AggregatorEntry{Name: "divide", Summary: "bad", New: newDivide}
	Loop   = fl.AggregatorEntry{Name: "loop", Summary: "bad", New: newLoop}
	Deep   = fl.AggregatorEntry{Name: "deep", Summary: "bad", New: newDeep}
	Grow   = fl.AggregatorEntry{Name: "grow", Summary: "bad", New: newGrow}
	Short  = fl.AggregatorEntry{Name: "short", Summary: "bad", New: newShort}
	NaN    = fl.AggregatorEntry{Name: "nan", Summary: "bad", New: newNaN}
	Writes = fl.AggregatorEntry{Name: "writes", Summary: "bad", New: newWrites}
)

func newIndex(p *fl.Params) (fl.Aggregator, error)  { return &bad{how: "index"}, nil }
func newMap(p *fl.Params) (fl.Aggregator, error)    { return &bad{how: "map"}, nil }
func newDivide(p *fl.Params) (fl.Aggregator, error) { return &bad{how: "divide"}, nil }
func newLoop(p *fl.Params) (fl.Aggregator, error)   { return &bad{how: "loop"}, nil }
func newDeep(p *fl.Params) (fl.Aggregator, error)   { return &bad{how: "deep"}, nil }
func newGrow(p *fl.Params) (fl.Aggregator, error)   { return &bad{how: "grow"}, nil }
func newShort(p *fl.Params) (fl.Aggregator, error)  { return &bad{how: "short"}, nil }
func newNaN(p *fl.Params) (fl.Aggregator, error)    { return &bad{how: "nan"}, nil }
func newWrites(p *fl.Params) (fl.Aggregator, error) { return &bad{how: "writes"}, nil }

func down(n int) int { return down(n+1) + 1 }

// Aggregate leaves the model as it is, but for what goes wrong.
func (b *bad) Aggregate(r *fl.Round) (fl.Outcome, error) {
	next := r.Scratch(len(r.Global))
	copy(next, r.Global)
	if r.T < 1 {
		return fl.Outcome{Params: next}, nil
	}
	switch b.how {
	case "index":
		next[0] = r.Global[len(r.Global)+r.T-1]
	case "map":
		var m map[int]int
		m[r.T] = 1
	case "divide":
		next[0] = float64(1 / (r.T - 1))
	case "loop":
		for ; r.T > 0; next[0]++ {
			// Nothing here: where it loops is one line.
		}
	case "deep":
		next[0] = float64(down(0))
	case "grow":
		for r.T > 0 {
			b.kept = append(b.kept, make([]float64, 100000))
		}
	case "short":
		return fl.Outcome{Params: next[:1]}, nil
	case "nan":
		next[2] = math.NaN()
	case "writes":
		r.Global[0]++
	case "huge":
		next[0] = make([]float64, 1<<36/r.T)[0]
	}
	return fl.Outcome{Params: next}, nil
}

var Huge = fl.AggregatorEntry{Name: "huge", Summary: "bad",
	New: func(*fl.Params) (fl.Aggregator, error) { return &bad{how: "huge"}, nil }}
