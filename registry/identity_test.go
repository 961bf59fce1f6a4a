package registry_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
)

// homes are cells of which one can hold any component.
func homes(t *testing.T) []study.Cell {
	t.Helper()
	return []study.Cell{cellOf(t, ""), cellOf(t, "aggregator = \"dp-fedavg\"\n"), cellOf(t, `dataset = { name = "mnist", train = 60 }
partition = "iid"
model = { name = "softmax", l2 = 0.1 }
`), cellOf(t, `dataset = { name = "glyphs", image = "colour" }
partition = "iid"
model = "softmax"
`), cellOf(t, "dataset = \"surveyed\"\n"), cellOf(t, `dataset = "population-logistic"
partition = "natural"
model = "logistic"
disclosure = "full"
oracle = true
`), cellOf(t, `dataset = { name = "glyphs", image = "colour" }
partition = "iid"
model = "mlp"
aggregator = "code"
rounds = 1
validation = 0.1
`), cellOf(t, `dataset = { name = "glyphs", domains = 5 }
partition = "iid"
model = "softmax"
`), cellOf(t, "dataset = { name = \"glyphs\", image = \"colour\", domains = 5 }\n"+
		"partition = \"domains\"\nmodel = \"softmax\"\n"), heads(t, "class-moments", "fedcgs"), heads(t, "class-mixture", "fedpft"),
		heads(t, "validated-sgd", "validated-average"), heads(t, "scaffold", "scaffold"),
		heads(t, "feddyn", "feddyn"), heads(t, "fednova", "fednova"), heads(t, "fedcm", "fedcm"),
		heads(t, "mimelite", "mimelite"), heads(t, "scaffnew", "scaffnew"), publicly(t, "fedkt", "fedkt"),
		heads(t, "ifca", "ifca"), heads(t, "fedlaavg", "fedlaavg"), heads(t, "fedawe", "fedawe"),
		heads(t, "regmean", "regmean"), heads(t, "fisher", "fisher-merging"),
		cellOf(t, "dataset = \"shakespeare\"\nmodel = \"lstm\"\n"),
		cellOf(t, "dataset = { name = \"glyphs\", image = \"colour\" }\npartition = \"iid\"\n"+
			"model = { name = \"resnet9\", norm = \"batch\", width = 2 }\n"),
		cellOf(t, "aggregator = \"f3ast\"\nselection = { name = \"f3ast\", k = 3 }\n"),
		deep(t, "fedproto", "fedproto"), deep(t, "fedma", "fedma-layerwise"), cellOf(t, `dataset = { name = "glyphs", image = "colour" }
partition = "iid"
model = "softmax"
aggregator = "fedavg"
law = "unknown"
`), cellOf(t, "local = \"drfa\"\naggregator = \"drfa\"\nselection = { name = \"drfa\", k = 3 }\n"+
			"law = \"unknown\"\n"), publicly(t, "sgd", "feddf"), publicly(t, "fedmd", "fedmd"), publicly(t, "ccvr", "ccvr")}
}

// heads is a cell of the two halves of a method, deep one of a network.
func heads(t *testing.T, local, aggregator string) study.Cell {
	return both(t, "softmax", local, aggregator)
}
func deep(t *testing.T, local, aggregator string) study.Cell {
	return both(t, "mlp", local, aggregator)
}

func both(t *testing.T, model, local, aggregator string) study.Cell {
	t.Helper()
	return cellOf(t, fmt.Sprintf("dataset = { name = \"glyphs\", image = \"colour\" }\n"+
		"partition = \"iid\"\nmodel = %q\nlocal = %q\naggregator = %q\n", model, local, aggregator))
}

// surveyed are data of clients of which something is known; no test reads them.
var surveyed = fl.SourceEntry{Name: "surveyed",
	New: func(*fl.Params) (fl.Source, error) { return survey{}, nil }}

type survey struct{}

func (survey) Shape() fl.Shape {
	return fl.Shape{Features: 3, Owned: true, Covariates: []string{"age", "income"}}
}

func (survey) Load(*fl.LoadInput) (train, test *fl.Dataset, err error) {
	return nil, nil, errors.New("no client was asked")
}

// with returns a cell with another component in a slot.
func with(c study.Cell, kind string, p study.Pick) study.Cell {
	c.Picks, c.Origins = maps.Clone(c.Picks), nil
	switch kind {
	case "metrics":
		c.Measures = []study.Measure{{Pick: p, Key: "m"}}
	case "preprocess":
		if c.Preprocess = nil; p.Name != "" {
			c.Preprocess = []study.Pick{p}
		}
	case "optimizer": // which a local rule holds
		own := map[string]any{"name": p.Name}
		maps.Copy(own, p.Params)
		c.Picks["local"] = study.Pick{Name: "sgd", Params: map[string]any{"optimizer": own}}
	default:
		if c.Picks[kind] = p; p.Name == "" { // a cell need not name one
			delete(c.Picks, kind)
		}
	}
	return c
}

// pickOf returns what a resolved cell holds in a slot.
func pickOf(c study.Cell, kind string) study.Pick {
	switch kind {
	case "metrics":
		return c.Measures[0].Pick
	case "preprocess":
		if len(c.Preprocess) == 0 {
			return study.Pick{}
		}
		return c.Preprocess[0]
	case "optimizer":
		own, given := c.Picks["local"].Params["optimizer"].(map[string]any)
		if !given {
			return study.Pick{Name: "sgd"} // the default
		}
		own = maps.Clone(own)
		name, _ := own["name"].(string)
		delete(own, "name")
		return study.Pick{Name: name, Params: own}
	}
	return c.Picks[kind]
}

// everyComponent calls visit for every component in a cell that it fits.
func everyComponent(t *testing.T, r *registry.Registry, visit func(
	c study.Cell, kind string, d registry.Description,
)) {
	t.Helper()
	for _, k := range r.Kinds() {
		for _, d := range k.Entries {
			d.Example = example(d)
			fits := slices.IndexFunc(homes(t), func(c study.Cell) bool {
				_, _, problems := r.Compose(with(c, k.Name, study.Pick{Name: d.Name, Params: d.Example}))
				return len(problems) == 0
			})
			if fits < 0 {
				t.Errorf("%s %s fits neither cell", k.Name, d.Name)
				continue
			}
			visit(homes(t)[fits], k.Name, d)
		}
	}
}

// example returns parameters with which a component can be built.
func example(d registry.Description) map[string]any {
	params := map[string]any{}
	maps.Copy(params, d.Example)
	for _, spec := range d.Params {
		if spec.Required && len(spec.Options) > 0 {
			params[spec.Name] = spec.Options[0]
		}
	}
	return params
}

// The identity of a cell is that of its resolved form: to write a default out changes
// nothing, of any parameter of any component, nor to write all of them.
func TestDefaultsMayBeWritten(t *testing.T) {
	r := menu(t)
	written := 0
	everyComponent(t, r, func(c study.Cell, kind string, d registry.Description) {
		short, _ := compose(t, r, with(c, kind, study.Pick{Name: d.Name, Params: d.Example}))
		all := map[string]any{}
		maps.Copy(all, d.Example)
		for _, spec := range d.Params {
			if _, given := d.Example[spec.Name]; given || spec.Default == nil {
				continue
			}
			one := map[string]any{}
			maps.Copy(one, d.Example)
			one[spec.Name] = toml(spec.Default)
			all[spec.Name] = toml(spec.Default)
			long, _ := compose(t, r, with(c, kind, study.Pick{Name: d.Name, Params: one}))
			if long.ID != short.ID {
				t.Errorf("%s %s: writing the default of %s makes another cell", kind, d.Name, spec.Name)
			}
			written++
		}
		long, _ := compose(t, r, with(c, kind, study.Pick{Name: d.Name, Params: all}))
		if long.ID != short.ID {
			t.Errorf("%s %s: writing all defaults makes another cell", kind, d.Name)
		}
	})
	if written < 40 {
		t.Errorf("%d defaults were written", written)
	}
}

// toml returns a value as an experiment file has it.
func toml(v any) any {
	switch v := v.(type) {
	case int:
		return int64(v)
	case []float64:
		return anys(v)
	case []int64:
		return anys(v)
	case []int:
		var list []int64
		for _, x := range v {
			list = append(list, int64(x))
		}
		return anys(list)
	case []any:
		var list []any
		for _, x := range v {
			list = append(list, toml(x))
		}
		return list
	case map[string]any:
		table := map[string]any{}
		for key, x := range v {
			table[key] = toml(x)
		}
		return table
	}
	return v
}

func anys[T any](list []T) []any {
	var all []any
	for _, x := range list {
		all = append(all, x)
	}
	return all
}

// A resolved cell, written down as it is, composes to itself.
func TestResolvedCellsAreFixed(t *testing.T) {
	r := menu(t)
	everyComponent(t, r, func(c study.Cell, kind string, d registry.Description) {
		s, resolved := compose(t, r, with(c, kind, study.Pick{Name: d.Name, Params: d.Example}))
		p := pickOf(resolved, kind)
		params, _ := toml(p.Params).(map[string]any)
		again, twice := compose(t, r, with(c, kind, study.Pick{Name: p.Name, Params: params}))
		if again.ID != s.ID || !reflect.DeepEqual(pickOf(twice, kind), p) {
			t.Errorf("%s %s: %v became %v", kind, d.Name, p, pickOf(twice, kind))
		}
		for _, spec := range d.Params {
			_, ok := p.Params[spec.Name]
			if !ok && (spec.Default != nil || spec.Required) && !spec.Later {
				t.Errorf("%s %s: %s is not resolved", kind, d.Name, spec.Name)
			}
		}
	})
}

// Another component, or another value of any parameter, is another cell.
func TestEveryParameterCounts(t *testing.T) {
	r := menu(t)
	changed := 0
	everyComponent(t, r, func(c study.Cell, kind string, d registry.Description) {
		s, resolved := compose(t, r, with(c, kind, study.Pick{Name: d.Name, Params: d.Example}))
		usual := pickOf(c, kind)
		if own, _ := compose(t, r, with(c, kind, usual)); own.ID == s.ID && usual.Name != d.Name {
			t.Errorf("%s %s and %s are the same cell", kind, d.Name, usual.Name)
		}
		for _, spec := range d.Params {
			params := map[string]any{}
			maps.Copy(params, d.Example)
			params[spec.Name] = other(spec, pickOf(resolved, kind).Params[spec.Name])
			x, _, problems := r.Compose(with(c, kind, study.Pick{Name: d.Name, Params: params}))
			if len(problems) > 0 { // some values need others beside them
				continue
			}
			changed++
			if x.ID == s.ID {
				t.Errorf("%s %s: %s = %v is the same cell", kind, d.Name, spec.Name, params[spec.Name])
			}
		}
	})
	if changed < 40 {
		t.Errorf("%d parameters were changed", changed)
	}
}

// other returns a value of a parameter that differs from the one it has.
func other(spec fl.Spec, now any) any {
	switch v := now.(type) {
	case bool:
		return !v
	case int64:
		for _, x := range []int64{v + 1, v - 1} {
			if spec.Range.Has(float64(x)) {
				return x
			}
		}
	case float64:
		for _, x := range []float64{v / 2, v + 0.25} {
			if spec.Range.Has(x) && x != v {
				return x
			}
		}
	case string:
		for _, option := range spec.Options {
			if option != v {
				return option
			}
		}
	case map[string]any:
		if spec.Kind == "optimizer" {
			return map[string]any{"name": "adam", "beta1": 0.8}
		}
		return map[string]any{"name": "power", "exponent": 3.0}
	case []float64:
		return append(anys(v[1:]), 9.0)
	case []int64:
		return append(anys(v[1:]), int64(9))
	}
	return []any{1.0, 2.0, 3.0, 4.0, 5.0, 6.0}
}

// How a value is written does not matter, what it is does.
func TestSpellings(t *testing.T) {
	r := menu(t)
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`local = { name = "sgd", lr = 1 }`, `local = { name = "sgd", lr = 1.0 }`, true},
		{`local = { name = "sgd", lr = 0.1 }`, `local = "sgd"`, true},
		{`local = { name = "sgd", lr = 0.1 }`, `local = { name = "sgd", lr = 0.10000000000000002 }`, false},
		{`availability = { k = 2, prior = { name = "uniform" }, design = "successive" }`, ``, true},
		{`availability = { prior = "linear" }`,
			`availability = { prior = { name = "linear", direction = "decreasing" } }`, true},
		{`availability = { prior = "linear" }`,
			`availability = { prior = { name = "linear", direction = "increasing" } }`, false},
		{`availability = { prior = "linear" }`, `availability = { prior = "power" }`, false},
		{`importance = { name = "list", weights = [1, 2, 3, 4, 5, 6] }`,
			`importance = { name = "list", weights = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0] }`, true},
		{`importance = { name = "list", weights = [1, 2, 3, 4, 5, 6] }`,
			`importance = { name = "list", weights = [2, 1, 3, 4, 5, 6] }`, false},
		{`metrics = [{ name = "clients", statistic = "worst-decile", of = "loss", on = "train" }]`,
			`metrics = [{ name = "clients" }]`, true},
		{`metrics = ["objective"]`, `metrics = [{ name = "objective", iterate = "average" }]`, false},
		{`metrics = ["objective", "upload"]`, `metrics = ["upload", "objective"]`, false},
	} {
		a, _ := compose(t, r, cellOf(t, c.a+"\n"))
		b, _ := compose(t, r, cellOf(t, c.b+"\n"))
		if (a.ID == b.ID) != c.same {
			t.Errorf("same cell = %t:\n%s\n%s", a.ID == b.ID, c.a, c.b)
		}
	}
}

// Cells share a population when they agree in data, partition, clients and data seed, and a
// goal when they agree in importance and model beside; nothing else matters for either.
func TestWhatCellsShare(t *testing.T) {
	r := menu(t)
	seeded := func(lines string, seed uint64) study.Cell {
		c := cellOf(t, lines)
		c.Seed = seed
		if !c.SameData {
			c.DataSeed = seed
		}
		return c
	}
	for _, c := range []struct {
		name       string
		a, b       study.Cell
		data, goal bool
	}{
		{"seed", seeded("", 1), seeded("", 2), false, false},
		{"seed, with one data_seed", seeded("data_seed = 0\n", 1), seeded("data_seed = 0\n", 2), true, true},
		{"data_seed", seeded("data_seed = 0\n", 1), seeded("data_seed = 3\n", 1), false, false},
		{"data_seed that is the seed", seeded("data_seed = 1\n", 1), seeded("", 1), true, true},
		{"clients", seeded("clients = 7\n", 1), seeded("", 1), false, false},
		{"dataset", seeded("dataset = { noise = 0.2 }\n", 1), seeded("", 1), false, false},
		{"dataset by default", seeded("dataset = { noise = 0.1 }\n", 1), seeded("", 1), true, true},
		{"partition", seeded("partition = \"iid\"\n", 1), seeded("", 1), false, false},
		{"importance", seeded("importance = \"uniform\"\n", 1), seeded("", 1), true, false},
		{"model", seeded("model = { loss = \"half-mse\" }\n", 1), seeded("", 1), true, false},
		{"local", seeded("local = { lr = 1 }\n", 1), seeded("", 1), true, true},
		{"availability", seeded("availability = \"always\"\n", 1), seeded("", 1), true, true},
		{"selection", seeded("selection = { name = \"uniform-k\", k = 1 }\n", 1), seeded("", 1), true, true},
		{"aggregator", seeded("aggregator = \"fedavot\"\n", 1), seeded("", 1), true, true},
		{"rounds, law and metrics",
			seeded("rounds = 99\nlaw = \"unknown\"\nmeasure_every = 2\nmetrics = [\"upload\"]\n", 1),
			seeded("", 1), true, true},
	} {
		a, _ := compose(t, r, c.a)
		b, _ := compose(t, r, c.b)
		if (a.DataKey == b.DataKey) != c.data || (a.GoalKey == b.GoalKey) != c.goal {
			t.Errorf("%s: same data = %t, same goal = %t",
				c.name, a.DataKey == b.DataKey, a.GoalKey == b.GoalKey)
		}
		if a.DataKey == a.GoalKey {
			t.Errorf("%s: data and goal have one key", c.name)
		}
	}
}
