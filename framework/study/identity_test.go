package study

import (
	"math"
	"slices"
	"testing"
)

// resolved is a cell as it is after a registry has filled in every parameter.
func resolved() Cell {
	return Cell{
		Method: "FedAVOT", Role: "literature", Parent: "x",
		Point: []Coordinate{{"availability.k", "k = 2"}},
		Seed:  math.MaxUint64, DataSeed: 3, SameData: true, Clients: 100, Rounds: 2000, Every: 10, Law: true,
		Picks: map[string]Pick{
			"aggregator": {"fedavot", map[string]any{
				"epsilon": 1e-9, "max_sweeps": int64(10_000), "soft": true,
			}},
			"availability": {"k-subset", map[string]any{
				"prior": map[string]any{"name": "power", "exponent": 0.1}, "k": int64(2),
			}},
			"importance": {"list", map[string]any{"values": []float64{0.5, 1, math.SmallestNonzeroFloat64}}},
			"dataset":    {"θ \"quoted\"\n", nil},
		},
		Measures: []Measure{
			{
				Pick: Pick{"loss", map[string]any{"at": []any{int64(1), "x", []any{}}}},
				Key:  "F", Average: true,
			},
			{Pick: Pick{"accuracy", nil}, Key: "accuracy"},
		},
		Origins: map[string]Span{"rounds": byDefault},
	}
}

// TestCanonicalForm pins the form and the identity of one cell: results of earlier
// versions are found by it. When it must change, the version in its name must, too.
func TestCanonicalForm(t *testing.T) {
	const form = `{"clients":100,"data_seed":3,"disclose":"","every":10,"form":"hansa/cell/2","held":0,"initial":"","law":true,"measures":[` +
		`{"average":true,"key":"F","name":"loss","params":{"at":[1,"x",[]]}},` +
		`{"average":false,"key":"accuracy","name":"accuracy","params":{}}],"oracle":false,"picks":{` +
		`"aggregator":{"name":"fedavot","params":{"epsilon":1e-09,"max_sweeps":10000,"soft":true}},` +
		`"availability":{"name":"k-subset","params":{"k":2,"prior":{"exponent":0.1,"name":"power"}}},` +
		`"dataset":{"name":"\u03b8 \"quoted\"\n","params":{}},` +
		`"importance":{"name":"list","params":{"values":[0.5,1,5e-324]}}},` +
		`"rounds":2000,"seed":18446744073709551615}`
	if got := string(resolved().Canonical()); got != form {
		t.Errorf("canonical form\n%s\nwant\n%s", got, form)
	}
	const id = "cee6a5fae8b221fb58ee4e4032dcc16a6d1047b0e97dd4b2e41560f84899ef86"
	if got := resolved().ID(); got != id {
		t.Errorf("id %s, want %s", got, id)
	}
}

// TestIdentity shows what decides the identity of a cell and what does not.
func TestIdentity(t *testing.T) {
	id := resolved().ID()
	for name, change := range map[string]func(*Cell){
		"method":   func(c *Cell) { c.Method = "other" },
		"role":     func(c *Cell) { c.Role = "" },
		"parent":   func(c *Cell) { c.Parent = "" },
		"point":    func(c *Cell) { c.Point = nil },
		"origins":  func(c *Cell) { c.Origins = nil },
		"why":      func(c *Cell) { c.SameData = false },
		"no chain": func(c *Cell) { c.Preprocess = []Pick{} },
		"empty params": func(c *Cell) {
			c.Picks["dataset"] = Pick{c.Picks["dataset"].Name, map[string]any{}}
		},
		"any numbers": func(c *Cell) {
			values := []any{0.5, 1.0, math.SmallestNonzeroFloat64}
			c.Picks["importance"] = Pick{"list", map[string]any{"values": values}}
		},
	} {
		c := resolved()
		if change(&c); c.ID() != id {
			t.Errorf("%s changes the identity", name)
		}
	}
	seen := map[string]string{id: "nothing"}
	for name, change := range map[string]func(*Cell){
		"seed":      func(c *Cell) { c.Seed-- },
		"data":      func(c *Cell) { c.DataSeed-- },
		"clients":   func(c *Cell) { c.Clients = 101 },
		"rounds":    func(c *Cell) { c.Rounds = 2001 },
		"every":     func(c *Cell) { c.Every = 1 },
		"law":       func(c *Cell) { c.Law = false },
		"name":      func(c *Cell) { c.Picks["dataset"] = Pick{"mnist", nil} },
		"no pick":   func(c *Cell) { delete(c.Picks, "dataset") },
		"parameter": func(c *Cell) { c.Picks["aggregator"].Params["epsilon"] = math.Nextafter(1e-9, 1) },
		"text":      func(c *Cell) { c.Picks["aggregator"].Params["soft"] = "true" },
		"NaN":       func(c *Cell) { c.Picks["aggregator"].Params["epsilon"] = math.NaN() },
		"infinity":  func(c *Cell) { c.Picks["aggregator"].Params["epsilon"] = math.Inf(1) },
		"nothing":   func(c *Cell) { c.Picks["aggregator"].Params["epsilon"] = nil },
		"nested":    func(c *Cell) { c.Picks["availability"].Params["prior"] = Pick{"power", nil} },
		"order":     func(c *Cell) { c.Measures[0], c.Measures[1] = c.Measures[1], c.Measures[0] },
		"average":   func(c *Cell) { c.Measures[0].Average = false },
		"best":      func(c *Cell) { c.Measures[1].Best = true },
		"key":       func(c *Cell) { c.Measures[0].Key = "G" },
		"metric":    func(c *Cell) { c.Measures[0].Params = nil },
		"measures":  func(c *Cell) { c.Measures = c.Measures[:1] },
		"chain":     func(c *Cell) { c.Preprocess = []Pick{{"pca", nil}, {"encode", nil}} },
		"its order": func(c *Cell) { c.Preprocess = []Pick{{"encode", nil}, {"pca", nil}} },
		"its end":   func(c *Cell) { c.Preprocess = []Pick{{"pca", nil}} },
		"in it":     func(c *Cell) { c.Preprocess = []Pick{{"pca", map[string]any{"k": int64(3)}}} },
	} {
		c := resolved()
		change(&c)
		if other, ok := seen[c.ID()]; ok {
			t.Errorf("%s gives the identity of %s", name, other)
		}
		seen[c.ID()] = name
	}
}

// TestDuplicates shows that a method which does not depend on an axis is no mistake,
// while the same label of different cells is never compared with itself.
func TestDuplicates(t *testing.T) {
	_, cells := expand(t, "availability = \"always\"\n[sweep]\n\"availability.k\" = [2, 5]\n",
		Overrides{Seeds: "3"})
	if got := Duplicates(cells); len(got) > 0 {
		t.Error(got)
	}
	if got := Duplicates(nil); len(got) > 0 {
		t.Error(got)
	}
	_, cells = expand(t, `[sweep]
x = [{ label = "1", law = "known" }, { label = "2" }, { label = "3", rounds = 1 }]
`, Overrides{Seeds: "2"})
	got := Duplicates(cells)
	want := `points "1" and "2" of axis "x" are the same experiment for every method`
	if len(got) != 1 || got[0].Message != want {
		t.Error(got)
	}
}

// The user's components are found wherever a cell holds them, by name and digest.
func TestSources(t *testing.T) {
	c := Cell{Picks: map[string]Pick{
		"aggregator": {Name: "mine", Params: map[string]any{SourceKey: "sha256:b", "x": 1.0}},
		"selection": {Name: "uniform-k", Params: map[string]any{"prior": map[string]any{
			"name": "own", SourceKey: "sha256:a"}}},
		"model": {Name: "linear", Params: map[string]any{"l2": 0.0}},
	}, Measures: []Measure{{Pick: Pick{Name: "mine", Params: map[string]any{SourceKey: "sha256:b"}}}}}
	if got := c.Sources(); !slices.Equal(got, []string{"mine sha256:b", "own sha256:a"}) {
		t.Errorf("%q", got)
	}
	if got := (Cell{}).Sources(); len(got) != 0 {
		t.Errorf("%q in an empty cell", got)
	}
}
