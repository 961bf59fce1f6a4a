package builtin

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/data/datatest"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry"
)

// stored are small images of bytes, of clients and of two domains, packed where that is asked for.
var stored = fl.SourceEntry{Name: "stored", New: func(p *fl.Params) (fl.Source, error) {
	return storedSource{p.Bool("floats", false, "numbers of single precision, not bytes"),
		p.Int("side", 4, fl.Closed(4, 8), "of images"),
		p.Int("classes", 3, fl.Closed(0, 3), "or 0 for targets")}, nil
}}

type storedSource struct {
	floats  bool
	side    int
	classes int
}

// Shape implements fl.Source.
func (b storedSource) Shape() fl.Shape {
	image := fl.Image{C: 3, H: b.side, W: b.side}
	return fl.Shape{Features: image.Len(), Classes: b.classes, Image: image, Owned: true,
		Tested: true, Domains: []string{"left", "right"}, Covariates: []string{"age"}, Stored: 1}
}

// Load implements fl.Source.
func (b storedSource) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	draw := func(n int) *fl.Dataset {
		cols := b.Shape().Features
		d := &fl.Dataset{Shape: b.Shape(), X: fl.Matrix{Rows: n, Cols: cols},
			Covariates: fl.NewMatrix(n, 1)}
		x := make([]uint8, cols*n)
		for k := range x {
			x[k] = uint8(l.RNG.IntN(256))
		}
		d.Packed = fl.Packed{Bytes: x, Cols: cols, Levels: fl.NewLevels(func(v float64) float64 { return v / 255 })}
		for r := range n {
			if d.Owner = append(d.Owner, r%l.Clients); b.classes > 0 {
				d.Y = append(d.Y, r/2%b.classes)
			} else {
				d.Target = append(d.Target, float64(x[cols*r])/255-float64(r/2%3))
			}
			d.Domain = append(d.Domain, r%l.Clients%2)
			d.Covariates.Row(r)[0] = float64(r % l.Clients)
			x[cols*r+r/2%3] |= 192
		}
		if b.floats {
			y := make([]float32, len(x))
			for k, v := range x {
				y[k] = float32(v)/97 - 1
			}
			d.Packed = fl.Packed{Floats: y, Cols: cols}
		}
		if !l.Packed {
			d.Unpack()
		}
		return d
	}
	return draw(90), draw(30), nil
}

// packedSettings are the settings of classification with these images and networks.
func packedSettings() (list []study.Cell) {
	for _, c := range settings() {
		if c.Picks["dataset"].Name != "gaussian-domains" {
			continue
		}
		c.Picks = maps.Clone(c.Picks)
		c.Picks["dataset"], c.Picks["model"] = pick("stored"), pick("mlp", "widths", []any{int64(4)})
		if _, public := c.Picks["public"]; public {
			c.Picks["public"] = pick("stored")
		}
		list = append(list, c)
		own := c
		own.TestByClient = true
		natural := c
		natural.Picks = maps.Clone(c.Picks)
		natural.Picks["partition"] = pick("natural")
		list = append(list, own, natural)
	}
	plain := list[0]
	noisy := plain
	noisy.Picks = maps.Clone(plain.Picks)
	noisy.Picks["aggregator"] = pick("dp-ftrl", "momentum", 0.5)
	noisy.Picks["availability"] = pick("bernoulli", "rate", 0.3)
	list = append(list, noisy)
	for _, name := range []string{"scaffold", "feddyn", "fednova", "fedcm", "mimelite",
		"scaffnew", "ifca", "fedlaavg", "fedawe", "drfa"} {
		halves := plain
		halves.Picks = maps.Clone(plain.Picks)
		halves.Picks["local"], halves.Picks["aggregator"] = pick(name, "lr", 0.01), pick(name)
		if name == "drfa" {
			halves.Law, halves.Picks["selection"] = false, pick("drfa", "k", int64(3))
		}
		list = append(list, halves)
	}
	normed := plain
	normed.Picks = maps.Clone(plain.Picks)
	normed.Picks["dataset"], normed.Picks["model"] = pick("stored", "side", int64(8)), batchNormed()
	convex := plain
	convex.Picks = maps.Clone(plain.Picks)
	convex.Picks["model"] = pick("softmax", "l2", 0.1)
	return append(list, normed, convex)
}

// played returns what a cell comes to, and whether its rows are packed.
func played(t *testing.T, s *engine.Setup, o engine.Options) (text string, theta fl.Vector, packed bool) {
	t.Helper()
	world, err := engine.Prepare(s, o)
	if err != nil {
		t.Fatal(err)
	}
	packed = world.Population.Train.Packed.Any()
	cell, err := engine.Start(s, o)
	if err != nil {
		t.Fatal(err)
	}
	defer cell.Close()
	for range s.Rounds {
		if err := cell.Step(); err != nil {
			t.Fatal(err)
		}
	}
	b, err := json.Marshal(cell.Result())
	if err != nil {
		t.Fatal(err)
	}
	return string(b), cell.Checkpoint().Global.Clone(), packed
}

// Whatever stands in a cell, packed rows give the bits of the same rows in X. There is a cell with
// packed rows for every component that says that it can be in one.
func TestPackedRowsAreTheSame(t *testing.T) {
	r := menu(t)
	if err := r.Sources.Add(stored); err != nil {
		t.Fatal(err)
	}
	folder, _ := datatest.Find(t)
	o := engine.Options{Folders: []string{folder, seconds}}
	count := 0
	for _, k := range r.Kinds() {
		if k.Name == "dataset" || k.Name == "model" {
			continue
		}
		for _, e := range k.Entries {
			p := pick(e.Name)
			maps.Copy(p.Params, e.Example)
			if e.Name == "dirichlet" {
				p.Params["kind"] = "per-client"
			}
			packed := false
			for _, c := range packedSettings() {
				s := composedWith(r, c, k.Name, p)
				if s == nil {
					continue
				}
				wide := *s
				wide.Packed = false
				text, theta, is := played(t, s, o)
				want, model, not := played(t, &wide, o)
				if text != want || !slices.Equal(theta, model) || not {
					t.Errorf("%s %s: packed rows give another result:\n%s\n%s", k.Name, e.Name, text, want)
				}
				if packed = packed || is; is {
					count++
					break
				}
			}
			if says := saysPacked(r, k.Name, e.Name); says && !packed && !unpackable[e.Name] {
				t.Errorf("%s %s: there is no cell with packed rows", k.Name, e.Name)
			}
		}
	}
	if count < 150 {
		t.Errorf("%d components were with packed rows", count)
	}
}

// unpackable are metrics of which there is no cell that may be packed: rules with noise of their own
// read X.
var unpackable = map[string]bool{"sample-epsilon": true}

// saysPacked reports whether a component says that it reads packed rows.
func saysPacked(r *registry.Registry, kind, name string) bool {
	switch kind {
	case "local":
		e, _ := r.LocalRules.Get(name)
		return fl.TraitsOf[fl.LocalTraits](e).Packed
	case "metrics":
		e, _ := r.Metrics.Get(name)
		return fl.TraitsOf[fl.MetricTraits](e).Packed
	case "partition":
		e, _ := r.Partitioners.Get(name)
		return fl.TraitsOf[fl.PartitionTraits](e).Packed
	}
	return false
}

// composedWith returns a setting with a component, or nil where it does not fit.
func composedWith(r *registry.Registry, c study.Cell, kind string, p study.Pick) *engine.Setup {
	c.Picks = maps.Clone(c.Picks)
	switch kind {
	case "metrics":
		c.Measures = []study.Measure{{Pick: p, Key: "m"}, {Pick: p, Key: "mean", Average: true}}
	case "optimizer":
		by := maps.Clone(p.Params)
		by["name"] = p.Name
		c.Picks["local"] = pick("sgd", "lr", 0.01, "optimizer", by)
	case "preprocess":
		c.Preprocess = []study.Pick{p}
	default:
		c.Picks[kind] = p
	}
	s, _, problems := r.Compose(c)
	if len(problems) > 0 {
		return nil
	}
	return &s
}

// Models of every kind read bytes and numbers of single precision to the bit: in batches and all
// rows at once, and where the optimum is computed or gradients are by moments, too.
func TestModelsReadPackedRows(t *testing.T) {
	r := menu(t)
	if err := r.Sources.Add(stored); err != nil {
		t.Fatal(err)
	}
	small := map[string]any{"name": "mlp", "widths": []any{int64(4)}}
	for _, of := range []struct {
		classes int64
		model   study.Pick
		by      string // a metric
	}{
		{3, pick("mlp", "widths", []any{int64(4)}), "loss"},
		{3, pick("mixed", "of", []any{small}), "loss"},
		{3, pick("softmax"), "loss"},
		{3, pick("softmax", "l2", 0.1), "suboptimality"},
		{3, pick("softmax", "double_softmax", true, "bias", false), "accuracy"},
		{2, pick("logistic"), "accuracy"},
		{2, pick("logistic", "l2", 0.1), "suboptimality"},
		{0, pick("linear"), "suboptimality"},
		{0, pick("linear", "intercept", true), "loss"},
		{0, pick("quantile"), "suboptimality"},
		{0, pick("quantile", "intercept", true, "level", 0.3), "loss"},
	} {
		for k := range 8 {
			floats, whole, few := k&1 > 0, k&2 > 0, k&4 > 0
			c := packedSettings()[0]
			c.Picks["dataset"] = pick("stored", "floats", floats, "classes", of.classes)
			c.Picks["local"] = pick("sgd", "lr", 0.01, "batch", int64(4), "steps", int64(3))
			if whole {
				c.Picks["local"] = pick("sgd", "lr", 0.01)
			}
			if few { // one client, with more rows than features: there are moments
				c.Clients, c.Picks["selection"] = 1, pick("all")
				c.Picks["availability"] = pick("always")
			}
			c.Measures = []study.Measure{{Pick: pick(of.by), Key: of.by}}
			c.Picks["model"] = of.model
			composed, _, problems := r.Compose(c)
			if len(problems) > 0 {
				t.Fatalf("%s: %v", of.model.Name, problems)
			}
			s := &composed
			wide := *s
			wide.Packed = false
			text, theta, packed := played(t, s, engine.Options{})
			want, params, not := played(t, &wide, engine.Options{})
			if text != want || !slices.Equal(theta, params) || !packed || not {
				t.Errorf("%s %v, floats: %t, packed: %t:\n%s\n%s", of.model.Name, of.model.Params, floats,
					packed, text, want)
			}
		}
	}
}

// No component that says that it reads packed rows reads X, but for that of public rows, which are
// never packed.
func TestComponentsOfPackedRowsDoNotReadX(t *testing.T) {
	for _, folder := range []string{"local", "metric", "partition"} {
		files, err := filepath.Glob(folder + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			says, reads := false, false
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.KeyValueExpr:
					id, ok := n.Key.(*ast.Ident)
					says = says || ok && id.Name == "Packed"
				case *ast.SelectorExpr:
					of, _ := n.X.(*ast.SelectorExpr)
					public := of != nil && of.Sel.Name == "Public"
					reads = reads || (n.Sel.Name == "X" || n.Sel.Name == "Raw") && !public
				}
				return true
			})
			if says && reads {
				t.Errorf("%s says that it reads packed rows, and reads X", path)
			}
		}
	}
}

// A strategy finds all rows in X, whatever it says of itself.
func TestStrategiesFindRowsInX(t *testing.T) {
	r := menu(t)
	if err := r.Sources.Add(stored); err != nil {
		t.Fatal(err)
	}
	e, _ := r.LocalRules.Get("sgd")
	e.Name, e.Source = "mine", "digest"
	if err := r.LocalRules.Add(e); err != nil {
		t.Fatal(err)
	}
	c := packedSettings()[0]
	s := composedWith(r, c, "local", pick("mine", "lr", 0.1))
	if s == nil {
		t.Fatal("it does not fit")
	}
	if _, _, packed := played(t, s, engine.Options{}); packed {
		t.Error("rows are packed")
	}
}
