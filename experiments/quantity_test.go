package experiments

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/table"
)

// A ground is a setting in which methods are drawn: how metrics can be, and what a method can
// change.
type ground struct {
	setting string
	metrics []string
	changes []string
}

// ofAnyData are changes that any setting takes.
var ofAnyData = []string{
	`importance = "linear"`, `importance = { name = "power", exponent = 2.0 }`,
	`importance = "samples"`, `clients = 5`, `partition = "iid"`, `data_seed = 7`,
	`validation = 0.2`, `rounds = 6`, `measure_every = 2`, `initial = "independent"`,
	`law = "unknown"`, `local = { name = "sgd", lr = 0.07 }`, `local = { name = "sgd", steps = 2 }`,
	`availability = "always"`, `availability = { name = "k-subset", k = 3 }`,
	`selection = { name = "uniform-k", k = 1 }`, `aggregator = { name = "fedavg", weights = "ht" }`,
	`aggregator = { name = "fedavg", of = "params" }`, `aggregator = "fedavot"`,
	`preprocess = "standardize"`, `held_out = 0.25`,
}

func grounds() []ground {
	const common = `[setting]
clients = 6
rounds = 4
importance = "uniform"
local = "sgd"
availability = { name = "k-subset", k = 2 }
aggregator = "fedavg"
`
	ofClients := func(of string) []string {
		var list []string
		for _, on := range []string{"train", "test"} {
			for _, statistic := range []string{"mean", "worst", "spread"} {
				list = append(list, fmt.Sprintf(
					`{ name = "clients", of = %q, on = %q, statistic = %q, label = "m" }`, of, on, statistic))
			}
			list = append(list, fmt.Sprintf(`{ name = "groups", of = %q, on = %q, label = "m" }`, of, on))
		}
		for _, weighting := range []string{"samples", "importance", "uniform"} {
			list = append(list, fmt.Sprintf(`{ name = %q, weighting = %q, label = "m" }`, of, weighting))
		}
		return list
	}
	ofTraining := []string{
		`{ name = "objective", label = "m" }`, `{ name = "suboptimality", label = "m" }`,
		`{ name = "distance", label = "m" }`, `{ name = "residual", label = "m" }`,
		`{ name = "suboptimality", iterate = "average", label = "m" }`,
	}
	people := append(slices.Clone(ofAnyData), `enrollment = { name = "logistic", strength = 2.0 }`,
		`disclosure = "full"`, `oracle = true`, `dataset = { test_samples_per_client = 8 }`,
		`dataset = { samples_per_client = 15 }`, `dataset = { heterogeneity = 0.5 }`,
		`model = { l2 = 0.2 }`, `model = { bias = false }`, `model = { name = "softmax", l2 = 0.1 }`)
	drawn := []string{`clients = 5`, `dataset = { train = 40 }`, `dataset = { test = 20 }`,
		`dataset = { deform = 0.5 }`, `dataset = { scale = "standard" }`, `data_seed = 7`,
		`model = { l2 = 0.1 }`, `model = { double_softmax = true }`, `rounds = 6`,
		`model = { name = "mlp", widths = [5] }`, `partition = { name = "labels", k = 2 }`,
		`partition = "domains"`,
		`importance = "samples"`, `aggregator = "fedavot"`, `measure_every = 4`}
	return []ground{
		{common + `dataset = { name = "regression", features = 3 }
partition = "natural"
model = "linear"
`, slices.Concat(ofClients("loss"), ofTraining), append(slices.Clone(ofAnyData),
			`model = { loss = "half-mse" }`, `model = { intercept = true }`, `dataset = { noise = 0.3 }`,
			`dataset = { drift = 0.5 }`, `dataset = { test_samples_per_client = 8 }`)},
		{common + `dataset = { name = "population-logistic", features = 3 }
partition = "natural"
model = { name = "logistic", l2 = 0.1 }
enrollment = { name = "logistic", intercept = 1.0, covariates = ["x1"], coefficients = [1.0] }
`, append(slices.Concat(ofClients("loss"), ofClients("accuracy"), ofTraining),
			`{ name = "groups", by = "x1", statistic = "low", label = "m" }`), people},
		{common + `dataset = { name = "glyphs", train = 60, test = 60, domains = 2 }
partition = "natural"
model = "softmax"
`, slices.Concat(ofClients("loss"), ofClients("accuracy")), drawn},
		{common + `dataset = { name = "glyphs", train = 60, test = 60, domains = 2, scale = "standard" }
partition = "natural"
model = "softmax"
`, []string{`{ name = "loss", label = "m" }`, `{ name = "accuracy", weighting = "uniform", label = "m" }`,
			`{ name = "loss", weighting = "importance", label = "m" }`},
			[]string{`dataset = { train = 40 }`, `clients = 5`, `partition = "domains"`,
				`importance = "samples"`}},
	}
}

// A pairOf is two methods that differ in one key.
type pairOf struct {
	change        string
	cells         [2]study.Cell
	setups        [2]engine.Setup
	input         infer.Input
	sameQuantity  bool
	samePredictor bool
}

// draw returns two methods of a ground; false where what is drawn does not fit together.
func (g *ground) draw(t *testing.T, reg *registry.Registry, rng *rand.Rand) (*pairOf, bool) {
	t.Helper()
	metric := g.metrics[rng.IntN(len(g.metrics))]
	p := &pairOf{change: g.changes[rng.IntN(len(g.changes))]}
	if rng.IntN(8) == 0 {
		p.change = "metrics = [" + g.metrics[rng.IntN(len(g.metrics))] + "]"
	}
	text := "seeds = 5\n" + g.setting + "metrics = [" + metric + "]\n[[method]]\nlabel = \"a\"\n" +
		"[[method]]\nlabel = \"b\"\n" + p.change + "\n[report]\nbaseline = \"a\"\n"
	spec, err := study.Parse("drawn.toml", []byte(text), study.Overrides{})
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	cells, err := spec.Expand()
	if err != nil {
		return nil, false
	}
	p.input = infer.Input{Report: spec.Report, Quantity: reg.Quantity,
		Results: map[string]*engine.Result{}}
	for i, c := range cells {
		s, resolved, problems := reg.Compose(c)
		if len(problems) > 0 {
			return nil, false
		}
		k := 0
		if c.Method == "b" {
			k = 1
		}
		p.cells[k], p.setups[k] = resolved, s
		id := fmt.Sprint(i) // both may be the same cell
		p.input.Cells, p.input.IDs = append(p.input.Cells, resolved), append(p.input.IDs, id)
		m := s.Measures[0]
		series := engine.Series{Key: m.Key, Unit: m.Metric.Unit(), Higher: m.Metric.Higher(),
			Describes: m.Describes}
		result := &engine.Result{ID: id, Rounds: []int{0, c.Rounds}}
		series.Values = engine.Floats{9, rng.NormFloat64()}
		result.Series = []engine.Series{series}
		p.input.Results[id] = result
	}
	a, b := &p.cells[0], &p.cells[1]
	p.sameQuantity = reg.Quantity(a, &a.Measures[0]).Digest() == reg.Quantity(b, &b.Measures[0]).Digest()
	p.samePredictor = reflect.DeepEqual(a.Predictor(), b.Predictor())
	return p, true
}

// rounding is how far values of one quantity may lie apart: not at all, unless test rows stand in
// another order, as they do where they belong to other clients.
func (p *pairOf) rounding(x float64) float64 {
	a, b := &p.cells[0], &p.cells[1]
	if a.Clients == b.Clients && reflect.DeepEqual(a.Picks["partition"], b.Picks["partition"]) {
		return 0
	}
	return 1e-12 * math.Abs(x)
}

// value measures a point that both methods of a pair could be at, with whatever the metric reads.
func value(t *testing.T, s *engine.Setup) (float64, error) {
	t.Helper()
	w, err := engine.Prepare(s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	theta := make(fl.Vector, s.Model.Layout().Len())
	for i := range theta {
		theta[i] = rng.NormFloat64()
	}
	shot := &fl.Snapshot{T: s.Rounds, Params: theta, Model: s.Model, Worker: s.Model.Worker(),
		Roster: w.Environment, Population: w.Population, Pooled: w.Pooled, Notes: new(fl.Notes),
		Uploaded: 1, Downloaded: 2, Seconds: 3, Residual: make(fl.Vector, w.Environment.N),
		Optimal: func() (*fl.Optimum, error) { return engine.Optimum(s, engine.Options{}, w) }}
	for i := range shot.Residual {
		shot.Residual[i] = 0.5 + rng.Float64()
	}
	return s.Measures[0].Metric.Measure(shot)
}

// rows returns the test rows of a pair's method before its preprocessing, and where each
// client's begin.
func rows(t *testing.T, s engine.Setup) *fl.Population {
	t.Helper()
	s.Preprocess, s.DataKey = nil, s.DealtKey
	w, err := engine.Prepare(&s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return w.Population
}

// Two methods that differ in one key, whichever it is, measure the same to the bit at a common
// point, or else are not ranked beside each other.
func TestWhatIsRankedIsMeasuredAlike(t *testing.T) {
	reg := new(registry.Registry)
	if err := builtin.Register(reg); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(17, 5))
	drawn, same, apart := map[string]bool{}, 0, 0
	list := grounds()
	for range 400 {
		g := &list[rng.IntN(len(list))]
		p, ok := g.draw(t, reg, rng)
		if !ok {
			continue
		}
		key, _, _ := strings.Cut(p.change, " =")
		drawn[key] = true
		where := fmt.Sprintf("%s, measuring %v", p.change, p.cells[0].Measures[0].Pick)
		if !p.sameQuantity {
			apart++
			notRanked(t, where, &p.input)
			continue
		}
		same++
		if !p.samePredictor {
			alikeRows(t, where, p)
			continue
		}
		x, errX := value(t, &p.setups[0])
		y, errY := value(t, &p.setups[1])
		if fmt.Sprint(errX) != fmt.Sprint(errY) || math.Abs(x-y) > p.rounding(x) {
			t.Errorf("%s: one quantity, but at a common point %v (%v) and %v (%v)", where, x, errX, y,
				errY)
		}
	}
	for _, key := range []string{"dataset", "partition", "importance", "model", "local", "clients",
		"enrollment", "availability", "selection", "aggregator", "preprocess", "metrics", "rounds",
		"measure_every", "data_seed", "validation", "held_out", "initial", "law", "disclosure", "oracle"} {
		if !drawn[key] {
			t.Errorf("no method with another %s was drawn", key)
		}
	}
	if same < 80 || apart < 80 {
		t.Errorf("%d pairs with the same quantity and %d others: too few to tell", same, apart)
	}
}

// alikeRows checks the rows that are measured where predictors differ, so that no point is
// common: those of a metric that reads no more than test rows.
func alikeRows(t *testing.T, where string, p *pairOf) {
	t.Helper()
	a, b := rows(t, p.setups[0]), rows(t, p.setups[1])
	if !reflect.DeepEqual(a.Test.X, b.Test.X) || !reflect.DeepEqual(a.Test.Y, b.Test.Y) ||
		!reflect.DeepEqual(a.Test.Target, b.Test.Target) {
		t.Errorf("%s: one quantity of other test rows", where)
	}
}

// notRanked checks that the second method is shown, and nothing else.
func notRanked(t *testing.T, where string, in *infer.Input) {
	t.Helper()
	tables, err := table.Build(*in)
	if err != nil {
		t.Fatal(err)
	}
	row := &tables[0].Rows[1]
	cell := &row.Cells[0]
	if cell.Comparable || cell.Best || cell.Versus != nil || len(cell.Differs) == 0 {
		t.Errorf("%s: another quantity is compared: %+v", where, cell)
	}
	if tables[0].Rows[0].Cells[0].Best {
		t.Errorf("%s: the only one that is comparable is best", where)
	}
	if describes := tables[0].Columns[0].Direction == infer.None; len(row.Notes) == 0 && !describes {
		t.Errorf("%s: nothing says why it is not ranked", where)
	}
	c, err := table.Compare(*in, table.ComparisonOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, tab := range c.Tables() {
		for _, cell := range tab.Rows[1].Cells {
			if cell.Best || cell.Versus != nil {
				t.Errorf("%s: %s compares it: %+v", where, tab.Title, cell)
			}
		}
	}
}
