package metric_test

import (
	"math"
	"testing"

	"github.com/hansa-fl/hansa/builtin/metric"
	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/framework/fl"
)

// A guess by scores of zero has the perplexity of as many classes as there are, of one label a row
// and of several; any other has e to the mean of −log p.
//
//hansa:verifies theorem metrics/perplexity
func TestPerplexity(t *testing.T) {
	one := &fl.Dataset{Shape: fl.Shape{Features: 1, Classes: 5, Tested: true},
		X: fl.Matrix{Rows: 2, Cols: 1, Data: []float64{1, 1}}, Y: []int{0, 3}}
	several := &fl.Dataset{Shape: fl.Shape{Features: 2, Classes: 5, Tokens: 5, Labels: 2, Tested: true},
		X: fl.Matrix{Rows: 2, Cols: 2, Data: []float64{1, 2, 3, 4}}, Y: []int{2, 3, 4, 0}}
	for _, c := range []struct {
		e fl.ModelEntry
		d *fl.Dataset
	}{{model.Softmax, one}, {model.LSTM, several}} {
		m, err := build(t, c.e, nil).For(c.d.Shape)
		if err != nil {
			t.Fatal(err)
		}
		s := snapshot(t, c.e, make(fl.Vector, m.Layout().Len()), c.d)
		s.Population.Test = c.d
		got, err := build(t, metric.Perplexity, nil).Measure(s)
		if err != nil || math.Abs(got-5) > 1e-6 {
			t.Errorf("%s: perplexity %v, want 5; %v", c.e.Name, got, err)
		}
		s.Params = m.Init(fl.NewStream(1, "init").Rand())
		loss, err := build(t, metric.Loss, nil).Measure(s)
		got, other := build(t, metric.Perplexity, nil).Measure(s)
		if err != nil || other != nil || got != math.Exp(loss) {
			t.Errorf("%s: perplexity %v at a loss of %v; %v, %v", c.e.Name, got, loss, err, other)
		}
	}
}
