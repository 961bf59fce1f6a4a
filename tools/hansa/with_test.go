package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/store"
)

// powered is a strategy of a user's.
const powered = `package powered

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

var Powered = fl.AggregatorEntry{
	Name: "powered", Summary: "mean weighted by a power of the number of samples",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return fl.Weigh(&powered{p.Float("power", 0.5, fl.Closed(0, 1), "of the samples")}), nil
	},
}

type powered struct{ power float64 }

func (a *powered) Weights(r *fl.Round) (fl.Weights, error) {
	w := r.Scratch(len(r.Updates))
	for k, u := range r.Updates {
		w[k] = math.Pow(float64(u.Samples), a.power)
	}
	w.Scale(1 / w.Sum())
	return fl.Weights{By: w}, nil
}
`

// --with adds a method with a strategy to those of a file: it is the one that the file would have
// with it as plugin and [[method]], to the bit, and --set reaches its parameters. What the file has
// without it is not run again. What describes no method is refused.
func TestWithAddsAMethod(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const file = `seeds = 2
%plugins%
[setting]
clients    = 4
rounds     = 3
dataset    = { name = "glyphs", train = 200, test = 100 }
partition  = "iid"
importance = "uniform"
model      = "softmax"
local      = { name = "sgd", epochs = 1, batch = 10, lr = 0.1 }
metrics    = ["accuracy"]

[[method]]
label      = "FedAvg"
aggregator = "fedavg"
`
	write("powered.go", powered)
	write("plain.toml", strings.ReplaceAll(file, "%plugins%", ""))
	write("listed.toml", strings.ReplaceAll(file, "%plugins%", `plugins = ["powered.go"]`)+
		"\n[[method]]\nlabel = \"powered\"\naggregator = { name = \"powered\", power = 0.75 }\n")
	prints(t, "run", "plain.toml", "--dir", "with")
	line := []string{"run", "plain.toml", "--dir", "with", "--with", "powered.go", "--set",
		"powered: aggregator.power=0.75"}
	table := prints(t, line...)
	if want := prints(t, "run", "listed.toml", "--dir", "listed"); strings.ReplaceAll(want,
		"listed", "plain") != table {
		t.Errorf("with:\n%s\nlisted:\n%s", table, want)
	}
	if have, want := contents(t, "with/results"), contents(t, "listed/results"); len(want) != 4 ||
		!maps.Equal(have, want) {
		t.Errorf("%d results with it, other than the %d of a file that lists it", len(have), len(want))
	}
	plan, err := store.Run{Dir: "with"}.LoadPlan()
	if err != nil || !strings.Contains(plan.Command, "--with powered.go") {
		t.Errorf("the run is made again by %q, %v", plan.Command, err)
	}
	write("nature.go", `package nature

import "github.com/hansa-fl/hansa/framework/fl"

var None = fl.AvailabilityEntry{
	Name: "no-client", Summary: "no client is available",
	New: func(p *fl.Params) (fl.Availability, error) { return &absent{}, nil },
}

type absent struct{}

func (*absent) Available(r *fl.AvailabilityInput) []int { return nil }
func (*absent) Law(*fl.Roster) (fl.Law, bool)          { return fl.Law{}, false }
`)
	for name, want := range map[string]string{
		"nature.go":                     "--with: error: nature.go describes nothing that makes a method",
		filepath.Join("no", "where.go"): "no such file",
	} {
		var out, errOut strings.Builder
		code := hansa(t.Context(), &out, &errOut, []string{"check", "plain.toml", "--with", name})
		if code == exitOK || !strings.Contains(errOut.String(), want) {
			t.Errorf("--with %s: exit code %d, %s%s", name, code, &out, &errOut)
		}
	}
}
