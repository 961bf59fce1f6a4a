package fl_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// judge is a worker whose loss is the distance of the first parameter from 3, for any data.
type judge struct {
	fl.Worker
	seen []float64 // first feature of the rows that it judged by
}

func (j *judge) Loss(params fl.Vector, d *fl.Dataset) float64 {
	j.seen = append(fl.Vector{}, d.X.Data...)
	return math.Abs(params[0] - 3)
}

// Rates are judged by samples that they did not train on, each by the same ones and with the same
// batches; losses are summed over samples, and what is not finite is larger than any other.
func TestRatesAreValidatedOnSamplesHeldOut(t *testing.T) {
	const n = 11
	x := fl.NewMatrix(n, 1)
	for i := range n {
		x.Data[i] = float64(i)
	}
	client := &fl.Client{Data: fl.Dataset{Shape: fl.Shape{Features: 1}, X: x}}
	worker := &judge{}
	task := &fl.Task{Client: client, Global: fl.Vector{0}, Params: fl.Vector{0}, Worker: worker,
		RNG: rand.New(rand.NewPCG(1, 2))}
	var trained [][]float64
	var drawn []uint64
	losses := task.Validate([]float64{1, 2, 3, 4}, 0.3, func(t *fl.Task, rate float64) {
		trained = append(trained, t.Client.Data.X.Data)
		drawn = append(drawn, t.RNG.Uint64())
		t.Params[0] = rate
		if rate == 4 {
			t.Params[0] = math.Inf(1)
		}
	})
	if want := (fl.Vector{6, 3, 0, math.MaxFloat32}); !slices.Equal(losses, want) {
		t.Errorf("losses %v, want %v", losses, want)
	}
	for k, rows := range trained {
		all := slices.Sorted(slices.Values(append(slices.Clone(rows), worker.seen...)))
		if !slices.Equal(all, x.Data) || !slices.Equal(rows, trained[0]) || drawn[k] != drawn[0] {
			t.Errorf("rate %d trained on %v with %v, judged by %v", k, rows, drawn[k], worker.seen)
		}
	}
	if task.Params[0] != 0 || len(worker.seen) != 3 {
		t.Errorf("parameters are %v; %d samples held out", task.Params, len(worker.seen))
	}
	client.Data = client.Data.Rows(0, 1)
	losses = task.Validate([]float64{1, 2}, 0.5, func(*fl.Task, float64) { t.Error("trained") })
	if !slices.Equal(losses, fl.Vector{0, 0}) {
		t.Errorf("a client with one sample judges by %v", losses)
	}
}
