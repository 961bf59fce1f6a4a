package audit_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
)

// base is a small experiment; what a test adds to its end belongs to the method.
const base = `[setting]
clients      = 6
rounds       = 10
dataset      = { name = "regression", features = 2, samples_per_client = 9 }
partition    = "natural"
importance   = "linear"
model        = "linear"
local        = { name = "sgd", lr = 0.01 }
availability = { name = "k-subset", k = 2, prior = { name = "linear", direction = "increasing" } }
selection    = "all"
aggregator   = "fedavg"
metrics      = ["objective"]
[[method]]
label = "x"
`

// menu is everything that is built in, and what tests need beside it.
func menu(t testing.TB) *registry.Registry {
	t.Helper()
	r := new(registry.Registry)
	if err := builtin.Register(r); err != nil {
		t.Fatal(err)
	}
	err := r.Sources.Add(fl.SourceEntry{Name: "two-classes",
		New: func(*fl.Params) (fl.Source, error) { return twoClasses{}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	err = r.Partitioners.Add(fl.PartitionerEntry{Name: "unequal",
		New: func(*fl.Params) (fl.Partitioner, error) { return unequal{}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// twoClasses is a source of nine samples a client, of classes that overlap.
type twoClasses struct{}

func (twoClasses) Shape() fl.Shape { return fl.Shape{Features: 2, Classes: 2, Owned: true} }

func (s twoClasses) Load(l *fl.LoadInput) (*fl.Dataset, *fl.Dataset, error) {
	d := &fl.Dataset{Shape: s.Shape(), X: fl.NewMatrix(9*l.Clients, 2)}
	for r := range d.X.Rows {
		owner := r / 9
		d.X.Row(r)[0], d.X.Row(r)[1] = l.RNG.NormFloat64()+float64(owner)/4, l.RNG.NormFloat64()
		d.Y, d.Owner = append(d.Y, (owner+l.RNG.IntN(3))/2%2), append(d.Owner, owner)
	}
	return d, nil, nil
}

// unequal assigns client i a share of the rows in proportion to i + 1.
type unequal struct{}

func (unequal) Split(d *fl.Dataset, n int, _ *rand.Rand) ([][]int, error) {
	rows := make([][]int, n)
	unit, next := 2*d.Len()/(n*(n+1)), 0
	for i := range rows {
		for range unit * (i + 1) {
			rows[i], next = append(rows[i], next), next+1
		}
	}
	for ; next < d.Len(); next++ {
		rows[n-1] = append(rows[n-1], next)
	}
	return rows, nil
}

// compose returns the one cell of base with some lines added.
func compose(t testing.TB, lines string) (study.Cell, *engine.Setup) {
	t.Helper()
	spec, err := study.Parse("x.toml", []byte(base+lines), study.Overrides{})
	if err != nil {
		t.Fatalf("%s\n%v", lines, err)
	}
	cells, err := spec.Expand()
	if err != nil {
		t.Fatalf("%s\n%v", lines, err)
	}
	s, _, problems := menu(t).Compose(cells[0])
	if len(problems) > 0 {
		t.Fatalf("%s\n%v", lines, problems)
	}
	return cells[0], &s
}

// examine audits base with some lines added. Whatever is found survives JSON.
func examine(t *testing.T, lines string) *audit.Finding {
	t.Helper()
	c, s := compose(t, lines)
	f, err := audit.Audit(c, s, audit.Options{})
	if err != nil {
		t.Fatalf("%s\n%v", lines, err)
	}
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatalf("%s\n%v", lines, err)
	}
	var back audit.Finding
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatalf("%s\n%v", lines, err)
	}
	if back.Effective != nil {
		back.Effective.P = f.Effective.P // which the finding carries as p̃
	}
	if back.Prediction != nil && back.Prediction.Level != nil { // simulated trainings stay behind
		back.Prediction.Level.Trials = f.Prediction.Level.Trials
	}
	if !reflect.DeepEqual(&back, f) {
		t.Errorf("%s\n%+v\nbecame\n%+v", lines, f, &back)
	}
	return f
}

// world returns the law and the roster of an audit of base with some lines.
func world(t *testing.T, lines string) (fl.Law, *engine.World) {
	t.Helper()
	_, s := compose(t, lines)
	w, err := engine.Prepare(s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	law, err := engine.CohortLaw(s, w)
	if err != nil {
		t.Fatal(err)
	}
	return law, w
}

// within reports whether every element of got is within tol of want.
func within(got, want fl.Vector, tol float64) bool {
	return slices.EqualFunc(got, want, func(x, y float64) bool { return math.Abs(x-y) <= tol })
}

// distance returns the total variation between two importances.
func distance(p, q fl.Vector) float64 {
	tv := 0.0
	for i := range p {
		tv += math.Abs(p[i]-q[i]) / 2
	}
	return tv
}
