package aggregator

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/builtin/local"
	"github.com/hansa-fl/hansa/builtin/optimizer"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
	"github.com/hansa-fl/hansa/registry"
)

// pft builds the aggregator with the optimizers that it may have.
func pft(t *testing.T, given map[string]any) fl.Aggregator {
	t.Helper()
	reg := new(registry.Registry)
	if err := reg.Optimizers.Add(optimizer.SGD, optimizer.AdamW); err != nil {
		t.Fatal(err)
	}
	p := reg.Params(given, fl.Setting{})
	a, err := FedPFT.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	return a
}

// skewed splits classes unevenly among three clients: the last has no sample of class 0.
func skewed(rng *rand.Rand, all labelled) []labelled {
	rows := make([][]int, 3)
	for i, y := range all.y {
		k := rng.IntN(2 + min(y, 1))
		rows[k] = append(rows[k], i)
	}
	return []labelled{all.pick(rows[0]), all.pick(rows[1]), all.pick(rows[2])}
}

// bayes is the accuracy of the best rule there is for normal clouds around means: the nearest one.
func bayes(means fl.Matrix, l labelled) float64 {
	right := 0
	for i, y := range l.y {
		best := 0
		for c := range means.Rows {
			if l.x.Row(i).Distance(means.Row(c)) < l.x.Row(i).Distance(means.Row(best)) {
				best = c
			}
		}
		if best == y {
			right++
		}
	}
	return float64(right) / float64(len(l.y))
}

// Theorem: of Gaussian classes with one covariance a linear head is the best rule, and mixtures of
// one component are the true distribution. With many samples the head is as good as the best one,
// for any partition and any form of covariances.
//
//hansa:verifies theorem aggregator/fedpft
func TestFedPFTReachesTheBayesHead(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	const classes, d = 4, 5
	means := fl.NewMatrix(classes, d)
	for c := range classes {
		means.Row(c)[c] = 3
	}
	clients, test := skewed(rng, clouds(rng, 6000, means)), clouds(rng, 20_000, means)
	best := bayes(means, test)
	if best < 0.9 || best > 0.99 {
		t.Fatalf("the best rule has an accuracy of %v: too easy or too hard", best)
	}
	for name, given := range map[string]map[string]any{
		"spherical": {"covariance": "spherical", "components": int64(1)},
		"diagonal":  {"components": int64(1)},
		"full":      {"covariance": "full", "components": int64(1)},
		"several":   {"components": int64(5), "float16": true, "max_iterations": int64(50)},
	} {
		r := statisticsOf(t, local.ClassMixture, given, classes, clients...)
		theta := fused(t, pft(t, map[string]any{"optimizer": "adamw", "epochs": int64(20)}), r)
		if got := accuracy(r, theta, test); got < best-0.003 {
			t.Errorf("%s: accuracy %v, the best rule has %v", name, got, best)
		}
	}
	r := statisticsOf(t, local.ClassMoments, nil, classes, clients...)
	within := fused(t, server(t, FedCGS, map[string]any{"covariance": "within"}), r)
	if got := accuracy(r, within, test); got < best-0.003 {
		t.Errorf("fedcgs: accuracy %v, the best rule has %v", got, best)
	}
}

// For every client and class as many features are drawn as it has samples, with their moments.
func TestFedPFTDrawsWhatWasThere(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	means := fl.Matrix{Rows: 3, Cols: 2, Data: fl.Vector{0, 0, 7, 0, 0, -7}}
	all := clouds(rng, 6000, means)
	clients := skewed(rng, all)
	r := statisticsOf(t, local.ClassMixture, map[string]any{"components": int64(2),
		"max_iterations": int64(50)}, 3, clients...)
	drawn := &fl.Dataset{Shape: fl.Shape{Features: 2, Classes: 3}, X: fl.Matrix{Cols: 2}}
	for k := range clients {
		if err := draw(drawn, r, k); err != nil {
			t.Fatal(err)
		}
		if k == 0 && drawn.Len() != len(clients[0].y) {
			t.Errorf("%d features of %d samples", drawn.Len(), len(clients[0].y))
		}
	}
	was, is := stats.NewClassMoments(3, 2), stats.NewClassMoments(3, 2)
	was.Add(all.x, all.y)
	is.Add(drawn.X, drawn.Y)
	for c, n := range was.Count {
		if is.Count[c] != n {
			t.Errorf("class %d: %d features of %d samples", c, is.Count[c], n)
		}
		if off := is.Mean.Row(c).Distance(was.Mean.Row(c)); off > 0.1 {
			t.Errorf("class %d: the mean is %v off", c, off)
		}
	}
	if off := fl.Vector(is.Within.Data).Distance(was.Within.Data); off > 0.06*fl.Vector(was.Within.Data).Norm() {
		t.Errorf("squares are %v off", off)
	}
}

// The head begins at the global model and is trained as a client would train it: no rate, no move;
// the same draws give the same bits.
func TestFedPFTTrainsLikeAClient(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 3))
	all := clouds(rng, 200, fl.Matrix{Rows: 3, Cols: 4, Data: normal(rng, 12)})
	build := func() *fl.Round {
		r := statisticsOf(t, local.ClassMixture, nil, 3, all)
		r.Global.Fill(0.25)
		return r
	}
	still := build()
	if theta := fused(t, pft(t, map[string]any{"lr": 0.0, "epochs": int64(2)}), still); theta.Distance(still.Global) > 0 {
		t.Error("it moves with a rate of 0")
	}
	r := build()
	theta := fused(t, pft(t, map[string]any{"optimizer": "adamw", "epochs": int64(3)}), r)
	again := fused(t, pft(t, map[string]any{"optimizer": "adamw", "epochs": int64(3)}), build())
	if theta.Distance(again) > 0 {
		t.Error("the same round makes other bits")
	}
	if r.Global.Sum() != 0.25*15 || theta.Distance(r.Global) == 0 {
		t.Error("the global model is trained in place, or not at all")
	}
}

// Classes of few samples may be missing, but not all of them.
func TestFedPFTWithoutMixtures(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 4))
	all := clouds(rng, 40, fl.Matrix{Rows: 3, Cols: 4, Data: normal(rng, 12)})
	few := map[string]any{"few": "drop", "components": int64(8)}
	r := statisticsOf(t, local.ClassMixture, few, 3, all, all.pick([]int{0, 1, 2}))
	if theta := fused(t, pft(t, nil), r); !theta.Finite() || theta.Norm() == 0 {
		t.Errorf("head %v", theta)
	}
	r.Updates = r.Updates[1:]
	if _, err := pft(t, nil).Aggregate(r); err == nil || !strings.Contains(err.Error(), "no client") {
		t.Errorf("no mixtures at all: %v", err)
	}
	r = statisticsOf(t, local.ClassMixture, nil, 4, all)
	r.Updates = append(r.Updates, statisticsOf(t, local.ClassMixture, nil, 3, all).Updates[0])
	r.Updates[1].Client = 1
	if _, err := pft(t, nil).Aggregate(r); err == nil || !strings.HasPrefix(err.Error(), "client 1: ") {
		t.Errorf("mixtures of other classes: %v", err)
	}
	r.Updates[1] = fl.Update{Client: 1, Params: r.Global}
	if _, err := pft(t, nil).Aggregate(r); !errors.Is(err, stats.ErrNoMixtures) {
		t.Errorf("a model: %v", err)
	}
	r.Updates[1] = r.Updates[0]
	r.Updates[1].Payload = copyOf(r.Updates[0].Payload)
	r.Updates[1].Payload["covariance"].Data[0] = math.Inf(1)
	if _, err := pft(t, nil).Aggregate(r); err == nil || !strings.Contains(err.Error(), "class 0") {
		t.Errorf("a variance that is infinite: %v", err)
	}
}

// copyOf returns tensors in memory of their own.
func copyOf(t fl.Tensors) fl.Tensors {
	c := fl.Tensors{}
	for name, m := range t {
		m.Data = fl.Vector(m.Data).Clone()
		c[name] = m
	}
	return c
}
