package dataset

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

// wrapping returns a registry of what can be held by a data set in these tests.
func wrapping(t *testing.T) *registry.Registry {
	t.Helper()
	r := new(registry.Registry)
	if err := r.Sources.Add(Glyphs, Regression, spotted); err != nil {
		t.Fatal(err)
	}
	return r
}

// spotted are two rows of three pixels, of which one has a given colour.
var spotted = fl.SourceEntry{Name: "spotted", New: func(p *fl.Params) (fl.Source, error) {
	return spots(p.Float("pixel", 0, fl.Closed(-9, 9), "the last one")), nil
}}

type spots float64

func (spots) Shape() fl.Shape {
	return fl.Shape{Features: 3, Classes: 2, Image: fl.Image{C: 1, H: 3, W: 1}}
}

func (s spots) Load(*fl.LoadInput) (train, test *fl.Dataset, err error) {
	pixel := float64(s)
	if pixel == 9 {
		pixel = math.NaN()
	}
	x := fl.Matrix{Rows: 2, Cols: 3, Data: []float64{0, 1, 0.5, 0.25, 1, pixel}}
	return &fl.Dataset{Shape: s.Shape(), X: x, Y: []int{0, 1}}, nil, nil
}

// someGlyphs are parameters of glyphs, by pairs.
func someGlyphs(more ...any) map[string]any {
	of := map[string]any{"name": "glyphs", "image": "colour", "train": int64(90), "test": int64(40)}
	for k := 0; k < len(more); k += 2 {
		of[more[k].(string)] = more[k+1]
	}
	return of
}

// tinted builds colour-cast, or says what is wrong.
func tinted(t *testing.T, clients int, given map[string]any) (fl.Source, []fl.Problem) {
	t.Helper()
	p := wrapping(t).Params(given, fl.Setting{Clients: clients})
	s, err := ColourCast.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return s, p.Finish()
}

// drawCasts loads glyphs with casts, from a seed.
func drawCasts(t *testing.T, clients int, given map[string]any, seed uint64) (
	train, test *fl.Dataset,
) {
	t.Helper()
	s, problems := tinted(t, clients, given)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	train, test = load(t, s, clients, seed)
	for _, d := range []*fl.Dataset{train, test} {
		if !d.Shape.Equal(s.Shape()) || !d.Shape.Owned || len(d.Shape.Domains) != clients ||
			!slices.Equal(d.Domain, d.Owner) || len(d.Owner) != d.Len() {
			t.Errorf("shape %+v, declared %+v; owners %v, domains %v", d.Shape, s.Shape(), d.Owner,
				d.Domain)
		}
	}
	return train, test
}

// same reports whether numbers are the same to the bit.
func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		return math.Float64bits(x) == math.Float64bits(y)
	})
}

// TestNoCast: at strength 0 images and labels are those of the wrapped data set, to the bit, and
// test images are at any strength when they are to be clean.
func TestNoCast(t *testing.T) {
	plain, plainTest := load(t, build(t, Glyphs, map[string]any{"image": "colour",
		"train": int64(90), "test": int64(40)}, 4), 4, 7)
	none, noneTest := drawCasts(t, 4, map[string]any{"of": someGlyphs(), "strength": 0.0}, 7)
	_, clean := drawCasts(t, 4, map[string]any{"of": someGlyphs(), "test": "clean"}, 7)
	for k, d := range [][2]*fl.Dataset{{plain, none}, {plainTest, noneTest}, {plainTest, clean}} {
		if !same(d[0].X.Data, d[1].X.Data) || !slices.Equal(d[0].Y, d[1].Y) {
			t.Errorf("%d: rows or labels are changed", k)
		}
	}
	if !slices.Equal(clean.Owner, noneTest.Owner) {
		t.Error("clean test rows belong to others")
	}
}

// TestTint holds pixels to numbers by hand, clipped ones among them.
//
//hansa:verifies theorem dataset/colour-cast
func TestTint(t *testing.T) {
	for _, c := range []struct {
		tint    tint
		x, want fl.Vector
	}{
		{tint{2, 2, 0.25}, fl.Vector{0, 0.25, 0.5, 1}, fl.Vector{0.25, 0.375, 0.75, 1}},
		{tint{0.5, 0.5, -0.25}, fl.Vector{0, 0.25, 0.5625, 1}, fl.Vector{0, 0, 0.125, 0.25}},
		{tint{1, 1, 0}, fl.Vector{0, 0.1, 1}, fl.Vector{0, 0.1, 1}},
		{tint{2, 1, 0}, nil, nil},
	} {
		got := c.x.Clone()
		if c.tint.apply(got); !slices.Equal(got, c.want) {
			t.Errorf("%v of %v: %v, want %v", c.tint, c.x, got, c.want)
		}
	}
}

// TestCasts: pixels are what the formula says of those of the wrapped data set, of the client
// whose row it is and of their channel, in training and in test rows, grey and in colour.
func TestCasts(t *testing.T) {
	const clients, seed, s = 3, 5, 0.8
	for _, image := range []string{"grey", "colour"} {
		given := map[string]any{"of": someGlyphs("image", image), "strength": s}
		train, test := drawCasts(t, clients, given, seed)
		plain := build(t, Glyphs, map[string]any{"image": image, "train": int64(90),
			"test": int64(40)}, clients)
		rng := fl.NewStream(seed, "data").Rand()
		before, beforeTest, err := plain.Load(&fl.LoadInput{RNG: rng, Clients: clients})
		if err != nil {
			t.Fatal(err)
		}
		casts := fl.NewStream(rng.Uint64(), "casts")
		for _, d := range [][2]*fl.Dataset{{before, train}, {beforeTest, test}} {
			for r, i := range d[1].Owner {
				m, draw := d[1].Shape.Image, casts.At(0, i).Rand()
				for c := range m.C {
					g := math.Pow(2, s*(2*draw.Float64()-1))
					gamma := math.Pow(2, s*(2*draw.Float64()-1))
					o := s * (2*draw.Float64() - 1) / 4
					for k := c * m.H * m.W; k < (c+1)*m.H*m.W; k++ {
						want := g*math.Pow(d[0].X.Row(r)[k], gamma) + o
						want = math.Max(0, math.Min(1, want))
						if got := d[1].X.Row(r)[k]; math.Abs(got-want) > 1e-15 {
							t.Fatalf("%s: row %d, pixel %d: %v, want %v", image, r, k, got, want)
						}
					}
				}
			}
		}
	}
}

// TestTintsAreDrawn: logarithms of gain and gamma and the offset are uniform in what the strength
// allows, and independent; twice the strength moves each twice as far.
func TestTintsAreDrawn(t *testing.T) {
	const n, s = 20_000, 0.6
	stream := fl.NewStream(4, "casts")
	drawn := [3][]float64{}
	for i := range n {
		a, b := newTint(s, stream.At(0, i).Rand()), newTint(s/2, stream.At(0, i).Rand())
		one := [3]float64{math.Log2(a.gain), math.Log2(a.gamma), 4 * a.offset}
		half := [3]float64{math.Log2(b.gain), math.Log2(b.gamma), 4 * b.offset}
		for k, v := range one {
			if math.Abs(v-2*half[k]) > 1e-14 || math.Abs(v) > s {
				t.Fatalf("%v at strength %v, %v at half of it", a, s, b)
			}
			drawn[k] = append(drawn[k], v)
		}
	}
	for k, v := range drawn {
		if mean := stat.Mean(v, nil); math.Abs(mean) > 5*s/math.Sqrt(3*n) {
			t.Errorf("number %d: mean %v", k, mean)
		}
		within(t, fmt.Sprint("variance of number ", k), stat.Variance(v, nil)/(s*s/3), 1, 0.04)
		if rho := stat.Correlation(v, drawn[(k+1)%3], nil); math.Abs(rho) > 5/math.Sqrt(n) {
			t.Errorf("numbers %d and the next: correlation %v", k, rho)
		}
	}
}

// TestMomentsOfACast: where nothing is clipped a gain and an offset move the mean of pixels to
// g·mean + o and their deviation to g times it.
func TestMomentsOfACast(t *testing.T) {
	train, _ := drawGlyphs(t, 1, map[string]any{"train": int64(20), "test": int64(0)})
	x := train.X.Data
	mean, deviation := stat.MeanStdDev(x, nil)
	tint{gain: 0.7, gamma: 1, offset: 0.2}.apply(x)
	moved, scaled := stat.MeanStdDev(x, nil)
	within(t, "mean", moved, 0.7*mean+0.2, 1e-12)
	within(t, "deviation", scaled, 0.7*deviation, 1e-12)
}

// TestCastsOfOneClient: rows of a client that are there whatever the others have look the same,
// however many rows there are and however many clients.
func TestCastsOfOneClient(t *testing.T) {
	domains := []any{"domains", int64(2), "test", int64(20)} // which belong to clients in turn
	few, _ := drawCasts(t, 2, map[string]any{"of": someGlyphs(append(domains,
		"train", int64(35))...)}, 3)
	many, _ := drawCasts(t, 2, map[string]any{"of": someGlyphs(append(domains,
		"train", int64(200))...)}, 3)
	more, _ := drawCasts(t, 5, map[string]any{"of": someGlyphs(append(domains,
		"train", int64(200))...)}, 3)
	compared := 0
	for r, i := range few.Owner {
		if i != many.Owner[r] || !same(few.X.Row(r), many.X.Row(r)) {
			t.Errorf("row %d of client %d is another among more rows", r, i)
		}
		if i == more.Owner[r] {
			compared++
			if !same(few.X.Row(r), more.X.Row(r)) {
				t.Errorf("row %d of client %d is another among more clients", r, i)
			}
		}
	}
	if compared < 5 {
		t.Errorf("%d rows stayed with their client", compared)
	}
}

// TestCastsAreAssigned: rows without a natural client are assigned at random, in equal shares;
// those with one keep it. The client of a row does not depend on the strength; the seed changes
// owners and casts.
func TestCastsAreAssigned(t *testing.T) {
	const clients = 7
	given := func(s float64) map[string]any {
		return map[string]any{"of": someGlyphs(), "strength": s}
	}
	train, test := drawCasts(t, clients, given(0.5), 1)
	for _, d := range []*fl.Dataset{train, test} {
		var own [clients]int
		for _, i := range d.Owner {
			own[i]++
		}
		if slices.Max(own[:])-slices.Min(own[:]) > 1 || slices.IsSorted(d.Owner) {
			t.Errorf("clients have %v rows", own)
		}
	}
	as, few := drawCasts(t, clients, map[string]any{"of": someGlyphs("train", int64(40))}, 1)
	if slices.Equal(as.Owner, few.Owner) || !slices.Equal(few.Owner, test.Owner) {
		t.Error("test rows have the owners of training rows, or depend on how many there are")
	}
	again, againTest := drawCasts(t, clients, given(0.5), 1)
	if !same(again.X.Data, train.X.Data) || !same(againTest.X.Data, test.X.Data) ||
		!slices.Equal(again.Owner, train.Owner) {
		t.Error("another instance loads other rows")
	}
	if weak, _ := drawCasts(t, clients, given(0.1), 1); !slices.Equal(weak.Owner, train.Owner) {
		t.Error("owners depend on the strength")
	}
	if other, _ := drawCasts(t, clients, given(0.5), 2); slices.Equal(other.Owner, train.Owner) {
		t.Error("another seed has the same owners")
	}
	owned, _ := drawCasts(t, clients, map[string]any{"of": someGlyphs("domains", int64(3))}, 1)
	plain, _ := load(t, build(t, Glyphs, map[string]any{"domains": int64(3), "train": int64(90),
		"test": int64(0)}, clients), clients, 1)
	if !slices.Equal(owned.Owner, plain.Owner) {
		t.Error("natural clients are changed")
	}
}

// TestMisfitsOfCasts: what cannot have casts is one error, before anything is read where it is
// known then.
func TestMisfitsOfCasts(t *testing.T) {
	for _, c := range []struct {
		of   any
		want string
	}{
		{nil, `of: is required, such as of = { name = "glyphs", image = "colour" }`},
		{"regression", "of: casts are of images; the rows of regression are none"},
		{someGlyphs("scale", "standard"),
			`of.scale: casts are of pixels between 0 and 1: want "unit", have "standard"`},
		{"glyhps", `of: dataset: there is no "glyhps"`},
		{someGlyphs("train", int64(0)), "of: dataset glyphs: train: 0 is outside [1, 1e+06]"},
	} {
		given := map[string]any{}
		if c.of != nil {
			given["of"] = c.of
		}
		_, problems := tinted(t, 3, given)
		if len(problems) != 1 || problems[0].Message != c.want {
			t.Errorf("%v:\ngot  %v\nwant %s", c.of, problems, c.want)
		}
	}
	for pixel, want := range map[float64]string{0.5: "", -0.25: "-0.25", 1.5: "1.5", 9: "NaN"} {
		s, problems := tinted(t, 2, map[string]any{"strength": 0.0,
			"of": map[string]any{"name": "spotted", "pixel": pixel}})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		_, _, err := s.Load(&fl.LoadInput{RNG: fl.NewStream(1, "data").Rand(), Clients: 2})
		if want != "" {
			want = "casts are of pixels between 0 and 1; row 1 has one of " + want
		}
		if got := fmt.Sprint(err); got != want && (err != nil || want != "") {
			t.Errorf("%v: %s, want %s", pixel, got, want)
		}
	}
}

// TestTurn: a turn keeps greys and the mean of channels, a third of a circle changes channels in
// turn, and there and back is the identity, where nothing is clipped; grey images are refused, and
// a turn of 0 changes no bit.
func TestTurn(t *testing.T) {
	before := fl.Vector{0.5, 0.4, 0.3, 0.5, 0.6, 0.3, 0.5, 0.5, 0.6} // grey, and two colours
	x := before.Clone()
	turnColours(x, 2*math.Pi/3)
	if want := (fl.Vector{0.5, 0.5, 0.6, 0.5, 0.4, 0.3, 0.5, 0.6, 0.3}); x.Distance(want) > 1e-15 {
		t.Errorf("a third of a circle: %v, want %v", x, want)
	}
	copy(x, before)
	turnColours(x, 0.7)
	if x.Distance(before) < 0.01 {
		t.Error("a turn changes nothing")
	}
	if turnColours(x, -0.7); x.Distance(before) > 1e-15 {
		t.Errorf("there and back: %v, want %v", x, before)
	}
	if _, problems := tinted(t, 2, map[string]any{"turn": 0.5, "of": someGlyphs("image", "grey")}); len(
		problems) != 1 {
		t.Errorf("turns of grey images: %v", problems)
	}
	still, _ := drawCasts(t, 3, map[string]any{"of": someGlyphs(), "turn": 0.0}, 2)
	turned, test := drawCasts(t, 3, map[string]any{"of": someGlyphs(), "turn": 0.5}, 2)
	plain, _ := drawCasts(t, 3, map[string]any{"of": someGlyphs()}, 2)
	if !same(still.X.Data, plain.X.Data) || same(turned.X.Data, plain.X.Data) {
		t.Error("a turn of 0 changes images, or one of 0.5 does not")
	}
	_, clean := drawCasts(t, 3, map[string]any{"of": someGlyphs(), "turn": 0.5, "test": "clean"}, 2)
	if same(clean.X.Data, test.X.Data) {
		t.Error("clean test rows are turned")
	}
}
