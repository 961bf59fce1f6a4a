package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/session/settings"
)

// halfStep is a strategy that goes half as far as an inner aggregator, or as the mean.
const halfStep = `package half

import "github.com/hansa-fl/hansa/framework/fl"

var Half = fl.AggregatorEntry{
	Name:    "half-step",
	Summary: "half of the step of an inner aggregator",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		h := &half{}
		if inner := p.Inner(); inner != nil {
			return fl.Nest(inner, h), nil
		}
		return fl.WeighThen(h, h), nil
	},
}

type half struct{}

func (*half) Weights(r *fl.Round) (fl.Weights, error) {
	w := r.Scratch(len(r.Updates))
	w.Fill(1 / float64(len(w)))
	return fl.Weights{By: w, Deltas: true}, nil
}

func (*half) Step(r *fl.Round, sum fl.Vector) (fl.Outcome, error) {
	sum.Scale(0.5)
	sum.AddScaled(0.5, r.Global)
	return fl.Outcome{Params: sum}, nil
}
`

// composed is an experiment of components within others.
const composed = `title = "composed"
seeds = 1
plugins = ["half.go"]
[setting]
clients    = 7
rounds     = 6
dataset    = { name = "regression", features = 2, samples_per_client = 9 }
partition  = "natural"
importance = "uniform"
model      = "linear"
local      = { name = "sgd", lr = 0.01 }
metrics    = ["objective", "loss"]
[[method]]
label = "half krum"
aggregator = { name = "half-step", inner = "krum" }
[[method]]
label = "rate krum"
aggregator = { name = "fedopt", inner = "krum", server_rate = 0.5 }
[[method]]
label = "half half"
aggregator = { name = "half-step", inner = "half-step" }
[[method]]
label = "quarter"
aggregator = { name = "naive", server_rate = 0.25 }
[[method]]
label = "guarded"
guard = ["clip", { name = "bucketing" }]
aggregator = { name = "fedopt", inner = "coordinate-median" }
`

// done runs a command that is to succeed, or to fail, and returns what it prints.
func done(t *testing.T, fails bool, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := hansa(context.Background(), &out, &errs, args); (code != 0) != fails {
		t.Fatalf("%s: code %d\n%s%s", strings.Join(args, " "), code, out.String(), errs.String())
	}
	return out.String() + errs.String()
}

// Strategies are inner and outer aggregators like those of the menu: half of Krum's step is what a
// rate of ½ makes of it, and half of half is a quarter, but for rounding.
func TestStrategiesNest(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"half.go": halfStep, "x.toml": composed} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	done(t, false, "run", "x.toml")
	values := map[string]string{}
	for line := range strings.Lines(done(t, false, "table", "x")) {
		for _, label := range []string{"half krum", "rate krum", "half half", "quarter"} {
			if _, rest, ok := strings.Cut(line, label); ok && values[label] == "" {
				number := strings.IndexAny(rest, ".") - 1
				values[label] = strings.Fields(rest[max(0, number):])[0]
			}
		}
	}
	if values["half krum"] == "" || values["half krum"] != values["rate krum"] ||
		values["half half"] != values["quarter"] || values["quarter"] == values["half krum"] {
		t.Errorf("%v", values)
	}
}

// A parameter of a guard in a list and of an inner aggregator is set, tuned and compared by its
// path, and one that is not there is an error with what was meant.
func TestParametersWithinHavePaths(t *testing.T) {
	t.Chdir(t.TempDir())
	tuned := composed + `[tune]
budget = 4
by = "loss"
seeds = [100]
[tune.space]
"guard.clip.radius" = [0.01, 0.1, 1.0]
"rate krum: aggregator.inner.f" = [1, 2]
`
	for name, text := range map[string]string{"half.go": halfStep, "x.toml": composed,
		"tuned.toml": tuned,
		"clp.toml":   strings.Replace(tuned, "guard.clip", "guard.clp", 1),
		"3.toml":     strings.Replace(tuned, "guard.clip", "guard.3", 1),
		"g.toml":     strings.Replace(tuned, "inner.f", "inner.g", 1)} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	done(t, false, "run", "x.toml")
	done(t, false, "run", "x.toml", "--dir", "runs/y", "--set", "guard.0.radius=0.5",
		"--set", "guard.bucketing.size=3", "--set", "rate krum: aggregator.inner.f=2")
	var d settings.Changes
	if err := json.Unmarshal([]byte(done(t, false, "diff", "x", "y", "--format", "json")), &d); err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, c := range d.Settings {
		paths = append(paths, c.Path+" "+c.Before+" "+c.After)
	}
	if got := strings.Join(paths, ", "); got != "aggregator.inner.f 1 2, guard.0.radius 1 0.5, "+
		"guard.1.size 2 3" {
		t.Errorf("what differs is %s", got)
	}
	said := done(t, false, "run", "tuned.toml")
	for _, want := range []string{"tuned: f = ", "the best of 2", "tuned: radius = ", "the best of 3"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is missing in\n%s", want, said)
		}
	}
	for _, c := range []struct{ want, file, set string }{
		{`no method has the parameter guard.clp.radius`, "clp.toml", ""},
		{`did you mean "guard.clip.radius"?`, "clp.toml", ""},
		{`no method has the parameter guard.3.radius`, "3.toml", ""},
		{`did you mean "aggregator.inner.f"?`, "g.toml", ""},
		{`did you mean "clip"?`, "x.toml", "guard.clop.radius=3"},
		{"no guard has that number", "x.toml", "guard.2.radius=3"},
		{`did you mean "radius"?`, "x.toml", "guard.clip.raduis=3"},
		{"guard clip: radius: -1 is outside", "x.toml", "guard.0.radius=-1"},
		{"inner: aggregator krum: f: f = 9 of 7", "x.toml", "rate krum: aggregator.inner.f=9"},
	} {
		args := []string{"check", c.file}
		if c.set != "" {
			args = append(args, "--set", c.set)
		}
		if said := done(t, true, args...); !strings.Contains(said, c.want) ||
			!strings.Contains(said, "1 problem") {
			t.Errorf("%s %s: want %q\n%s", c.file, c.set, c.want, said)
		}
	}
}

// The schema has the paths of parameters within components, wherever a file may write them, and
// refuses what no component has.
func TestSchemaHasPathsWithin(t *testing.T) {
	schema := schemaOf(t)
	base := strings.NewReplacer("plugins = [\"half.go\"]\n", "", "half-step", "fedopt").Replace(composed)
	for _, c := range []struct {
		more    string
		refused bool
	}{
		{"", false},
		{"[[method]]\nlabel = \"x\"\nguard.clip.radius = 1.0\naggregator.inner.f = 1", false},
		{"[[method]]\nlabel = \"x\"\n\"guard.0.radius\" = 1.0\n\"aggregator.inner.f\" = 1", false},
		{"[[method]]\nlabel = \"x\"\n\"guard.clip.radius\" = 1.0\nguard = [\"clip\"]", false},
		{"[sweep]\n\"guard.clip.radius\" = [1.0, 2.0]\n\"aggregator.inner.f\" = [1, 2]", false},
		{"[sweep]\n\"guard.0.radius\" = [1.0, 2.0]", false},
		{"[[ablate]]\nof = \"guarded\"\nwide = { \"guard.1.size\" = 4 }", false},
		{"[[method]]\nlabel = \"x\"\naggregator = { name = \"fedadam\", inner = { name = \"krum\", f = 2 } }", false},
		{"[[method]]\nlabel = \"x\"\naggregator = { name = \"fedadam\", inner = { name = \"fedavgm\", " +
			"inner = \"krum\" } }", false},
		{"[[method]]\nlabel = \"x\"\nguard.clip.raduis = 1.0", true},
		{"[[method]]\nlabel = \"x\"\nguard.clip.radius = \"wide\"", true},
		{"[[method]]\nlabel = \"x\"\naggregator = { name = \"fedadam\", inner = \"krumm\" }", true},
		{"[[method]]\nlabel = \"x\"\naggregator = { name = \"fedadam\", inner = { name = \"krum\", g = 2 } }", true},
		{"[[method]]\nlabel = \"x\"\naggregator = { name = \"krum\", inner = \"fedavg\" }", true},
	} {
		err := schema.Validate(document(t, base+c.more))
		if (err != nil) != c.refused {
			t.Errorf("%s: refused: %v", c.more, err)
		}
	}
}
