package study

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// sample is an experiment to which tests add what they are about.
const sample = `
[setting]
clients      = 10
rounds       = 20
dataset      = "regression"
partition    = "natural"
importance   = "uniform"
model        = "linear"
local        = { name = "sgd", lr = 0.1 }
availability = { name = "k-subset", k = 3 }
metrics      = ["loss"]

[[method]]
label      = "FedAvg"
aggregator = "fedavg"

[[method]]
label      = "FedAVOT"
aggregator = { name = "fedavot", epsilon = 1e-9 }
`

// expand returns the cells of the sample with more text.
func expand(t *testing.T, more string, o Overrides) (*Spec, []Cell) {
	t.Helper()
	spec, err := Parse("sample.toml", []byte(sample+more), o)
	if err != nil {
		t.Fatal(err)
	}
	cells, err := spec.Expand()
	if err != nil {
		t.Fatal(err)
	}
	return spec, cells
}

// Plugins are named from the folder of the file.
func TestPlugins(t *testing.T) {
	const top = "plugins = [\"mine.go\", \"../rules\", \"/abs/x.go\"]\n"
	spec, err := Parse(filepath.Join("lab", "try.toml"), []byte(top+sample), Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, p := range spec.Plugins {
		paths = append(paths, filepath.ToSlash(p.Path))
	}
	if !slices.Equal(paths, []string{"lab/mine.go", "rules", "/abs/x.go"}) {
		t.Errorf("%q", paths)
	}
	if at := spec.Plugins[1].At; at.Line != 1 || at.Col != 23 {
		t.Errorf("the second one is at %v", at)
	}
	for text, want := range map[string]string{
		"plugins = [\"x.go\", \"./x.go\"]": "1:20: plugins: \"./x.go\" is listed twice",
		"plugins = 3":                      "1:11: plugins: want a list of strings",
		"plugins = [3]":                    "1:12: plugins: want a string",
	} {
		_, err := Parse("try.toml", []byte(text+"\n"+sample), Overrides{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fig.1a.toml")
	if err := os.WriteFile(file, []byte(sample), 0o644); err != nil {
		t.Fatal(err)
	}
	spec, err := Read(file, Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	if spec.Name != "fig.1a" || spec.Title != "fig.1a" || spec.File != file || spec.Source != sample {
		t.Errorf("name %q, title %q, file %q", spec.Name, spec.Title, spec.File)
	}
	methods := []string{"FedAvg", "FedAVOT"}
	if !slices.Equal(spec.Seeds, []uint64{0}) || !slices.Equal(spec.Methods, methods) {
		t.Errorf("seeds %v, methods %v", spec.Seeds, spec.Methods)
	}
	for _, unreadable := range []string{file + ".not", filepath.Dir(file)} {
		spec, err := Read(unreadable, Overrides{})
		var pathError *fs.PathError
		if spec != nil || !errors.As(err, &pathError) {
			t.Errorf("%s: %v, %v", unreadable, spec, err)
		}
	}
}

// TestFormsOfASweep shows that a key in quotes, a dotted key, an inline table and a
// header say the same.
func TestFormsOfASweep(t *testing.T) {
	forms := []string{
		"[sweep]\n\"availability.k\" = [2, 5]\n\"local.lr\" = [0.1, 0.2]\n",
		"[sweep]\navailability.k = [2, 5]\nlocal.lr = [0.1, 0.2]\n",
		"[sweep]\navailability = { k = [2, 5] }\nlocal = { \"lr\" = [0.1, 0.2] }\n",
		"[sweep.availability]\nk = [2, 5]\n[sweep.local]\nlr = [0.1, 0.2]\n",
		"[sweep]\n\"availability\".'k' = [2, 5]\n[sweep.local]\nlr = [\n0.1, # slow\n0.2,\n]\n",
	}
	_, want := expand(t, forms[0], Overrides{})
	if len(want) != 8 {
		t.Fatalf("%d cells", len(want))
	}
	for _, form := range forms[1:] {
		_, got := expand(t, form, Overrides{})
		if !reflect.DeepEqual(withoutOrigins(got), withoutOrigins(want)) {
			t.Errorf("%s\nmeans %v", form, withoutOrigins(got))
		}
	}
}

// TestAxesKeepTheOrderOfTheFile has two axes below one path with another between them.
func TestAxesKeepTheOrderOfTheFile(t *testing.T) {
	spec, _ := expand(t, `[sweep]
availability.k = [2]
clients = [5]
availability.prior = ["x"]
`, Overrides{})
	var names []string
	for _, a := range spec.Axes {
		names = append(names, a.Name)
	}
	want := []string{"availability.k", "clients", "availability.prior"}
	if !slices.Equal(names, want) {
		t.Errorf("axes %v, want %v", names, want)
	}
}

func withoutOrigins(cells []Cell) []Cell {
	out := slices.Clone(cells)
	for i := range out {
		out[i].Origins = nil
	}
	return out
}

// TestExpandOrder shows the order of the plan: methods, then points with the last axis
// changing faster, then seeds.
func TestExpandOrder(t *testing.T) {
	_, cells := expand(t, "[sweep]\nclients = [5, 6]\nrounds = [1, 2, 3]\n",
		Overrides{Seeds: "7,4"})
	i := 0
	for _, method := range []string{"FedAvg", "FedAVOT"} {
		for _, clients := range []int{5, 6} {
			for _, rounds := range []int{1, 2, 3} {
				for _, seed := range []uint64{7, 4} {
					c := cells[i]
					if c.Method != method || c.Seed != seed || c.Clients != clients || c.Rounds != rounds {
						t.Fatalf("cell %d is %+v", i, c)
					}
					i++
				}
			}
		}
	}
	if i != len(cells) {
		t.Errorf("%d cells, want %d", len(cells), i)
	}
}

// TestCellsShareNoPicks shows that resolving one cell does not change another.
func TestCellsShareNoPicks(t *testing.T) {
	_, cells := expand(t, "", Overrides{Seeds: "2"})
	cells[0].Picks["model"] = Pick{Name: "resolved"}
	if got := cells[1].Picks["model"].Name; got != "linear" {
		t.Errorf("the model of another seed became %q", got)
	}
}

// TestAllProblemsAtOnce shows that a Spec with problems can be expanded, so that those of
// later stages come together with them.
func TestAllProblemsAtOnce(t *testing.T) {
	src := strings.Replace(sample, "rounds       = 20", "rounds = \"20\"", 1)
	src = strings.Replace(src, "model        = \"linear\"", "", 1)
	src = strings.Replace(src, "local        = {", "local = 3 # {", 1)
	spec, err := Parse("x.toml", []byte(src), Overrides{})
	if spec == nil || len(problemsOf(t, err)) != 2 {
		t.Fatalf("%v, %v", spec, err)
	}
	cells, err := spec.Expand()
	if len(problemsOf(t, err)) != 1 || !strings.Contains(err.Error(), "every method lacks model") {
		t.Errorf("the second stage says: %v", err)
	}
	if len(cells) != 2 || cells[0].Rounds != 0 || cells[0].Clients != 10 {
		t.Fatalf("%d cells: %+v", len(cells), cells)
	}
	for slot, there := range map[string]bool{"local": false, "model": false, "dataset": true} {
		if _, ok := cells[1].Picks[slot]; ok != there {
			t.Errorf("%s is in the cell: %t", slot, ok)
		}
	}
	if spec, err := Parse("x.toml", []byte("a = \n"), Overrides{}); spec != nil || err == nil {
		t.Errorf("what is not TOML gives %v, %v", spec, err)
	}
}

// TestDefaults shows what a setting need not say.
func TestDefaults(t *testing.T) {
	src := strings.Replace(sample, "availability =", "# ", 1)
	spec, err := Parse("x.toml", []byte(src), Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	cells, err := spec.Expand()
	if err != nil {
		t.Fatal(err)
	}
	c := cells[0]
	always, all := c.Picks["availability"].Name, c.Picks["selection"].Name
	if c.Every != 1 || !c.Law || always != "always" || all != "all" {
		t.Errorf("%+v", c)
	}
	for _, path := range []string{"measure_every", "law", "availability.name", "selection", "seed"} {
		if got := c.Origins[path].Value.File; got != "default" {
			t.Errorf("%s is from %q", path, got)
		}
	}
	want := Report{Metrics: []string{"loss"}, Against: "baseline", Spread: "sd"}
	if !reflect.DeepEqual(spec.Report, want) {
		t.Errorf("report %+v", spec.Report)
	}
}

// TestDefaultsTakeNoParameters: what is given before anything is named stays for whatever
// a method names, also where there is a default.
func TestDefaultsTakeNoParameters(t *testing.T) {
	src := strings.Replace(sample, "availability =", "# ", 1) + `
[[method]]
label        = "some"
aggregator   = "x"
availability = "bernoulli"
[sweep]
"availability.rate" = [0.1, 0.2]
`
	spec, err := Parse("x.toml", []byte(src), Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	cells, err := spec.Expand()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cells {
		want := map[string]string{"some": "bernoulli"}[c.Method]
		rate := map[string]float64{"rate = 0.1": 0.1, "rate = 0.2": 0.2}[c.Point[0].Label]
		got := c.Picks["availability"]
		if got.Name != cmp.Or(want, "always") || got.Params["rate"] != rate {
			t.Errorf("%s at %v: %+v", c.Method, c.Point, got)
		}
	}
}

// TestOriginOfAComponent shows that the origin of a component is where it is named, and that of
// each parameter where it was written.
func TestOriginOfAComponent(t *testing.T) {
	_, cells := expand(t, "local = { lr = 0.2 }\navailability = { name = \"k-subset\", k = 4 }\n",
		Overrides{})
	o := cells[1].Origins
	for path, line := range map[string]int{
		"local": 9, "local.name": 9, "local.lr": 20, "availability": 21, "availability.k": 21,
		"clients": 3, "method": 18, "metrics[0]": 11,
	} {
		if got := o[path].Value.Line; got != line {
			t.Errorf("%s is from line %d, want %d", path, got, line)
		}
	}
}

// TestSetOfALabelWithAColon shows that the longest label is meant.
func TestSetOfALabelWithAColon(t *testing.T) {
	_, cells := expand(t, `
[[method]]
label = "A: b"
aggregator = "x"
[[method]]
label = "A"
aggregator = "y"
[[method]]
label = "A: b: c"
aggregator = "z"
`, Overrides{Set: []string{"A: b: rounds = 3", "A:rounds=4", "A: b: c:rounds=5"}})
	for i, want := range []int{20, 20, 3, 4, 5} {
		if got := cells[i].Rounds; got != want {
			t.Errorf("%s runs %d rounds, want %d", cells[i].Method, got, want)
		}
	}
}

// TestMeasuredKeys shows that the tables know the measures of every cell, and no others.
func TestMeasuredKeys(t *testing.T) {
	for more, want := range map[string][]string{
		`metrics = ["accuracy"]`:                         {"loss", "accuracy"},
		"[sweep]\nmetrics = [[\"a\"], [\"b\", \"a\"]]\n": {"a", "b"},
		"metrics = [\"a\"]\n[[ablate]]\nof = \"FedAVOT\"\n" +
			"x = { metrics = [\"b\"] }\n": {"loss", "a", "b"},
		"[sweep]\nx = [{ label = \"1\", metrics = [\"a\"] }, " +
			"{ label = \"2\", rounds = 1 }]\n": {"a", "loss"},
	} {
		spec, cells := expand(t, more, Overrides{})
		var taken []string
		for _, c := range cells {
			for _, m := range c.Measures {
				if !slices.Contains(taken, m.Key) {
					taken = append(taken, m.Key)
				}
			}
		}
		if !slices.Equal(spec.Report.Metrics, want) {
			t.Errorf("%s: %v, want %v", more, spec.Report.Metrics, want)
		}
		slices.Sort(taken)
		if slices.Sort(want); !slices.Equal(taken, want) {
			t.Errorf("%s: the cells take %v, want %v", more, taken, want)
		}
	}
}

// BenchmarkExpand expands an experiment of 10,000 cells.
func BenchmarkExpand(b *testing.B) {
	src := sample + "[sweep]\n\"availability.k\" = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n" +
		"rounds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n\"local.lr\" = [1, 2, 3, 4, 5]\n"
	for b.Loop() {
		spec, err := Parse("bench.toml", []byte(src), Overrides{Seeds: "10"})
		if err != nil {
			b.Fatal(err)
		}
		cells, err := spec.Expand()
		if err != nil || len(cells) != 10_000 {
			b.Fatal(len(cells), err)
		}
	}
}
