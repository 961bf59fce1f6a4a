package registry_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
)

// entry is a selection mechanism that selects no client.
func entry(name string) fl.SelectionEntry {
	return fl.SelectionEntry{Name: name, New: func(*fl.Params) (fl.Selection, error) { return nil, nil }}
}

func TestAddTakesNames(t *testing.T) {
	var table registry.Table[fl.Selection]
	good := []string{"a", "uniform-k", "7", "top-10-percent", "x2"}
	for _, name := range good {
		if err := table.Add(entry(name)); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"", "Uniform", "a b", "-a", "a-", "a--b", "a_b", "ä", "a.b", "a\n"} {
		if err := table.Add(entry(name)); err == nil || !strings.Contains(err.Error(), "is no name") {
			t.Errorf("%q: %v", name, err)
		}
	}
	slices.Sort(good)
	if got := table.Names(); !slices.Equal(got, good) {
		t.Errorf("names are %v, want %v", got, good)
	}
}

// Every mistake is reported, and what is right is there all the same. The first of a name
// stays.
func TestAddReportsEveryMistake(t *testing.T) {
	var table registry.Table[fl.Selection]
	first, again := entry("a"), entry("a")
	first.Summary = "the first"
	err := table.Add(first, again, entry("B"), fl.SelectionEntry{Name: "c"}, entry("d"))
	const want = "registry: \"a\" is already registered\n" +
		"registry: \"B\" is no name: want [a-z0-9] and -\n" +
		"registry: \"c\" has no New"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want\n%s", err, want)
	}
	if got := table.Names(); !slices.Equal(got, []string{"a", "d"}) {
		t.Errorf("names are %v", got)
	}
	if err := table.Add(entry("d")); err == nil {
		t.Error("a name of an earlier call can be taken again")
	}
	if e, ok := table.Get("a"); !ok || e.Summary != "the first" {
		t.Errorf("a is %q, %t", e.Summary, ok)
	}
	if _, ok := table.Get("b"); ok {
		t.Error("there is a b")
	}
}

// A registry is a value: another one knows nothing of what this one was given.
func TestRegistriesShareNothing(t *testing.T) {
	var a, b registry.Registry
	if err := a.Selections.Add(entry("a")); err != nil {
		t.Fatal(err)
	}
	if got := b.Selections.Names(); len(got) != 0 {
		t.Errorf("the other registry has %v", got)
	}
}

// Every table of the registry is listed by Kinds, under a slot of an experiment, once.
func TestKindsAreComplete(t *testing.T) {
	var r registry.Registry
	tables := reflect.ValueOf(&r).Elem()
	fields := 0
	for i := range tables.NumField() {
		if tables.Field(i).Kind() != reflect.Struct {
			continue // no table
		}
		fields++
		name := strings.ToLower(tables.Type().Field(i).Name)
		add := tables.Field(i).Addr().MethodByName("Add")
		e := reflect.New(add.Type().In(0).Elem()).Elem()
		e.FieldByName("Name").SetString(name)
		build := e.FieldByName("New")
		build.Set(reflect.MakeFunc(build.Type(), func([]reflect.Value) []reflect.Value {
			return []reflect.Value{reflect.Zero(build.Type().Out(0)), reflect.Zero(build.Type().Out(1))}
		}))
		if err := add.Call([]reflect.Value{e})[0]; !err.IsNil() {
			t.Fatal(err)
		}
	}
	var slots []string
	seen := map[string]bool{}
	for _, k := range r.Kinds() {
		slots = append(slots, k.Name)
		if k.Meaning == "" || len(k.Entries) != 1 || k.Entries[0].Kind != k.Name {
			t.Errorf("kind %+v", k)
			continue
		}
		seen[k.Entries[0].Name] = true
	}
	if len(seen) != fields || len(slots) != fields {
		t.Errorf("%d tables, of which Kinds lists %v", fields, seen)
	}
	// An optimizer has no slot of its own: a local rule holds it. Preprocessors stand in a row.
	slots = slices.DeleteFunc(slots, func(name string) bool {
		return name == "optimizer" || name == "preprocess"
	})
	// Public data are one more dataset, and what compresses models is one more compressor.
	own := slices.DeleteFunc(study.Slots(), func(name string) bool {
		return name == "public" || name == "download"
	})
	if want := append(own, "metrics"); !slices.Equal(slots, want) {
		t.Errorf("kinds are %v, the slots of an experiment %v", slots, want)
	}
}

// Kinds say of an entry what it says of itself, and what it declares without parameters.
func TestDescriptions(t *testing.T) {
	var r registry.Registry
	e := entry("b")
	e.Summary, e.Paper, e.Deviations = "sums", "paper", "deviates"
	e.Example, e.Waives = map[string]any{"k": int64(3)}, map[string]string{"law": "none"}
	e.New = func(p *fl.Params) (fl.Selection, error) {
		p.Int("k", 2, fl.AtLeast(1), "how many")
		p.Importance("prior", "uniform", "which")
		return nil, nil
	}
	if err := r.Selections.Add(e, entry("a")); err != nil {
		t.Fatal(err)
	}
	for _, k := range r.Kinds() {
		if k.Name != "selection" {
			continue
		}
		if len(k.Entries) != 2 || k.Entries[0].Name != "a" {
			t.Fatalf("entries %+v", k.Entries)
		}
		d := k.Entries[1]
		in := fl.AtLeast(1)
		want := registry.Description{Kind: "selection", Name: "b", Summary: "sums", Paper: "paper",
			Deviations: "deviates", Example: e.Example, Waives: e.Waives, Params: []fl.Spec{
				{Name: "k", Kind: "int", Default: 2, Range: &in, Doc: "how many"},
				{Name: "prior", Kind: "importance", Default: "uniform", Doc: "which"},
			}}
		if !reflect.DeepEqual(d, want) {
			t.Errorf("description %+v, want %+v", d, want)
		}
	}
}

// alike weighs all updates alike.
type alike struct{}

func (alike) Weights(r *fl.Round) (fl.Weights, error) {
	w := r.Scratch(len(r.Updates))
	w.Fill(1)
	return fl.Weights{By: w}, nil
}

// A description says of an aggregator whether it sums models as they come.
func TestWeightedSumsAreDescribed(t *testing.T) {
	var r registry.Registry
	for name, a := range map[string]fl.Aggregator{"sum": fl.Weigh(alike{}),
		"other": struct{ fl.Aggregator }{fl.Weigh(alike{})}} {
		e := fl.AggregatorEntry{Name: name, Summary: name,
			New: func(*fl.Params) (fl.Aggregator, error) { return a, nil }}
		if err := r.Aggregators.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	for _, k := range r.Kinds() {
		for _, d := range k.Entries {
			sums := len(d.Says) == 1 && strings.HasPrefix(d.Says[0], "Adds models up")
			if sums != (d.Name == "sum") || len(d.Says) > 1 {
				t.Errorf("%s: sums models as they come: %q", d.Name, d.Says)
			}
		}
	}
}
