package builtin

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// gains adds metrics of the gain over local training alone to a cell.
func gains(c study.Cell, params ...any) study.Cell {
	for _, statistic := range []string{"mean", "worst", "spread", "losing"} {
		by := append([]any{"model", "deployed", "lr", 0.02, "statistic", statistic}, params...)
		c.Measures = append(slices.Clone(c.Measures),
			study.Measure{Pick: pick("gain", by...), Key: statistic})
	}
	return c
}

// Theorem: local training alone gains nothing over itself, for any participation, to the bit: a
// client has made as many steps alone whenever it trained. FedAvg, whose clients have other minima,
// gains or loses; what it gains is the difference of the losses of both, client by client.
func TestGainIsOverLocalTraining(t *testing.T) {
	two := pick("uniform-k", "k", int64(2))
	plain := pick("fedavg", "weights", "uniform")
	_, _, none := ends(t, gains(stepping(9, descending("local-only"), plain, two)))
	if !slices.Equal(none[1:], fl.Vector{0, 0, 0, 0}) {
		t.Errorf("local training alone gains %v over itself", none[1:])
	}
	c := gains(stepping(9, descending("sgd"), plain, two))
	_, _, got := ends(t, c)
	alone, _ := deployed(t, stepping(9, descending("local-only"), plain, two), fl.PersonalModel)
	_, global := deployed(t, c, fl.GlobalModel)
	s := composed(t, c)
	world, err := engine.Prepare(s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, w, losing := make(fl.Vector, len(alone)), s.Model.Worker(), 0.0
	for i := range x {
		own := world.Population.Client(i)
		if x[i] = w.Loss(alone[i], &own.Data) - w.Loss(global, &own.Data); x[i] < 0 {
			losing += 100 / float64(len(x))
		}
	}
	mean, square := x.Sum()/float64(len(x)), 0.0
	for _, v := range x {
		square += (v - mean) * (v - mean) / float64(len(x))
	}
	want := fl.Vector{mean, slices.Min(x), math.Sqrt(square), losing}
	if got = got[1:]; !(got.Distance(want) < 1e-9) || losing == 0 || losing == 100 {
		t.Errorf("FedAvg gains %v, want %v", got, want)
	}
}

// What clients train alone changes nothing else: no bit of the model, and no byte that is sent; and
// it is the same for two methods whose clients take the same steps.
func TestGainChangesNothingElse(t *testing.T) {
	plain := personal(descends("ditto"))
	plain.Measures = plain.Measures[:3]
	want, _, before := ends(t, plain)
	with := plain
	with.Measures = append(slices.Clone(plain.Measures), study.Measure{Key: "gain",
		Pick: pick("gain", "of", "accuracy", "on", "test", "model", "deployed", "lr", 0.5,
			"batch", int64(16))})
	got, _, after := ends(t, with)
	if !slices.Equal(got.Global, want.Global) || !slices.Equal(after[:3], before) {
		t.Errorf("with a gain it measures %v, without %v", after, before)
	}
	other := with
	other.Picks = map[string]study.Pick{}
	for kind, p := range with.Picks {
		other.Picks[kind] = p
	}
	other.Picks["local"] = descends("sgd")
	_, _, fedavg := ends(t, other)
	base := before[2] - after[3] // mean accuracy of clients alone
	if off := fedavg[2] - fedavg[3] - base; !(math.Abs(off) < 1e-9) || base < 20 {
		t.Errorf("clients alone reach %v beside one method, and %v more beside another", base, off)
	}
}

// The gain of networks on batches is the same for any number of workers, after a resume, and with
// what clients keep on disk.
func TestGainSurvives(t *testing.T) {
	c := personal(descends("fedper"))
	c.Every = 2
	c.Measures = append(slices.Clone(c.Measures), study.Measure{Key: "gain",
		Pick: pick("gain", "model", "deployed", "lr", 0.5,
			"batch", int64(16))})
	s := composed(t, c)
	want, err := engine.Run(t.Context(), s, engine.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	got := resumed(t, s, 3)
	for k, series := range got.Series {
		if !slices.Equal(series.Values, want.Series[k].Values) {
			t.Errorf("%s is %v, want %v", series.Key, series.Values, want.Series[k].Values)
		}
	}
}

// A rate of the metric at which clients alone diverge is an error that says so, and of which rate.
func TestGainSaysThatClientsDiverge(t *testing.T) {
	c := stepping(300, descending("sgd"), pick("fedavg"), pick("all"))
	c.Measures = append(slices.Clone(c.Measures), study.Measure{Key: "gain",
		Pick: pick("gain", "lr", 9.0)})
	_, err := engine.Run(t.Context(), composed(t, c), engine.Options{})
	if err == nil || !engine.Diverged(err.Error()) ||
		!strings.Contains(err.Error(), ": alone, it has parameters with") ||
		!strings.Contains(err.Error(), "try a lower lr of the metric") {
		t.Errorf("%v", err)
	}
}

// Rules that train by gradients alone refuse batch norms, whose running statistics no gradient
// trains; with group norms they fit.
func TestGradientsAloneRefuseBatchNorms(t *testing.T) {
	for _, local := range []string{"apfl", "per-fedavg", "pfedme"} {
		for _, norm := range []string{"batch", "group"} {
			c := personal(descends(local))
			c.Picks["dataset"] = pick("glyphs", "image", "colour", "train", int64(240),
				"test", int64(120))
			c.Picks["model"] = pick("resnet9", "norm", norm)
			_, _, problems := menu(t).Compose(c)
			said := ""
			if len(problems) > 0 {
				said = problems[0].Message
			}
			refuses := local != "pfedme" && norm == "batch"
			if refuses != strings.Contains(said, "use group norms") || !refuses && said != "" {
				t.Errorf("%s with %s norms: %q", local, norm, said)
			}
		}
	}
}
