package registry_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
)

// base is a small experiment; what a test adds to its end belongs to the method.
const base = `[setting]
clients      = 6
rounds       = 5
dataset      = { name = "regression", features = 3 }
partition    = "natural"
importance   = "linear"
model        = "linear"
local        = "sgd"
availability = "k-subset"
selection    = "all"
aggregator   = "fedavg"
metrics      = ["objective"]
[[method]]
label = "x"
`

// menu is everything that is built in, and data of clients of which something is known.
func menu(t *testing.T) *registry.Registry {
	t.Helper()
	r := new(registry.Registry)
	if err := errors.Join(builtin.Register(r), r.Sources.Add(surveyed)); err != nil {
		t.Fatal(err)
	}
	return r
}

// cellOf returns the one cell of base with some lines added.
func cellOf(t *testing.T, lines string) study.Cell {
	t.Helper()
	spec, err := study.Parse("x.toml", []byte(base+lines), study.Overrides{})
	if err != nil {
		t.Fatalf("%s\n%v", lines, err)
	}
	cells, err := spec.Expand()
	if err != nil {
		t.Fatalf("%s\n%v", lines, err)
	}
	return cells[0]
}

// compose composes a cell without problems, and checks that its two identities agree.
func compose(t *testing.T, r *registry.Registry, c study.Cell) (engine.Setup, study.Cell) {
	t.Helper()
	s, resolved, problems := r.Compose(c)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if s.ID == "" || s.ID != resolved.ID() {
		t.Errorf("the setup is %q, the resolved cell %q", s.ID, resolved.ID())
	}
	return s, resolved
}

// What a cell says of itself arrives in its setup.
func TestComposeCarriesTheCell(t *testing.T) {
	c := cellOf(t, `clients = 7
rounds = 9
measure_every = 4
law = "unknown"
data_seed = 11
metrics = [{ name = "objective", label = "mean", iterate = "average" }, "upload"]
`)
	c.Seed = 5
	s, _ := compose(t, menu(t), c)
	if s.Seed != 5 || s.DataSeed != 11 || s.Clients != 7 || s.Rounds != 9 || s.Every != 4 || s.Law {
		t.Errorf("setup %+v", s)
	}
	for name, part := range map[string]any{
		"Source": s.Source, "Partition": s.Partition, "Importance": s.Importance, "Model": s.Model,
		"Local": s.Local, "Availability": s.Availability, "Selection": s.Selection, "Aggregator": s.Aggregator,
	} {
		if part == nil {
			t.Errorf("there is no %s", name)
		}
	}
	if n := s.Model.Layout().Len(); n != 3 {
		t.Errorf("the model has %d parameters for 3 features", n)
	}
	if len(s.Measures) != 2 || s.Measures[0].Key != "mean" || !s.Measures[0].Average ||
		s.Measures[1].Average || s.Measures[1].Metric.Unit() != "B" {
		t.Errorf("measures %+v", s.Measures)
	}
}

// Every mistake is told at its place, with what was meant; all of them at once. The lines
// below base begin at line 15.
func TestProblemsHaveTheirPlace(t *testing.T) {
	for _, c := range []struct {
		lines string
		want  []string
	}{
		{`aggregator = "fedevg"`, []string{
			`15:14: aggregator: there is no "fedevg" (did you mean "fedavg"?)`}},
		// A name of other kinds is told where it belongs.
		{`aggregator = "fedprox"` + "\n" + `model = "standardize"` + "\n" + `metrics = ["sgd"]`,
			[]string{
				`15:14: aggregator: there is no "fedprox" (fedprox is a local rule: ` +
					`local = "fedprox")`,
				`16:9: model: there is no "standardize" (standardize is a preprocessor: ` +
					`preprocess = "standardize")`,
				`17:12: metric: there is no "sgd" (sgd is a local rule: local = "sgd", and an ` +
					`optimizer: local.optimizer = "sgd")`}},
		{`local = { name = "sgd", lr = -1, stepz = 4 }`, []string{
			`15:30: local sgd: lr: -1 is outside [0, +Inf)`,
			`15:34: local sgd: stepz: no such parameter (did you mean "steps"?)`}},
		{`local = { name = "sgd", lr = "0.1" }`, []string{
			`15:30: local sgd: lr: want a number, have the string "0.1" (remove the quotes)`}},
		{`aggregator = { name = "fedavg", weights = "unifrom" }`, []string{
			`15:43: aggregator fedavg: weights: "unifrom" is not one of its options ` +
				`(did you mean "uniform"?)`}},
		{`availability = { name = "k-subset", k = 9 }`, []string{
			`15:41: availability k-subset: k: 9 of 6 clients`}},
		{"clients = 1", []string{ // the default k = 2 has no place of its own: its component has
			`9:16: availability k-subset: k: 2 of 1 clients (k = 2 is the default)`}},
		{`metrics = ["objective", { name = "clients", statistic = "wrost" }, "los"]`, []string{
			`15:57: metric clients: statistic: "wrost" is not one of its options ` +
				`(did you mean "worst"?)`,
			`15:68: metric: there is no "los" (did you mean "loss"?)`}},
		// Parts of a cell that are wrong for reasons of their own are all told.
		{`local = "sgdd"` + "\n" + `selection = { name = "uniform-k", k = 10 }`, []string{
			`15:9: local: there is no "sgdd" (did you mean "sgd"?)`,
			`16:39: selection uniform-k: k: 10 of 6 clients`}},
		// Without data there is no setting that a model or a number of clients could fit.
		{`dataset = "regresion"` + "\n" + `model = "softmax"` + "\n" + `selection = "uniform-k"`, []string{
			`15:11: dataset: there is no "regresion" (did you mean "regression"?)`}},
		{`dataset = { name = "make-regression", samples = 7 }` + "\n" + `model = "softmax"`, []string{
			`15:49: dataset make-regression: samples: 7 rows do not divide among 6 clients`}},
	} {
		complains(t, c.lines, c.want)
	}
}

// What is wrong within a component of a component has the path to it, in message and place.
func TestNestedProblemsHaveTheirPath(t *testing.T) {
	for prior, want := range map[string]string{
		`"linaer"`: `45: availability k-subset: prior: importance: there is no "linaer" ` +
			`(did you mean "linear"?)`,
		`{ name = "linaer" }`: `54: availability k-subset: prior: importance: there is no "linaer" ` +
			`(did you mean "linear"?)`,
		`{ name = "power", exponent = 200 }`: `74: availability k-subset: prior: importance power: ` +
			`exponent: 200 is outside [0, 100]`,
		`{ name = "power", exponnet = 2 }`: `63: availability k-subset: prior: importance power: ` +
			`exponnet: no such parameter (did you mean "exponent"?)`,
		`{ name = "linear", direction = "up" }`: `76: availability k-subset: prior: importance ` +
			`linear: direction: "up" is not one of its options (known: decreasing, increasing)`,
		`{ name = "list", weights = [1, 2] }`: `72: availability k-subset: prior: importance list: ` +
			`weights: 2 weights for 6 clients`,
		`{ name = 3 }`: `54: availability k-subset: prior.name: want a string, have 3 (known: ` +
			`exponential, linear, list, power, samples, uniform)`,
		`3`: `45: availability k-subset: prior: want the name of an importance or a table with ` +
			`one, have 3 (known: exponential, linear, list, power, samples, uniform)`,
		`{ exponent = 2 }`: `45: availability k-subset: prior: want the name of an importance or a ` +
			`table with one, have a table without (known: exponential, linear, list, power, samples, ` +
			`uniform)`,
	} {
		line := `availability = { name = "k-subset", prior = ` + prior + ` }`
		complains(t, line, []string{"15:" + want})
	}
}

// A component may hold a data set of its own: none that it is not given, and all parameters of
// the one that it is.
func TestNestedDataSets(t *testing.T) {
	known := " (known: " + strings.Join(menu(t).Sources.Names(), ", ") + ")"
	for _, c := range []struct {
		given    any // nil: nothing
		resolved any
		want     string
	}{
		{nil, nil, ""},
		{"glyphs", "glyphs", ""},
		{map[string]any{"name": "glyphs", "train": int64(7)}, "glyphs", ""},
		{map[string]any{"name": "glyphs", "train": int64(0)}, nil,
			"public: dataset glyphs: train: 0 is outside [1, 1e+06]"},
		{"", nil, `public: want the name of a dataset or a table with one, have the string ""` + known},
	} {
		given := map[string]any{}
		if c.given != nil {
			given["public"] = c.given
		}
		p := menu(t).Params(given, fl.Setting{Clients: 6})
		source := p.Source("public", "what is for all to see")
		var found []string
		for _, q := range p.Finish() {
			if q.Allowed != nil {
				q.Message += " (known: " + strings.Join(q.Allowed, ", ") + ")"
			}
			found = append(found, q.Message)
		}
		if got := strings.Join(found, "; "); got != c.want || (source != nil) != (c.resolved != nil) {
			t.Errorf("%v: %v, %q, want %q", c.given, source, got, c.want)
		}
		resolved, _ := p.Resolved()["public"].(map[string]any)
		if resolved["name"] != c.resolved && found == nil || c.resolved != nil && resolved["test"] == nil {
			t.Errorf("%v: resolved %v", c.given, resolved)
		}
	}
}

// What does not fit together is said where the part that does not fit is named.
func TestMisfits(t *testing.T) {
	for lines, want := range map[string]string{
		`model = "softmax"`: `15:9: model softmax: needs classes; these data have a regression target`,
		`dataset = "mnist"`: `5:16: partition natural: needs rows that come with a client; these do ` +
			"not\nx.toml:7:16: model linear: needs a regression target; these data have classes",
		`metrics = ["loss", "accuracy"]`: `15:20: metric accuracy: needs classes; these data have a ` +
			`regression target`,
		`metrics = [{ name = "clients", of = "accuracy" }]`: `15:37: metric clients: of: accuracy ` +
			`needs classes; these data have a regression target`,
		`partition = "shards"`: `15:13: partition shards: needs classes; regression data have none`,
		"law = \"unknown\"\n" + `aggregator = { name = "fedavg", weights = "ht" }`: `16:43: aggregator ` +
			`fedavg: weights: ht needs inclusion probabilities; law = "unknown" hides them`,
		"dataset = \"mnist\"\npartition = \"iid\"\nmodel = \"softmax\"\n" + `metrics = ["distance"]`: `18:12: ` +
			`metric distance: needs the optimum: of linear or quantile, or of softmax or logistic with l2 > 0`,
	} {
		complains(t, lines, []string{want})
	}
}

// A selection that repeats clients needs an aggregator that counts them, one that depends on the
// model a hidden law and clients with models, and weights by what it states one that states it.
func TestSelectionsFit(t *testing.T) {
	const md = "selection = { name = \"md\", k = 2 }\n"
	const optimal = "selection = { name = \"optimal\", k = 2 }\n"
	for lines, want := range map[string]string{
		md + `aggregator = "fedavot"`: `16:14: aggregator fedavot: counts each client of a cohort ` +
			`once, and selection md may select one several times (` + repeating(t) +
			` counts them as often)`,
		optimal: `15:22: selection optimal: depends on the model, so the server cannot know the ` +
			`cohort distribution (law = "unknown" hides it)`,
		`aggregator = { name = "fedavg", weights = "stated" }`: `15:43: aggregator fedavg: weights: ` +
			`stated: this selection does not state how often it counts clients`,
		"dataset = \"glyphs\"\npartition = \"iid\"\nmodel = \"softmax\"\n" + optimal +
			"law = \"unknown\"\nlocal = \"class-moments\"\naggregator = \"fedcgs\"": `18:22: selection ` +
			`optimal: needs losses, norms or updates of models, and local class-moments sends class moments`,
	} {
		complains(t, lines, []string{want})
	}
	_, fine := compose(t, menu(t), cellOf(t, optimal+"law = \"unknown\"\n"+
		`aggregator = { name = "fedavg", weights = "stated" }`+"\n"))
	if fine.Law {
		t.Error("the law is told")
	}
}

// repeating names three aggregators of the menu that count repeated clients, and how many others do.
func repeating(t *testing.T) string {
	t.Helper()
	table, names := &menu(t).Aggregators, []string(nil)
	for _, name := range table.Names() {
		e, _ := table.Get(name)
		if fl.TraitsOf[fl.AggregatorTraits](e).Repeats {
			names = append(names, fmt.Sprintf("aggregator = %q", name))
		}
	}
	return fmt.Sprintf("%s or one of %d others", strings.Join(names[:3], " or "), len(names)-3)
}

// complains composes base with some lines, and wants these problems.
func complains(t *testing.T, lines string, want []string) {
	t.Helper()
	s, _, problems := menu(t).Compose(cellOf(t, lines+"\n"))
	all := "x.toml:" + strings.Join(want, "\nx.toml:")
	if got := problems.Error(); got != all {
		t.Errorf("%s\ngot\n%s\nwant\n%s", lines, got, all)
	}
	if s.ID != "" {
		t.Errorf("%s\nwhat does not compose has an identity", lines)
	}
}

// A cell that leaves a slot empty is refused by the name of the slot; that everyone is enrolled and
// honest, that all finish at once, and that there are neither public data, a compressor nor a guard,
// goes without saying.
func TestEmptySlots(t *testing.T) {
	for _, slot := range study.Slots() {
		c := cellOf(t, "")
		delete(c.Picks, slot)
		_, _, problems := menu(t).Compose(c)
		if slot == "enrollment" || slot == "public" || slot == "adversary" ||
			slot == "guard" || slot == "compressor" || slot == "download" || slot == "completion" {
			if len(problems) > 0 {
				t.Error(problems)
			}
			continue
		}
		if got := problems.Error(); got != slot+": is missing" {
			t.Errorf("without %s: %s", slot, got)
		}
	}
}

// Whether test rows belong to clients is known once the partition is, before anything is read.
func TestTestRowsOfClients(t *testing.T) {
	r := menu(t)
	for _, c := range []struct {
		domains, partition, want string
	}{
		{"4", `"natural"`, ""},
		{"4", `"domains"`, ""},
		{"4", `{ name = "domains", alpha = 0.1 }`, ""},
		{"4", `"iid"`, "metric accuracy: weighting: uniform needs test data that belong to clients; " +
			"by this dataset and partition they do not, but with test = \"client\" or held_out"},
		{"4", `"nowhere"`, `partition: there is no "nowhere"`},
		{"1", `"domains"`, "partition domains: needs rows of domains; these have none"},
		{"8", `"domains"`, "partition domains: 8 domains need as many clients or more; there are 6"},
	} {
		_, _, problems := r.Compose(cellOf(t, `dataset = { name = "glyphs", domains = `+c.domains+` }
model = "softmax"
partition = `+c.partition+`
metrics = [{ name = "accuracy", weighting = "uniform" }]
`))
		var said []string
		for _, p := range problems {
			said = append(said, p.Message)
		}
		if got := strings.Join(said, "; "); got != c.want {
			t.Errorf("%s domains, partition %s: %q, want %q", c.domains, c.partition, got, c.want)
		}
	}
}

// Clients have test samples of their own where a setting says so, by one way.
func TestTestSamplesOfClients(t *testing.T) {
	r := menu(t)
	for lines, want := range map[string]string{
		"test = \"client\"": "", "held_out = 0.2": "",
		"test = \"client\"\nheld_out = 0.2": `held_out: 0.2, and test = "client" gives clients test ` +
			"samples, too; give one of them",
		"test = \"client\"\ndataset = \"make-regression\"": `test: "client" deals test samples, and ` +
			"this dataset has none; held_out gives clients some of their own",
	} {
		file := "model = \"softmax\"\npartition = \"iid\"\n" + lines + `
metrics = [{ name = "clients", on = "test" }]
`
		if strings.Contains(lines, "dataset") {
			file = strings.Replace(file, "softmax", "linear", 1)
		} else {
			file += "dataset = \"glyphs\"\n"
		}
		_, _, problems := r.Compose(cellOf(t, file))
		said := ""
		if len(problems) > 0 {
			said = problems[0].Message
		}
		if said != want {
			t.Errorf("%s: %q, want %q", lines, said, want)
		}
	}
}

// What the two halves of a method send and take is the same, and a head is linear.
func TestHalvesOfAMethodFit(t *testing.T) {
	const classes = "dataset = \"glyphs\"\npartition = \"iid\"\n"
	for lines, want := range map[string]string{
		`local = "class-moments"`: `11:16: aggregator fedavg: takes models, but local class-moments ` +
			`sends class moments (aggregator = "fedcgs" takes them)`,
		`aggregator = "fedcgs"`: `18:14: aggregator fedcgs: takes class moments, but local sgd sends ` +
			`models (local = "class-moments" sends them)`,
		"local = \"class-moments\"\naggregator = \"fedpft\"": `19:14: aggregator fedpft: takes class ` +
			`mixtures, but local class-moments sends class moments (local = "class-mixture" sends them)`,
	} {
		complains(t, classes+"model = \"softmax\"\n"+lines, []string{want})
	}
	const linear = `19:14: aggregator fedcgs: finds a linear head, W·x + b with a score for each ` +
		`class: model = "softmax", with its bias`
	for _, model := range []string{`{ name = "softmax", bias = false }`, `"mlp"`, `"cnn"`} {
		complains(t, classes+"model = "+model+"\nlocal = \"class-moments\"\naggregator = \"fedcgs\"",
			[]string{linear})
	}
	compose(t, menu(t), heads(t, "class-moments", "fedcgs"))
	complains(t, `local = "class-mixture"`, []string{
		`11:16: aggregator fedavg: takes models, but local class-mixture sends class mixtures ` +
			`(aggregator = "fedpft" takes them)`,
		`15:9: local class-mixture: needs classes; these data have a regression target`})
}
