package preprocess

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/builtin/dataset"
	"github.com/hansa-fl/hansa/builtin/optimizer"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

// images is the shape of small pictures in two channels, which are no squares.
func images() fl.Shape {
	return fl.Shape{Features: 2 * 13 * 15, Classes: 3, Image: fl.Image{C: 2, H: 13, W: 15}, Owned: true,
		Tested: true, Covariates: []string{"age"}}
}

// noise returns rows of a shape.
func noise(rows int, s fl.Shape) fl.Matrix {
	rng := rand.New(rand.NewPCG(5, 6))
	x := fl.NewMatrix(rows, s.Features)
	for k := range x.Data {
		x.Data[k] = rng.Float64()
	}
	return x
}

// encoder builds an encoder for rows of a shape, with a few optimizers and data sets to hold.
func encoder(t *testing.T, given map[string]any, in fl.Shape, more ...fl.OptimizerEntry) (
	fl.Preprocessor, []fl.Problem,
) {
	t.Helper()
	r := new(registry.Registry)
	if err := r.Sources.Add(dataset.Glyphs, dataset.Regression); err != nil {
		t.Fatal(err)
	}
	if err := r.Optimizers.Add(append(more, optimizer.Adam, optimizer.SGD)...); err != nil {
		t.Fatal(err)
	}
	p := r.Params(given, fl.Setting{Clients: 3, Shape: in})
	e, err := Encode.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return e, p.Finish()
}

// fit is encoder for what must be right.
func fit(t *testing.T, given map[string]any, in fl.Shape, more ...fl.OptimizerEntry) fl.Preprocessor {
	t.Helper()
	e, problems := encoder(t, given, in, more...)
	if len(problems) > 0 {
		t.Fatalf("%v: %v", given, problems)
	}
	return e
}

// features returns the encoding of rows, from the rows alone.
func features(t *testing.T, e fl.Preprocessor, in fl.Shape, x fl.Matrix, reference fl.Tensors) fl.Matrix {
	t.Helper()
	z, err := e.Transform(&fl.TransformInput{Client: -1, Rows: x, Shape: in, Reference: reference})
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// alike fails where numbers differ by more than the rounding of float32.
func alike(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= 1e-5*(1+math.Abs(w))) {
			t.Errorf("%s: number %d is %v, want %v", what, i, got[i], w)
			return
		}
	}
}

// bitwise reports whether numbers are the same to the bit.
func bitwise(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
			return false
		}
	}
	return true
}

// block returns the n-th block of an encoder's network in its parameters.
func block(e fl.Preprocessor, in fl.Shape, n int) []float32 {
	net, params, err := e.(*random).frozen(in)
	if err != nil {
		panic(err)
	}
	b := net.Layout().Blocks[n]
	return params[b.Offset:][:b.Rows*b.Cols]
}

// spreads checks that numbers have a mean and a variance, within five standard errors of normal
// ones.
func spreads(t *testing.T, what string, v []float32, mean, variance float64) {
	t.Helper()
	n, m, square := float64(len(v)), 0.0, 0.0
	for _, x := range v {
		m += float64(x) / n
		square += (float64(x) - mean) * (float64(x) - mean) / n
	}
	if math.Abs(m-mean) > 5*math.Sqrt(variance/n) || math.Abs(square/variance-1) > 5*math.Sqrt(2/n) {
		t.Errorf("%s: mean %v and variance %v of %v numbers, want %v and %v", what, m, square, n,
			mean, variance)
	}
}

// Rows as they are, but no images any more.
func TestIdentity(t *testing.T) {
	e, x := fit(t, map[string]any{"encoder": "identity"}, images()), noise(3, images())
	if z := features(t, e, images(), x, nil); !bitwise(z.Data, x.Data) || z.Rows != 3 {
		t.Error("rows are changed")
	}
}

// Random convolutions are what their definition says, of weights as He et al. draw them.
//
//hansa:verifies theorem preprocess/encode
func TestRandomConv(t *testing.T) {
	e := fit(t, map[string]any{"channels": []any{int64(3), int64(40)}, "kernel": int64(3),
		"grid": int64(2)}, images())
	x := noise(5, images())
	z := features(t, e, images(), x, nil)
	for r := range x.Rows {
		p := unfold(x.Row(r), images().Image). // 13×15
							convolved(block(e, images(), 0), block(e, images(), 1), 3). // 11×13
							halved().                                                   // 5×6
							convolved(block(e, images(), 2), block(e, images(), 3), 3). // 3×4
							meaned(2, 3, 1)
		alike(t, "features", z.Row(r), p.list())
	}
	spreads(t, "weights", block(e, images(), 2), 0, 2.0/27)
	for _, n := range []int{1, 3} {
		for _, b := range block(e, images(), n) {
			if b != 0 {
				t.Errorf("a bias of %v", b)
			}
		}
	}
	deep := fit(t, map[string]any{"channels": []any{int64(500)}, "kernel": int64(2)}, images())
	spreads(t, "weights of one layer", block(deep, images(), 0), 0, 2.0/8)
}

// Random Fourier features are what their definition says, and their products a Gaussian kernel.
//
//hansa:verifies theorem preprocess/encode
func TestRandomFourier(t *testing.T) {
	in := fl.Shape{Features: 30, Classes: 2}
	const d = 20000
	e := fit(t, map[string]any{"encoder": "random-fourier", "features": int64(d), "bandwidth": 0.5}, in)
	x := noise(4, in)
	z := features(t, e, in, x, nil)
	w, b := block(e, in, 0), block(e, in, 1)
	for r := range x.Rows {
		want := make([]float64, d)
		for i := range want {
			phase := float64(b[i])
			for j, v := range x.Row(r) {
				phase += float64(w[30*i+j]) * v
			}
			want[i] = math.Sqrt(2.0/d) * math.Cos(phase)
		}
		alike(t, "features", z.Row(r), want)
	}
	spreads(t, "W", w, 0, 1/(0.5*0.5*30))
	spreads(t, "b", b, math.Pi, math.Pi*math.Pi/3)
	for r := range x.Rows {
		for s := range r + 1 {
			apart := fl.Vector(x.Row(r)).Clone()
			apart.Sub(x.Row(s))
			kernel := math.Exp(-apart.Dot(apart) / (2 * 0.5 * 0.5 * 30))
			if got := fl.Vector(z.Row(r)).Dot(z.Row(s)); math.Abs(got-kernel) > 5/math.Sqrt(d) {
				t.Errorf("rows %d and %d: %v, kernel %v", r, s, got, kernel)
			}
		}
	}
}

// Images are taken as they lie in a row, for features that need none.
func TestRandomFourierOfImages(t *testing.T) {
	flat := images()
	flat.Image = fl.Image{}
	given := map[string]any{"encoder": "random-fourier", "features": int64(7)}
	for _, in := range []fl.Shape{images(), flat} {
		out, err := fit(t, given, in).Shape(in)
		if err != nil || out.Features != 7 {
			t.Errorf("%+v: %+v, %v", in, out, err)
		}
	}
}

// encoders are one of every kind.
func encoders() []map[string]any {
	small := []any{int64(4), int64(6)}
	return []map[string]any{
		{"encoder": "identity"},
		{"encoder": "random-conv", "channels": small, "kernel": int64(3)},
		{"encoder": "random-conv", "channels": []any{int64(32), int64(33)}, "kernel": int64(3)},
		{"encoder": "random-fourier", "features": int64(50)},
		{"encoder": "cnn", "channels": small, "features": int64(20), "kernel": int64(3),
			"public": map[string]any{"name": "glyphs", "train": int64(40), "test": int64(20)}},
	}
}

// digits is the shape of glyphs.
func digits() fl.Shape {
	return fl.Shape{Features: 784, Classes: 10, Image: fl.Image{C: 1, H: 28, W: 28}, Tested: true}
}

// What becomes of a row does not depend on those beside it, to the bit; nor on the instance, on
// labels or on whose it is. Nothing is uploaded.
func TestEncodersTreatRowsByThemselves(t *testing.T) {
	in, x := digits(), noise(2*atOnce+3, digits())
	for _, given := range encoders() {
		e := fit(t, given, in)
		up, err := e.Summarize(&fl.SummaryInput{Data: &fl.Dataset{Shape: in, X: x}})
		if up != nil || err != nil {
			t.Errorf("%v: uploads %v, %v", given, up, err)
		}
		reference, err := e.Combine(&fl.CombineInput{Shape: in, Notes: new(fl.Notes)})
		if err != nil {
			t.Fatal(err)
		}
		out, err := e.Shape(in)
		if err != nil {
			t.Fatal(err)
		}
		z := features(t, e, in, x, reference)
		if z.Rows != x.Rows || z.Cols != out.Features || !fl.Vector(z.Data).Finite() {
			t.Errorf("%v: %d×%d features, want %+v", given, z.Rows, z.Cols, out)
		}
		for _, n := range []int{1, 5, atOnce, atOnce + 1} {
			again := fit(t, given, in)
			for lo := 0; lo < x.Rows; lo += n {
				hi := min(lo+n, x.Rows)
				part := features(t, again, in, x.Slice(lo, hi), reference)
				if !bitwise(part.Data, z.Slice(lo, hi).Data) {
					t.Errorf("%v: rows %d to %d alone are others", given, lo, hi)
				}
			}
		}
		if none := features(t, e, in, x.Slice(0, 0), reference); none.Rows != 0 || none.Cols != z.Cols {
			t.Errorf("%v: no rows become %d×%d", given, none.Rows, none.Cols)
		}
	}
}

// An encoder depends on its seed and on nothing else that is random.
func TestEncodersHaveSeedsOfTheirOwn(t *testing.T) {
	in, x := digits(), noise(2, digits())
	of := func(given map[string]any, seed int64) []float64 {
		g := map[string]any{"seed": seed}
		for k, v := range given {
			g[k] = v
		}
		e := fit(t, g, in)
		reference, err := e.Combine(&fl.CombineInput{Shape: in, Notes: new(fl.Notes)})
		if err != nil {
			t.Fatal(err)
		}
		return features(t, e, in, x, reference).Data
	}
	for _, given := range encoders()[1:] {
		first := of(given, 0)
		if !bitwise(first, of(given, 0)) {
			t.Errorf("%v: another instance is another encoder", given)
		}
		if bitwise(first, of(given, 1)) {
			t.Errorf("%v: another seed is the same encoder", given)
		}
	}
}

// An encoder that has seen rows of one shape makes the same of those of another as if it had not.
func TestEncodersForget(t *testing.T) {
	given := map[string]any{"channels": []any{int64(2)}}
	e := fit(t, given, digits())
	for _, in := range []fl.Shape{digits(), images(), digits()} {
		x := noise(2, in)
		if !bitwise(features(t, e, in, x, nil).Data, features(t, fit(t, given, in), in, x, nil).Data) {
			t.Errorf("%+v: an instance remembers", in.Image)
		}
	}
}

// Features are no images; all else that is known of rows stays.
func TestShapesOfFeatures(t *testing.T) {
	for k, want := range []int{784, 24, 132, 50, 20} {
		in := digits()
		in.Owned, in.Covariates = true, []string{"age"}
		got, err := fit(t, encoders()[k], in).Shape(in)
		in.Features, in.Image = want, fl.Image{}
		if err != nil || !got.Equal(in) {
			t.Errorf("%v: %+v, %v, want %+v", encoders()[k], got, err, in)
		}
	}
}

// What does not fit is one error, at the parameter, before anything runs.
func TestMisfitsOfEncoders(t *testing.T) {
	vectors, small := fl.Shape{Features: 30, Classes: 2}, digits()
	small.Image = fl.Image{C: 4, H: 14, W: 14}
	public := func(name string) map[string]any { return map[string]any{"name": name} }
	for _, c := range []struct {
		given map[string]any
		in    fl.Shape
		want  string
	}{
		{nil, vectors, "encoder: random-conv needs images; the rows of these data are none"},
		{map[string]any{"encoder": "cnn", "public": "glyphs"}, vectors,
			"encoder: cnn needs images; the rows of these data are none"},
		{map[string]any{"kernel": int64(11)}, digits(), "encoder: random-conv does not fit images of " +
			"28×28 pixels: layer 3: conv: window 11×11, stride 1, padding 0 does not turn 9×9×32 into " +
			"0×0×64"},
		{map[string]any{"grid": int64(9)}, digits(), "encoder: random-conv does not fit images of " +
			"28×28 pixels: layer 5: avg-pool: a grid of 9×9 does not fit 8×8×64"},
		{map[string]any{"channels": []any{}}, digits(), "channels: is empty"},
		{map[string]any{"encoder": "cnn"}, digits(), `public: is required: encoder = "cnn" is trained ` +
			`on public data, such as public = "glyphs"`},
		{map[string]any{"encoder": "cnn", "public": "glyphs"}, small, "encoder: cnn is trained on " +
			"images like those of the clients, of 14×14×4; glyphs has images of 28×28×1"},
		{map[string]any{"encoder": "cnn", "public": public("regression")}, digits(), "encoder: cnn is " +
			"trained on images in classes, and regression has none"},
		{map[string]any{"encoder": "cnn", "public": public("glyhps")}, digits(),
			`public: dataset: there is no "glyhps"`},
	} {
		_, problems := encoder(t, c.given, c.in)
		var found []string
		for _, p := range problems {
			found = append(found, p.Message)
		}
		if got := strings.Join(found, "; "); got != c.want {
			t.Errorf("%v:\ngot  %s\nwant %s", c.given, got, c.want)
		}
	}
}
