package dataset

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/hansa-fl/hansa/framework/fl"
)

// skewed builds a data set that wraps another one, or says what is wrong.
func skewed(t *testing.T, e fl.SourceEntry, clients int, given map[string]any) (fl.Source, []fl.Problem) {
	t.Helper()
	p := wrapping(t).Params(given, fl.Setting{Clients: clients})
	s, err := e.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return s, p.Finish()
}

// drawSkewed loads glyphs that are changed, and as they are.
func drawSkewed(t *testing.T, e fl.SourceEntry, clients int, more map[string]any) (
	train, test, plain, plainTest *fl.Dataset) {
	t.Helper()
	s, problems := skewed(t, e, clients, with(map[string]any{"of": someGlyphs("test", int64(90))}, more))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	train, test = load(t, s, clients, 7)
	for _, d := range []*fl.Dataset{train, test} {
		if !d.Shape.Equal(s.Shape()) || !d.Shape.Owned || len(d.Domain) != d.Len() || len(d.Owner) != d.Len() {
			t.Errorf("%s: shape %+v, declared %+v", e.Name, d.Shape, s.Shape())
		}
		var own = make([]int, clients)
		for _, i := range d.Owner {
			own[i]++
		}
		if slices.Max(own)-slices.Min(own) > 1 {
			t.Errorf("%s: clients have %v rows", e.Name, own)
		}
	}
	plain, plainTest = load(t, build(t, Glyphs, map[string]any{"image": "colour", "train": int64(90),
		"test": int64(90)}, clients), clients, 7)
	return train, test, plain, plainTest
}

// Rows of client i have noise of variance σ·i/N, tests none unless asked for; without σ all are as
// they were, to the bit; four times σ is noise of twice the size.
//
//hansa:verifies theorem dataset/feature-noise
func TestFeatureNoise(t *testing.T) {
	const n, sigma = 3, 0.3
	train, test, plain, plainTest := drawSkewed(t, FeatureNoise, n, map[string]any{"sigma": sigma})
	four, _, _, _ := drawSkewed(t, FeatureNoise, n, map[string]any{"sigma": 4 * sigma})
	if !same(test.X.Data, plainTest.X.Data) || !slices.Equal(train.Y, plain.Y) ||
		!slices.Equal(train.Domain, train.Owner) {
		t.Error("test rows or labels are changed, or domains are no clients")
	}
	noise := make([][]float64, n)
	for r, i := range train.Owner {
		for k, x := range train.X.Row(r) {
			z := x - plain.X.Row(r)[k]
			noise[i] = append(noise[i], z)
			if twice := four.X.Row(r)[k] - plain.X.Row(r)[k]; math.Abs(twice-2*z) > 1e-12 {
				t.Fatalf("row %d: noise %v, %v of four times σ", r, z, twice)
			}
		}
	}
	for i, z := range noise {
		within(t, "variance of the noise of a client", stat.Variance(z, nil)/(sigma*float64(i+1)/n), 1, 0.03)
		within(t, "mean of the noise of a client", stat.Mean(z, nil), 0, 0.01)
	}
	none, noisy, _, _ := drawSkewed(t, FeatureNoise, n, map[string]any{"sigma": 0.0, "test": "noisy"})
	if !same(none.X.Data, plain.X.Data) || !same(noisy.X.Data, plainTest.X.Data) {
		t.Error("without σ rows are changed")
	}
	if _, noisy, _, _ = drawSkewed(t, FeatureNoise, n, map[string]any{"test": "noisy"}); same(noisy.X.Data, plainTest.X.Data) {
		t.Error("test rows have no noise")
	}
}

// turned returns where pixel (x, y) of an image turned by right angles against the clock comes from.
func turned(x, y, side, times int) int {
	for range times {
		x, y = side-1-y, x
	}
	return y*side + x
}

// Images of cluster c are turned by c right angles, as they are stored and as numbers; by other
// angles a full turn and a right one are these, but for rounding; test rows too, unless clean.
//
//hansa:verifies theorem dataset/rotated
func TestRotated(t *testing.T) {
	const n = 5
	train, test, plain, plainTest := drawSkewed(t, Rotated, n, nil)
	side, size := plain.Shape.Image.W, plain.X.Cols
	for _, d := range [][2]*fl.Dataset{{train, plain}, {test, plainTest}} {
		for r, i := range d[0].Owner {
			if d[0].Domain[r] != i%4 {
				t.Fatalf("client %d is in cluster %d", i, d[0].Domain[r])
			}
			for k := range size {
				c := k / (side * side) * side * side
				from := c + turned(k%side, k/side%side, side, i%4)
				if d[0].X.Row(r)[k] != d[1].X.Row(r)[from] {
					t.Fatalf("row %d of cluster %d: pixel %d", r, i%4, k)
				}
			}
		}
	}
	for _, side := range []int{4, 5} { // even and odd sides
		b, f := make([]uint8, 2*side*side), make([]float64, 2*side*side)
		for k := range b {
			b[k], f[k] = uint8(k), float64(k)
		}
		tilted := fl.Vector(f).Clone()
		quarters(b, side, 3)
		quarters(f, side, 3)
		room := make(fl.Vector, side*side)
		tilt(tilted[:side*side], room, side, 270)
		tilt(tilted[side*side:], room, side, -90)
		for k := range b {
			from := k/(side*side)*side*side + turned(k%side, k/side%side, side, 3)
			if int(b[k]) != from || f[k] != float64(from) || math.Abs(tilted[k]-f[k]) > 1e-9 {
				t.Errorf("side %d, pixel %d: %d, %v, %v, want %d", side, k, b[k], f[k], tilted[k], from)
			}
		}
	}
	_, clean, _, _ := drawSkewed(t, Rotated, n, map[string]any{"test": "clean", "clusters": int64(2), "angle": 30.0})
	one, _, _, _ := drawSkewed(t, Rotated, n, map[string]any{"clusters": int64(1)})
	if !same(clean.X.Data, plainTest.X.Data) || !same(one.X.Data, plain.X.Data) {
		t.Error("clean rows, or those of one cluster, are changed")
	}
}

// Labels of a cluster are a permutation of the classes, drawn anew for every cluster but the first;
// features stay.
//
//hansa:verifies theorem dataset/permuted-labels
func TestPermutedLabels(t *testing.T) {
	const n = 6
	train, test, plain, plainTest := drawSkewed(t, PermutedLabels, n, map[string]any{"clusters": int64(3)})
	fewer, _, _, _ := drawSkewed(t, PermutedLabels, n, map[string]any{"clusters": int64(2)})
	if !same(train.X.Data, plain.X.Data) || !same(test.X.Data, plainTest.X.Data) {
		t.Error("features are changed")
	}
	var of [3]map[int]int
	for c := range of {
		of[c] = map[int]int{}
	}
	for _, d := range [][2]*fl.Dataset{{train, plain}, {test, plainTest}} {
		for r, c := range d[0].Domain {
			was, is := d[1].Y[r], d[0].Y[r]
			if before, known := of[c][was]; known && before != is || c != d[0].Owner[r]%3 {
				t.Fatalf("cluster %d calls class %d both %d and %d", c, was, before, is)
			}
			of[c][was] = is
		}
	}
	for c, m := range of {
		var labels []int
		for was, is := range m {
			if labels = append(labels, is); c == 0 && was != is {
				t.Errorf("cluster 0 calls class %d %d", was, is)
			}
		}
		if slices.Sort(labels); !slices.Equal(labels, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
			t.Errorf("cluster %d: %v", c, m)
		}
	}
	for r, c := range fewer.Domain {
		if c == 1 && fewer.Y[r] != of[1][plain.Y[r]] {
			t.Fatal("a permutation depends on how many clusters there are")
		}
	}
	_, clean, _, _ := drawSkewed(t, PermutedLabels, n, map[string]any{"test": "clean"})
	if !slices.Equal(clean.Y, plainTest.Y) {
		t.Error("clean labels are changed")
	}
}

// What cannot be changed is one error, before anything is read.
func TestMisfitsOfSkew(t *testing.T) {
	const required = `of: is required, such as of = { name = "glyphs", image = "colour" }`
	for _, c := range []struct {
		e     fl.SourceEntry
		given map[string]any
		want  string
	}{
		{FeatureNoise, nil, required}, {Rotated, nil, required}, {PermutedLabels, nil, required},
		{Rotated, map[string]any{"of": "regression"}, "of: rotations are of images; the rows of regression are none"},
		{Rotated, map[string]any{"of": "spotted"},
			"of: rotations are of square images; those of spotted have 3×1 pixels"},
		{PermutedLabels, map[string]any{"of": "regression"}, "of: labels are of classes; regression has targets"},
		{PermutedLabels, map[string]any{"of": "glyphs", "clusters": int64(9)}, "clusters: 9 groups of 4 clients"},
	} {
		_, problems := skewed(t, c.e, 4, c.given)
		if len(problems) != 1 || problems[0].Message != c.want {
			t.Errorf("%s %v:\ngot  %v\nwant %s", c.e.Name, c.given, problems, c.want)
		}
	}
}
