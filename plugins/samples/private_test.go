package samples

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins"
	"github.com/hansa-fl/hansa/plugins/vet"
)

// ε of a strategy that says what it releases is that of the rule that is built in, to the bit, with
// the same claims: interpreted and compiled.
func TestStrategiesAreAccountedFor(t *testing.T) {
	s := load(t, "noisy-sum")
	short := []string{"rounds=6", "measure_every=3", `metrics=["epsilon"]`, "clients=20",
		"dataset.train=100", "dataset.test=20", "selection.k=5"}
	memo := engine.NewMemo(10)
	spent := map[string]*engine.Result{}
	for _, cell := range cells(t, "noisy-sum", study.Overrides{Seeds: "1", Set: short}) {
		spent[cell.Method] = run(t, menu(t, s.Register), cell, memo)
		if uses(cell, s) {
			if d := difference(run(t, menu(t, compiled), cell, memo), spent[cell.Method]); d != "" {
				t.Errorf("%s: %s", cell.Method, d)
			}
		}
	}
	own, builtIn := spent["noise 2"], spent["DP-FedAvg, noise 2"]
	if own == nil || builtIn == nil {
		t.Fatal("the experiment has other methods")
	}
	if a, b := own.Series[0].Values, builtIn.Series[0].Values; !slices.Equal(a, b) || a[1] <= 0 {
		t.Errorf("ε = %v of the strategy, %v of the rule", a, b)
	}
	claim := func(r *engine.Result) bool {
		return slices.ContainsFunc(r.Notes, func(note string) bool {
			return strings.HasPrefix(note, "ε: amplified: a cohort of 5 is drawn uniformly from 20")
		})
	}
	if !claim(own) || !claim(builtIn) {
		t.Errorf("claims %q and %q", own.Notes, builtIn.Notes)
	}
}

// A strategy that says nothing of noise is refused under metric epsilon, and so is one that says
// something behind a guard.
func TestStrategiesAreRefusedAsRulesAre(t *testing.T) {
	for sample, c := range map[string]struct{ set, says string }{
		"clipped-fedavg": {"rounds=3", "aggregator clipped-fedavg adds no noise"},
		"noisy-sum":      {`guard={name="nnm"}`, "guard nnm stands before the noise"},
	} {
		s := load(t, sample)
		for _, cell := range cells(t, sample, study.Overrides{Seeds: "1",
			Set: []string{`metrics=["epsilon"]`, c.set}}) {
			if !uses(cell, s) {
				continue
			}
			_, _, problems := menu(t, s.Register).Compose(cell)
			if len(problems) == 0 || !strings.Contains(problems.Error(), c.says) {
				t.Errorf("%s: %v, want %q", cell.Method, problems, c.says)
			}
		}
	}
}

// What a strategy says of its noise is refused where it cannot be, and where saying it fails.
func TestStrategiesSayWhatCanBe(t *testing.T) {
	texts, err := Files("noisy-sum")
	if err != nil {
		t.Fatal(err)
	}
	for body, says := range map[string]string{
		`return fl.Release{Noise: -1}`:       "-1 clipping radii; it must be a number of at least 0",
		`panic("no " + params.Text("none"))`: "what it says of its noise: no ",
	} {
		text := strings.Replace(texts["noisy-sum.go"],
			`return fl.Release{Noise: params.Float("noise")}`, body, 1)
		s, err := plugins.Load(t.Context(), plugins.NewSource("noisy-sum",
			[]vet.File{{Name: "noisy-sum.go", Text: text}}), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		cell := cells(t, "noisy-sum", study.Overrides{Seeds: "1"})[0]
		_, _, problems := menu(t, s.Register).Compose(cell)
		if len(problems) == 0 || !strings.Contains(problems.Error(), says) {
			t.Errorf("%v, want %q", problems, says)
		}
	}
}
