package builtin

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// Clients train on images that change: to other models than without, and to the same for any number
// of workers. So it is with every local rule that trains in steps, whatever the model.
func TestClientsTrainOnAugmentedImages(t *testing.T) {
	images := []any{"crop", int64(2), "flip", true, "cutout", int64(8)}
	for _, rule := range []string{"sgd", "fedprox", "fedsam", "fedbn", "apfl", "per-fedavg"} {
		for model, changes := range map[string][]any{"softmax": images, "mlp": {"mixup", 0.5}} {
			c := personal(pick(rule, "lr", 0.1, "batch", int64(16)))
			c.Picks["model"] = pick(model)
			plain, _, _ := ends(t, c)
			c.Picks["local"] = descends(rule, changes...)
			changed, s, _ := ends(t, c)
			if slices.Equal(plain.Global, changed.Global) {
				t.Errorf("%s, %s: augmentation changes nothing", rule, model)
			}
			cell, err := engine.Start(s, engine.Options{Workers: 3})
			if err != nil {
				t.Fatal(err)
			}
			for range s.Rounds {
				if err := cell.Step(); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(cell.Checkpoint().Global, changed.Global) {
				t.Errorf("%s, %s: three workers train another model", rule, model)
			}
			cell.Close()
		}
	}
}

// Data that are no images cannot be augmented.
func TestOnlyImagesAreAugmented(t *testing.T) {
	c := personal(descends("sgd", "flip", true))
	c.Picks["dataset"] = pick("gaussian-domains", "classes", int64(3), "features", int64(4),
		"train", int64(30), "test", int64(12))
	c.Picks["model"] = pick("softmax")
	_, _, problems := menu(t).Compose(c)
	if len(problems) != 1 || !strings.Contains(problems[0].Message, "flip changes images") &&
		!strings.Contains(problems[0].Message, "changes images, and the rows of these data are none") {
		t.Error(problems)
	}
	c.Picks["local"] = descends("sgd", "flip", false)
	if _, _, problems := menu(t).Compose(c); len(problems) > 0 {
		t.Error(problems)
	}
}

// Mixed samples train a model of the same kind: its loss on samples that are not mixed falls. With a
// share that is nearly always 0 or 1, batches of all samples are what they are without.
func TestClientsTrainOnMixedSamples(t *testing.T) {
	c := personal(pick("sgd", "lr", 0.1, "steps", int64(10)))
	c.Measures = []study.Measure{{Pick: pick("loss"), Key: "loss"}}
	plain, _, _ := ends(t, c)
	for _, x := range []struct{ alpha, low, high float64 }{{1e-3, 0, 0.05}, {1, 0.1, 10}} {
		c.Picks["local"] = pick("sgd", "lr", 0.1, "steps", int64(10), "mixup", x.alpha)
		mixed, s, last := ends(t, c)
		if d := mixed.Global.Distance(plain.Global); !(d >= x.low && d <= x.high) {
			t.Errorf("α = %v ends %v from where training without ends", x.alpha, d)
		}
		first := s.Model.Init(fl.NewStream(s.Seed, "init").Rand())
		if d := first.Distance(mixed.Global); !(last[0] < 2.2) || d == 0 {
			t.Errorf("α = %v: the loss is %v", x.alpha, last[0])
		}
	}
}

// What cannot be mixed is refused: models whose loss takes no soft labels, data without classes, and rules whose
// loss depends on more than labels.
func TestWhatCannotBeMixed(t *testing.T) {
	with := func(local, model string, alpha float64) study.Cell {
		c := personal(descends(local, "mixup", alpha))
		c.Picks["model"], c.Picks["aggregator"] = pick(model), pick("fedavg")
		if local == "fedproto" {
			c.Picks["aggregator"] = pick("fedproto")
		}
		return c
	}
	numbers := with("sgd", "linear", 1)
	numbers.Picks["dataset"], numbers.Measures = pick("regression"), setting().Measures
	numbers.Picks["partition"] = pick("natural")
	logistic := numbers
	logistic.Picks = maps.Clone(numbers.Picks)
	logistic.Picks["dataset"], logistic.Picks["model"] = pick("population-logistic"), pick("logistic")
	layers := numbers
	layers.Picks = maps.Clone(numbers.Picks)
	layers.Picks["model"] = pick("mlp")
	for want, c := range map[string]study.Cell{
		"take no soft targets":         logistic,
		"these are others":             numbers,
		"have one label each":          layers,
		"sample by sample":             with("moon", "mlp", 1),
		"has a prototype":              with("fedproto", "mlp", 1),
		"depend on the loss of labels": with("propfair", "mlp", 1),
		"nothing is mixed":             with("sgd", "mlp", 1e-9),
	} {
		_, _, problems := menu(t).Compose(c)
		if len(problems) != 1 || !strings.Contains(problems[0].Message, want) {
			t.Errorf("%v, want …%s…", problems, want)
		}
	}
	vectors := with("sgd", "mlp", 1)
	vectors.Picks["dataset"] = pick("gaussian-domains", "classes", int64(3), "features", int64(4),
		"train", int64(60), "test", int64(12))
	ends(t, vectors)
}
