package infer_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
	"github.com/hansa-fl/hansa/reports/infer"
)

// judged is a small experiment whose losses are quadratic and whose gradients are full, so that the
// prediction of the audit is the distribution of the results of training, and every ✗ is an error.
const judged = `[setting]
clients    = 5
data_seed  = 0
dataset    = { name = "regression", features = 2, samples_per_client = 6, test_samples_per_client = 0 }
partition  = "natural"
importance = "linear"
model      = "linear"
local      = { name = "sgd", lr = 0.05, steps = 2 }
metrics    = ["suboptimality"]
selection  = "all"
%s
rounds     = %d
[[method]]
label      = "x"
aggregator = { name = "fedavg", weights = "%s" }
`

// composed composes the cell of an experiment of one method, with a seed of its own.
func composed(t *testing.T, text string) (study.Cell, *engine.Setup) {
	t.Helper()
	r := new(registry.Registry)
	if err := builtin.Register(r); err != nil {
		t.Fatal(err)
	}
	spec, err := study.Parse("x.toml", []byte(text), study.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	cells, err := spec.Expand()
	if err != nil {
		t.Fatal(err)
	}
	s, _, problems := r.Compose(cells[0])
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return cells[0], &s
}

// Of trainings of which the prediction is true, 95 % get a ✓, whatever the cohort distribution is, how
// long they train, and of how many seeds they are. The distribution of what a seed reaches is far
// from normal, above all in short trainings.
func TestTrueLevelsAreToldFromFalseOnes(t *testing.T) {
	const seeds, audits = 200, 5
	laws := map[string]string{
		`availability = { name = "k-subset", k = 2 }`:                                     "uniform",
		`availability = { name = "k-subset", k = 2, prior = "linear" }`:                   "hajek",
		`availability = { name = "bernoulli", rate = 0.2 }`:                               "self-normalised",
		`availability = { name = "markov", rate = 0.3, stay = 6 }`:                        "uniform",
		`availability = { name = "correlated", rate = 0.4, rho = 0.5, persistence = 0.7}`: "ht",
	}
	verdicts, agree, doubted, total := 0, 0, 0, 0
	for _, law := range slices.Sorted(func(yield func(string) bool) {
		for law := range laws {
			if !yield(law) {
				return
			}
		}
	}) {
		for _, rounds := range []int{4, 25, 100} {
			cell, s := composed(t, fmt.Sprintf(judged, law, rounds, laws[law]))
			in := infer.Input{IDs: []string{"x"}, Cells: []study.Cell{cell}}
			o := audit.Options{Trials: true, Window: infer.FinalRounds(&in, 0)}
			var predictions []audit.Prediction
			for k := range uint64(audits) {
				one := *s
				one.Seed = 10_000 + k // cohorts of its own
				f, err := audit.Audit(cell, &one, o)
				if err != nil || f.Prediction == nil || f.Prediction.Level == nil {
					t.Fatalf("%s: %v, %+v", law, err, f)
				}
				predictions = append(predictions, *f.Prediction)
			}
			var trials []audit.Trial
			for seed := range uint64(seeds) {
				one := *s
				one.Seed = seed
				trials = append(trials, audit.Trial{Seed: seed, Reached: reaches(t, &one, o.Window),
					Prediction: predictions[seed%audits]})
			}
			good := 0
			for _, size := range []int{1, audits} {
				for group := range slices.Chunk(trials, size) {
					verdicts++
					if infer.JudgePredictions(group).Agrees {
						agree++
						good++
					}
					if size > 1 { // and what is three times what it should be
						total++
						if !infer.JudgePredictions(scaled(group, 3)).Agrees {
							doubted++
						}
					}
				}
			}
			mean := infer.JudgePredictions(trials)
			t.Logf("%s, %d rounds: %d of %d ✓, expected %v, reached %v ± %v", law, rounds, good, seeds+seeds/audits,
				mean.Expected, mean.Reached, mean.Half)
			if far := math.Abs(mean.Expected - mean.Reached); far > 2*mean.Half {
				t.Errorf("%s, %d rounds: %v expected, %v ± %v reached", law, rounds, mean.Expected,
					mean.Reached, mean.Half)
			}
		}
	}
	t.Logf("%d of %d", agree, verdicts)
	if share := float64(agree) / float64(verdicts); share < 0.93 || share > 0.97 {
		t.Errorf("%d of %d true predictions get a ✓", agree, verdicts)
	}
	if 3*doubted < 2*total {
		t.Errorf("%d of %d false predictions get a ✗", doubted, total)
	}
}

// scaled returns trials whose predictions are so many times what they were.
func scaled(trials []audit.Trial, factor float64) []audit.Trial {
	wrong := slices.Clone(trials)
	for k := range wrong {
		l := *wrong[k].Prediction.Level
		l.Trials = l.Trials.Clone()
		l.Trials.Scale(factor)
		wrong[k].Prediction.Level = &l
	}
	return wrong
}

// reaches trains and returns what a table would say of it.
func reaches(t *testing.T, s *engine.Setup, window []int) float64 {
	t.Helper()
	result, err := engine.Run(context.Background(), s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for k, round := range result.Rounds {
		if slices.Contains(window, round) {
			sum += result.Series[0].Values[k] / float64(len(window))
		}
	}
	return sum
}
