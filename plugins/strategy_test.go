package plugins

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/builtin"
	weights "github.com/hansa-fl/hansa/builtin/importance"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins/testdata/kinds"
	"github.com/hansa-fl/hansa/plugins/vet"
	"github.com/hansa-fl/hansa/registry"
	"github.com/hansa-fl/hansa/registry/contract"
)

// load loads a strategy that is right.
func load(t testing.TB, path string) *Strategy {
	t.Helper()
	source, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Load(t.Context(), source, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// menu is everything that is built in, and what else is given.
func menu(t testing.TB, more func(r *registry.Registry) error) *registry.Registry {
	t.Helper()
	r := new(registry.Registry)
	if err := errors.Join(builtin.Register(r), more(r)); err != nil {
		t.Fatal(err)
	}
	return r
}

// compiled adds the components of testdata/kinds as the compiler makes them.
func compiled(r *registry.Registry) error {
	return errors.Join(
		r.Aggregators.Add(kinds.Median, kinds.Helpers, kinds.Census), r.LocalRules.Add(kinds.Proximal),
		r.Importances.Add(kinds.Root), r.Enrollments.Add(kinds.Settlers),
		r.Availability.Add(kinds.Tide, kinds.Weather),
		r.Selections.Add(kinds.Rotate), r.Partitioners.Add(kinds.Ladder),
		r.Preprocessors.Add(kinds.Gather),
		r.Metrics.Add(kinds.Spread), r.Adversaries.Add(kinds.Drag, kinds.Blur), r.Guards.Add(kinds.Fade),
		r.Completions.Add(kinds.Queue), r.Compressors.Add(kinds.Stride),
	)
}

// experiment names a component of every kind of testdata/kinds.
const experiment = `seeds = 5
[setting]
clients      = 8
rounds       = 12
law          = "unknown"
dataset      = { name = "regression", features = 4 }
partition    = "ladder"
preprocess   = [{ name = "gather", share = 0.7 }, "standardize", "gather"]
importance   = { name = "root", slope = 0.3 }
enrollment   = { name = "settlers", far = 2 }
model        = "linear"
local        = { name = "pull", lr = 0.05 }
availability = { name = "tide", favours = { name = "root", slope = 1.0 } }
selection    = { name = "rotate", k = 3 }
aggregator   = { name = "loop-median", beta = 0.7, trim = 1 }
metrics      = ["objective", "spread", { name = "spread", of = "entropy", label = "entropy" }]
[[method]]
label = "x"
[[method]]
label      = "y"
aggregator = { name = "helpers", trim = 1 }
completion = { name = "queue", wait = 3, deadline = 8, dropout = 0.1 }
`

// cellsOf returns the cells of an experiment.
func cellsOf(t testing.TB, text string) []study.Cell {
	t.Helper()
	spec, err := study.Parse("x.toml", []byte(text), study.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	cells, err := spec.Expand()
	if err != nil {
		t.Fatal(err)
	}
	return cells
}

// run composes and runs a cell.
func run(r *registry.Registry, c study.Cell, workers int) (*engine.Result, error) {
	setup, _, problems := r.Compose(c)
	if problems != nil {
		return nil, problems
	}
	return engine.Run(context.Background(), &setup, engine.Options{Workers: workers})
}

// The same file, compiled and interpreted, gives the same bits in every kind of component,
// whichever worker trains the clients.
func TestInterpretedIsCompiled(t *testing.T) {
	s := load(t, "testdata/kinds")
	ours, theirs := menu(t, s.Register), menu(t, compiled)
	for _, cell := range cellsOf(t, experiment) {
		want, err := run(theirs, cell, 1)
		if err != nil {
			t.Fatal(err)
		}
		got, err := run(ours, cell, 1+int(cell.Seed)%3)
		if err != nil {
			t.Fatal(err)
		}
		for k, series := range want.Series {
			if !sameBits(series.Values, got.Series[k].Values) {
				t.Errorf("seed %d: %s is %v interpreted, %v compiled",
					cell.Seed, series.Key, got.Series[k].Values, series.Values)
			}
		}
		if !reflect.DeepEqual(got.Notes, want.Notes) || got.Law != want.Law || got.Data != want.Data {
			t.Errorf("seed %d: %+v interpreted, %+v compiled", cell.Seed, got, want)
		}
		if got.ID == want.ID {
			t.Error("the code of a strategy does not enter the identity of a cell")
		}
	}
}

func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		return math.Float64bits(x) == math.Float64bits(y)
	})
}

// Interpreted components sit the examination that built-in ones sit, and keep the same
// requirements as the same file compiled.
func TestInterpretedKeepsTheContract(t *testing.T) {
	var interpreted, native registry.Registry
	for _, name := range []string{
		"aggregator", "helpers", "local", "importance", "enrollment", "availability", "selection",
		"partition", "preprocess", "metric", "participation", "adversary", "guard",
		"completion", "compressor",
	} {
		if err := load(t, "testdata/kinds/"+name+".go").Register(&interpreted); err != nil {
			t.Fatal(err)
		}
	}
	err := errors.Join(interpreted.Importances.Add(weights.Uniform),
		compiled(&native), native.Importances.Add(weights.Uniform))
	if err != nil {
		t.Fatal(err)
	}
	got, want := broken(&interpreted), broken(&native)
	if !slices.Equal(got, want) || len(got) > 0 {
		t.Errorf("interpreted:\n%s\ncompiled:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func broken(r *registry.Registry) (found []string) {
	for _, v := range contract.Examine(r, contract.Options{}) {
		found = append(found, fmt.Sprint(v))
	}
	return found
}

func TestProvenance(t *testing.T) {
	s := load(t, "testdata/kinds")
	again, one := load(t, "../plugins/testdata/kinds"), load(t, "testdata/kinds/local.go")
	if s.Package != "kinds" || len(s.Hash) != 64 || s.Hash != again.Hash || s.Hash == one.Hash {
		t.Errorf("package %s, hash %s, %s and, of one file, %s", s.Package, s.Hash, again.Hash, one.Hash)
	}
	var r registry.Registry
	if err := s.Register(&r); err != nil {
		t.Fatal(err)
	}
	for _, k := range r.Kinds() {
		for _, d := range k.Entries {
			if d.Source != "sha256:"+s.Hash {
				t.Errorf("%s %s has the source %q", k.Name, d.Name, d.Source)
			}
		}
	}
	var names []string
	for _, e := range s.Entries {
		names = append(names, e.Kind+" "+e.Name)
	}
	want := []string{"adversary drag", "adversary blur", "aggregator loop-median",
		"availability tide", "completion queue", "compressor stride", "enrollment settlers", "guard fade",
		"aggregator helpers", "importance root", "local pull", "metrics spread",
		"availability weather", "aggregator census", "partition ladder", "preprocess gather",
		"selection rotate"}
	if !slices.Equal(names, want) {
		t.Errorf("entries %v, want %v", names, want)
	}
}

// A name can be taken only once, and the error of a second one says where.
func TestNamesAreTakenOnce(t *testing.T) {
	s := load(t, "testdata/kinds")
	r := menu(t, s.Register)
	err := s.Register(r)
	var problems study.Problems
	if !errors.As(err, &problems) || len(problems) != 17 {
		t.Fatalf("registering twice: %v", err)
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	want := `testdata/kinds/adversary.go:7:11: there is a component "drag" of kind adversary ` +
		`already (choose another name)`
	if line != want {
		t.Errorf("%s\nwant %s", line, want)
	}
}

// A variable of the package that takes too long to compute is no riddle: what takes long is said,
// and what to do.
func TestLoadingTakesTooLong(t *testing.T) {
	text := `package p
import "github.com/hansa-fl/hansa/framework/fl"
var Entry = fl.MetricEntry{Name: "p"}
var table = compute()
func compute() (sum int) {
	for sum >= 0 { sum = (sum + 1) % 7 }
	return sum
}
`
	source := NewSource("p.go", []vet.File{{Name: "p.go", Text: text}})
	_, err := Load(t.Context(), source, 50*time.Millisecond)
	const want = "loading takes longer than 50ms (what variables of the package hold is computed"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// What an entry says of its kind alone arrives, interpreted.
func TestTraitsArrive(t *testing.T) {
	source := NewSource("told", []vet.File{{Name: "told.go", Text: `package told

import "github.com/hansa-fl/hansa/framework/fl"

var Told = fl.AggregatorEntry{Name: "told", Summary: "takes sums",
	Traits: fl.AggregatorTraits{Statistics: "sums", Mixes: true},
	New:    func(*fl.Params) (fl.Aggregator, error) { return nil, nil }}

var Seen = fl.PreprocessorEntry{Name: "seen", Summary: "sees labels",
	Traits: fl.PreprocessTraits{Labelled: true},
	New:    func(*fl.Params) (fl.Preprocessor, error) { return nil, nil }}

var Plain = fl.PreprocessorEntry{Name: "plain", Summary: "sees none",
	New: func(*fl.Params) (fl.Preprocessor, error) { return nil, nil }}
`}})
	s, err := Load(t.Context(), source, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	r := new(registry.Registry)
	if err := s.Register(r); err != nil {
		t.Fatal(err)
	}
	told, _ := r.Aggregators.Get("told")
	want := fl.AggregatorTraits{Statistics: "sums", Mixes: true}
	if got := fl.TraitsOf[fl.AggregatorTraits](told); !reflect.DeepEqual(got, want) {
		t.Errorf("have %+v, want %+v", got, want)
	}
	for _, name := range []string{"seen", "plain"} {
		e, _ := r.Preprocessors.Get(name)
		if got := fl.TraitsOf[fl.PreprocessTraits](e).Labelled; got != (name == "seen") {
			t.Errorf("%s sees labels: %t", name, got)
		}
	}
}
