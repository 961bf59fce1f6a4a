package aggregator

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Before returns what the neurons of the first and second layer are before their rectifiers, for
// each sample: computed here from what enters the layers, in float64.
func before(m fl.Model, theta fl.Vector, x fl.Matrix) (list []fl.Vector) {
	l := m.Layout()
	m.Worker().(fl.DenseWorker).DenseInputs(theta, x, func(b *fl.Block, z fl.Matrix) {
		bias := l.Blocks[1]
		for i := range l.Blocks {
			if l.Blocks[i].Name == fl.Bias && l.Blocks[i].Layer == b.Layer {
				bias = l.Blocks[i]
			}
		}
		for r := range b.Rows {
			said := make(fl.Vector, z.Rows)
			for s := range said {
				said[s] = fl.Vector(b.Of(theta).Row(r)).Dot(z.Row(s)) + bias.Of(theta).Data[r]
			}
			list = append(list, said)
		}
	})
	return list[:len(list)-judged.Classes]
}

// spread returns the mean and the standard deviation.
func spread(x fl.Vector) (mean, sd float64) {
	mean = x.Sum() / float64(len(x))
	for _, v := range x {
		sd += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(sd / float64(len(x)))
}

// Theorem: after REPAIR every hidden neuron of the mean has, before its rectifier, the weighted mean
// of the means and of the standard deviations of the networks' neurons, to 1e-9; before it the
// standard deviations of the mean are smaller. A network in whose middle there is nothing to repair
// stays: copies of one.
//
//hansa:verifies theorem aggregator/git-rebasin
func TestRepairRestoresMoments(t *testing.T) {
	net, rng := perceptron(t, judged, 12, 8), rand.New(rand.NewPCG(41, 4))
	params := []fl.Vector{net.Init(rng), net.Init(rng), net.Init(rng)}
	r := oneShot(fl.Vector{.3, .8, .6}, []fl.Model{net}, params)
	for k := range r.Updates {
		r.Updates[k].Model = nil
	}
	fl.Vector(r.Validation.X.Data).AddNoise(1, rng)
	x := r.Validation.X
	w := fl.Vector{1. / 3, 1. / 3, 1. / 3}
	given := map[string]any{"passes": int64(0)} // so that the networks are what they were
	plain := fused(t, server(t, GitReBasin, given), r).Clone()
	given["repair"] = "server"
	repaired := fused(t, server(t, GitReBasin, given), r)
	shrunk := 0
	for n := range 20 {
		wantMean, wantSD := 0.0, 0.0
		for k, theta := range params {
			mean, sd := spread(before(net, theta, x)[n])
			wantMean += w[k] * mean
			wantSD += w[k] * sd
		}
		mean, sd := spread(before(net, repaired, x)[n])
		if math.Abs(mean-wantMean) > 1e-9 || math.Abs(sd-wantSD) > 1e-9 {
			t.Errorf("neuron %d: %g ± %g, want %g ± %g", n, mean, sd, wantMean, wantSD)
		}
		if _, sd := spread(before(net, plain, x)[n]); sd < 0.9*wantSD {
			shrunk++
		}
	}
	if shrunk < 15 {
		t.Errorf("%d of 20 neurons of the plain mean vary less", shrunk)
	}
	for k := range r.Updates {
		r.Updates[k].Params = shuffled(t, net, params[0], rng)
	}
	for _, e := range []fl.AggregatorEntry{GitReBasin, LMF, FusionBarycenter} {
		given := map[string]any{"repair": "server"}
		if e.Name != "git-rebasin" {
			given["solver"] = "exact"
		}
		r.RNG = rand.New(rand.NewPCG(3, 5))
		got := fused(t, server(t, e, given), r)
		if d := saidBy(net, got).Distance(saidBy(net, params[0])); d > 1e-4 {
			t.Errorf("%s, copies of one network: scores are %g away", e.Name, d)
		}
	}
	r.Validation = nil
	_, err := server(t, GitReBasin, given).Aggregate(r)
	if err == nil || !strings.Contains(err.Error(), "holds no samples to rescale") {
		t.Errorf("without samples: %v", err)
	}
}

// Theorem: half way to the most accurate network the straight-through estimator never has more loss
// on the server's samples than weight matching, and mostly less; networks are permuted and nothing
// else, so that each computes what it did. Of permuted copies it makes their network.
//
//hansa:verifies theorem aggregator/git-rebasin
func TestStraightThroughLowersTheLoss(t *testing.T) {
	net, rng := perceptron(t, judged, 12, 8), rand.New(rand.NewPCG(42, 4))
	lower := 0
	for seed := range uint64(8) {
		params := []fl.Vector{net.Init(rng), net.Init(rng)}
		var loss [2]float64
		for k, steps := range []int64{0, 30} {
			r := oneShot(fl.Vector{.3, .8}, []fl.Model{net}, params)
			fl.Vector(r.Validation.X.Data).AddNoise(1, rand.New(rand.NewPCG(seed, 3)))
			r.RNG = rand.New(rand.NewPCG(seed, 5))
			a := server(t, GitReBasin, map[string]any{"matching": "straight-through",
				"ste_steps": steps, "ste_lr": 1.0})
			got := fused(t, a, r)
			loss[k] = net.Worker().Loss(got, r.Validation)
			own := []fl.Vector{params[0].Clone(), params[1].Clone()}
			r.RNG = rand.New(rand.NewPCG(seed, 5))
			if err := a.(*gitReBasin).by.agree(r, own); err != nil {
				t.Fatal(err)
			}
			for k := range own {
				if d := saidBy(net, own[k]).Distance(saidBy(net, params[k])); d > 1e-4 {
					t.Errorf("network %d computes something else: %g away", k, d)
				}
			}
			if o := observed(r, "loss half way to the most accurate"); math.Abs(o.Least-loss[k]) > 1e-6 {
				t.Errorf("the loss is %g, observed is %+v", loss[k], o)
			}
		}
		if loss[1] > loss[0]+1e-9 {
			t.Errorf("seed %d: the loss rises from %g to %g", seed, loss[0], loss[1])
		}
		if loss[1] < loss[0]-1e-6 {
			lower++
		}
	}
	if lower < 4 {
		t.Errorf("the loss is lower for %d of 8 pairs", lower)
	}
	theta := net.Init(rng)
	r := oneShot(fl.Vector{.3, .8}, []fl.Model{net}, []fl.Vector{theta, shuffled(t, net, theta, rng)})
	r.RNG = rng
	got := fused(t, server(t, GitReBasin, map[string]any{"matching": "straight-through"}), r)
	if d := got.Norm() - theta.Norm(); math.Abs(d) > 1e-9 {
		t.Errorf("of copies its norm is %g more", d)
	}
}
