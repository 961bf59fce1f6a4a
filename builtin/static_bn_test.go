package builtin

import (
	"math"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// static is a cell of a network with batch norms, which all clients train.
func static(rounds int, local study.Pick) study.Cell {
	c := personal(local)
	c.Rounds, c.Every = rounds, rounds
	c.Picks["selection"], c.Picks["aggregator"] = pick("all"), pick("fedavg", "weights", "uniform")
	c.Picks["dataset"] = pick("glyphs", "train", int64(96), "test", int64(60))
	c.Picks["model"] = batchNormed()
	return c
}

// Trained parameters are those of sgd with a round less, to rounding: batch norms train by batches.
// Statistics are those of θ⁰ before the last round, unless they are averaged, and then those that
// clients compute of the trained model.
//
//hansa:verifies equivalence local/static-bn
func TestStaticBatchNorm(t *testing.T) {
	want, s, _ := ends(t, static(2, descends("sgd")))
	n := len(want.Global)
	trained := s.Model.Layout().Trained(n)
	first := s.Model.Init(fl.NewStream(s.Seed, "init").Rand())
	c := static(3, descends("static-bn"))
	got, s, _ := ends(t, c)
	if d := got.Global[:trained].Distance(want.Global[:trained]); d > 1e-6 {
		t.Errorf("trained parameters end %v from those of sgd", d)
	}
	cell, err := engine.Start(s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer cell.Close()
	for range 2 {
		if err := cell.Step(); err != nil {
			t.Fatal(err)
		}
	}
	if d := cell.Checkpoint().Global[trained:].Distance(first[trained:]); d > 1e-12 {
		t.Errorf("statistics before the last round are %v from those of θ⁰", d)
	}
	for k, x := range statisticsOf(t, s, got.Global, trained) {
		if math.Abs(x-got.Global[trained+k]) > 1e-6*(1+math.Abs(x)) {
			t.Fatalf("statistic %d is %v, want %v", k, got.Global[trained+k], x)
		}
	}
	c.Picks["local"] = descends("static-bn", "statistics", "averaged")
	averaged, _, _ := ends(t, c)
	if d := averaged.Global.Distance(got.Global); d > 1e-6 {
		t.Errorf("statistics before the last round change those after it by %v", d)
	}
}

// statisticsOf returns the mean over clients of the moments of their batches, each of which is
// tracked alone: the moments of one batch are the running ones after Statistics of its rows alone.
func statisticsOf(t *testing.T, s *engine.Setup, theta fl.Vector, trained int) fl.Vector {
	t.Helper()
	world, err := engine.Prepare(s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := s.Model.Worker().(fl.StatisticsWorker)
	mean, own := make(fl.Vector, len(theta)-trained), theta.Clone()
	for i := range s.Clients {
		d := world.Population.Client(i).Data
		for lo := 0; lo < d.Len(); lo += 16 {
			batch := d.Rows(lo, min(lo+16, d.Len()))
			w.Statistics(own, &batch, 0)
			mean.AddScaled(float64(batch.Len())/float64(d.Len()*s.Clients), own[trained:])
		}
	}
	return mean
}

// Models without batch norms, and a single round, are refused.
func TestStaticBatchNormFits(t *testing.T) {
	c := static(3, descends("static-bn"))
	c.Picks["model"] = pick("mlp")
	for want, c := range map[string]study.Cell{"this model has none": c,
		"two rounds or more": static(1, descends("static-bn"))} {
		_, _, problems := menu(t).Compose(c)
		if len(problems) != 1 || !strings.Contains(problems[0].Message, want) {
			t.Errorf("%v, want …%s…", problems, want)
		}
	}
}
