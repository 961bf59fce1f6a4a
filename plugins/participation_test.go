package plugins

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

// surveyed is a data set whose clients have covariates: their number, and one by lot.
type surveyed struct{}

func (surveyed) Shape() fl.Shape {
	return fl.Shape{Features: 4, Owned: true, Covariates: []string{"number", "lot"}}
}

func (s surveyed) Load(l *fl.LoadInput) (*fl.Dataset, *fl.Dataset, error) {
	const each = 6
	n := each * l.Clients
	d := &fl.Dataset{Shape: s.Shape(), X: fl.NewMatrix(n, 4), Target: make(fl.Vector, n),
		Covariates: fl.NewMatrix(n, 2)}
	for r := range n {
		for k := range d.X.Row(r) {
			d.X.Row(r)[k] = l.RNG.NormFloat64()
		}
		d.Owner = append(d.Owner, r/each)
		d.Target[r] = d.X.Row(r).Sum() + float64(r/each)
		x := d.Covariates.Row(r)
		x[0], x[1] = float64(r/each)/float64(l.Clients), l.RNG.NormFloat64()
	}
	return d, nil, nil
}

// withSurvey is everything that is built in, the data set above, and what else is given.
func withSurvey(t *testing.T, more func(r *registry.Registry) error) *registry.Registry {
	t.Helper()
	r := new(registry.Registry)
	err := errors.Join(builtin.Register(r), more(r), r.Sources.Add(fl.SourceEntry{
		Name: "surveyed", Summary: "linear data with covariates",
		New: func(*fl.Params) (fl.Source, error) { return surveyed{}, nil }}))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const participation = `seeds = 3
[setting]
clients      = 40
rounds       = 20
oracle       = true
law          = "unknown"
disclosure   = "aggregate"
dataset      = "surveyed"
partition    = "natural"
importance   = "uniform"
model        = "linear"
local        = { name = "sgd", lr = 0.05 }
enrollment   = { name = "settlers", far = 1.5 }
availability = { name = "weather", rain = 0.5 }
aggregator   = "census"
metrics      = ["objective"]
[[method]]
label = "x"
`

// footnotes lists what a cell noted and observed.
func footnotes(r *engine.Result) string {
	lines := r.Notes
	for _, o := range r.Observed {
		lines = append(lines, o.String(), fmt.Sprintf("%+v", o))
	}
	return strings.Join(lines, "\n")
}

// What interpreted moves say of clients — chances to enrol, context, what is drawn once, the
// truth — and what interpreted aggregators are told of it are the compiled ones' bits.
func TestParticipationInterpreted(t *testing.T) {
	s := load(t, "testdata/kinds")
	ours, theirs := withSurvey(t, s.Register), withSurvey(t, compiled)
	for _, cell := range cellsOf(t, participation) {
		want, err := run(theirs, cell, 1)
		if err != nil {
			t.Fatal(err)
		}
		got, err := run(ours, cell, 2)
		if err != nil {
			t.Fatal(err)
		}
		a, b := footnotes(got), footnotes(want)
		if !sameBits(got.Series[0].Values, want.Series[0].Values) || a != b {
			t.Errorf("seed %d: %v\n%s\ncompiled: %v\n%s", cell.Seed, got.Series, a, want.Series, b)
		}
		for _, name := range []string{"squares of weights", "rain of the cohort",
			"covariate of the cohort", "clients without context", "enrolled", "enrolled, told",
			"mean covariate"} {
			if !strings.Contains(a, "\n"+name+" ") {
				t.Errorf("seed %d: nothing of %q in\n%s", cell.Seed, name, a)
			}
		}
		if strings.Contains(a, "clients without context 0") || strings.Contains(a, "NaN") {
			t.Errorf("seed %d: %s", cell.Seed, a)
		}
	}
}
