package preprocess_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/hansa-fl/hansa/builtin/preprocess"
	"github.com/hansa-fl/hansa/framework/fl"
)

// built returns a component with these parameters.
func built(t *testing.T, e fl.PreprocessorEntry, params map[string]any) fl.Preprocessor {
	t.Helper()
	p := fl.NewParams(params, fl.Setting{}, nil)
	c, err := e.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	return c
}

// A world is rows of clients, client by client.
type world struct {
	x     fl.Matrix
	start []int
}

// drawn returns rows of correlated features with means far from 0, split among clients of these
// sizes.
func drawn(d int, mean float64, sizes ...int) world {
	rng := rand.New(rand.NewPCG(7, uint64(d)))
	w := world{start: []int{0}}
	mix := make(fl.Vector, d*d)
	for k := range mix {
		mix[k] = rng.NormFloat64()
	}
	for i, n := range sizes {
		for range n {
			row := make(fl.Vector, d)
			for k := range d {
				row.AddScaled(rng.NormFloat64(), mix[k*d:(k+1)*d])
			}
			for j := range row {
				row[j] += mean + 0.3*float64(i)
			}
			w.x.Data = append(w.x.Data, row...)
		}
		w.start = append(w.start, w.start[i]+n)
	}
	w.x.Rows, w.x.Cols = w.start[len(sizes)], d
	return w
}

func (w world) client(i int) *fl.Dataset {
	return &fl.Dataset{Shape: w.shape(), X: w.x.Slice(w.start[i], w.start[i+1])}
}

func (w world) shape() fl.Shape { return fl.Shape{Features: w.x.Cols} }

// through returns what becomes of all rows, and what was said of it.
func (w world) through(t *testing.T, c fl.Preprocessor) (fl.Matrix, []string) {
	t.Helper()
	shape, err := c.Shape(w.shape())
	if err != nil {
		t.Fatal(err)
	}
	in := &fl.CombineInput{Shape: w.shape(), Notes: new(fl.Notes)}
	for i := range len(w.start) - 1 {
		own := w.client(i)
		payload, err := c.Summarize(&fl.SummaryInput{Client: i, Data: own})
		if err != nil {
			t.Fatal(err)
		}
		in.Uploads = append(in.Uploads, fl.Update{Client: i, Samples: own.Len(), Payload: payload})
	}
	reference, err := c.Combine(in)
	if err != nil {
		t.Fatal(err)
	}
	moved := fl.Matrix{Rows: w.x.Rows, Cols: shape.Features}
	for i := range len(w.start) - 1 {
		own := w.client(i)
		x, err := c.Transform(&fl.TransformInput{Client: i, Own: own, Rows: own.X, Shape: w.shape(),
			Reference: reference})
		if err != nil {
			t.Fatal(err)
		}
		moved.Data = append(moved.Data, x.Data...)
	}
	return moved, in.Notes.List()
}

// column returns a feature of all rows.
func column(x fl.Matrix, j int) fl.Vector {
	v := make(fl.Vector, x.Rows)
	for i := range v {
		v[i] = x.Row(i)[j]
	}
	return v
}

// same reports whether two matrices differ by less than a tolerance.
func same(a, b fl.Matrix, tolerance float64) bool {
	return a.Rows == b.Rows && a.Cols == b.Cols &&
		fl.Vector(a.Data).Distance(b.Data) <= tolerance
}

// Standardized features have mean 0 and variance 1 over all rows, whichever clients have them,
// and however far from 0 they lie.
//
//hansa:verifies theorem preprocess/standardize
func TestStandardize(t *testing.T) {
	all := built(t, preprocess.Standardize, nil)
	for mean, tolerance := range map[float64]float64{0: 1e-12, 3: 1e-12, 1e8: 1e-6} {
		one := drawn(5, mean, 61)
		many := one
		many.start = []int{0, 1, 3, 40, 61}
		x, _ := one.through(t, all)
		y, _ := many.through(t, all)
		if !same(x, y, tolerance) {
			t.Errorf("mean %v: the partition changes the result", mean)
		}
		for j := range 5 {
			v := column(y, j)
			m := v.Sum() / 61
			v.AddScaled(-1, slices.Repeat(fl.Vector{m}, 61))
			if math.Abs(m) > tolerance || math.Abs(v.Dot(v)/61-1) > tolerance {
				t.Errorf("mean %v: feature %d has mean %v and variance %v", mean, j, m, v.Dot(v)/61)
			}
		}
	}
}

// By client, every client's rows have mean 0 and variance 1, and nothing is sent.
func TestStandardizeByClient(t *testing.T) {
	c := built(t, preprocess.Standardize, map[string]any{"by": "client"})
	w := drawn(3, 2, 20, 30)
	x, _ := w.through(t, c)
	alone, _ := drawn(3, 2, 20).through(t, built(t, preprocess.Standardize, nil))
	if !same(x.Slice(0, 20), alone, 0) {
		t.Error("a client is not standardized as if it were alone")
	}
	if payload, err := c.Summarize(&fl.SummaryInput{Data: w.client(0)}); payload != nil || err != nil {
		t.Errorf("%v is sent (%v)", payload, err)
	}
	_, err := c.Transform(&fl.TransformInput{Client: -1, Rows: w.x, Shape: w.shape()})
	if err == nil || !strings.Contains(err.Error(), `partition = "natural"`) {
		t.Errorf("rows of no client: %v", err)
	}
}

// A constant feature becomes 0, exactly, whatever its value; one sample does no harm.
func TestStandardizeConstants(t *testing.T) {
	for _, by := range []string{"all", "client"} {
		w := drawn(3, 0, 1, 7, 13)
		for i := range w.x.Rows {
			w.x.Row(i)[1] = 0.1
		}
		x, _ := w.through(t, built(t, preprocess.Standardize, map[string]any{"by": by}))
		for _, v := range column(x, 1) {
			if v != 0 {
				t.Fatalf("by %s: a constant became %v", by, v)
			}
		}
		if !fl.Vector(x.Data).Finite() {
			t.Errorf("by %s: %v", by, x.Data)
		}
	}
}

// What pca makes of clients' moments is what gonum makes of all rows in one place.
//
//hansa:verifies source preprocess/pca
func TestPCA(t *testing.T) {
	w := drawn(6, 4, 1, 30, 9, 50)
	var reference stat.PC
	if !reference.PrincipalComponents(mat.NewDense(w.x.Rows, 6, w.x.Data), nil) {
		t.Fatal("gonum finds no components")
	}
	variances := reference.VarsTo(nil)
	for _, whiten := range []bool{false, true} {
		for _, k := range []int64{0, 4, 1} {
			c := built(t, preprocess.PCA, map[string]any{"components": k, "whiten": whiten})
			x, _ := w.through(t, c)
			if k == 0 {
				k = 6
			}
			if x.Cols != int(k) {
				t.Fatalf("%d components, want %d", x.Cols, k)
			}
			for a := range x.Cols {
				for b := range x.Cols {
					want := 0.0
					if a == b {
						if want = variances[a]; whiten {
							want = 1
						}
					}
					got := stat.Covariance(column(x, a), column(x, b), nil)
					if math.Abs(got-want) > 1e-9*variances[0] {
						t.Errorf("components %d and %d have covariance %v, want %v", a, b, got, want)
					}
				}
			}
		}
	}
}

// A split of the rows decides nothing, signs are those of the largest component, and all
// components together keep every distance.
//
//hansa:verifies invariance preprocess/pca
func TestPCAIsDetermined(t *testing.T) {
	w := drawn(6, 1e6, 90)
	c := built(t, preprocess.PCA, nil)
	x, _ := w.through(t, c)
	w.start = []int{0, 2, 3, 50, 90}
	y, _ := w.through(t, c)
	if !same(x, y, 1e-4) {
		t.Error("the partition changes the result")
	}
	for i := range 89 {
		before, after := w.x.Row(i).Distance(w.x.Row(i+1)), y.Row(i).Distance(y.Row(i+1))
		if math.Abs(before-after) > 1e-7*before {
			t.Fatalf("a distance %v became %v", before, after)
		}
	}
	far := fl.Matrix{Rows: 3, Cols: 2, Data: []float64{0, 0, -10, 1, -20, 2}}
	z, _ := world{far, []int{0, 3}}.through(t, c)
	if !(z.Row(0)[0] > 0) { // the first direction is (+10, −1)
		t.Errorf("signs: %v", z.Data)
	}
}

// Components beyond the share that is kept are 0, and a note says how many are not.
func TestPCAKeepsAShare(t *testing.T) {
	w := world{fl.NewMatrix(40, 3), []int{0, 10, 40}}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 40 {
		for j, s := range []float64{1, 10, 0.1} {
			w.x.Row(i)[j] = s * rng.NormFloat64()
		}
	}
	for share, kept := range map[float64]int{0.5: 1, 0.95: 1, 0.995: 2, 1: 3} {
		x, notes := w.through(t, built(t, preprocess.PCA, map[string]any{"share": share}))
		for k := range 3 {
			zero := !slices.ContainsFunc(column(x, k), func(v float64) bool { return v != 0 })
			if x.Cols != 3 || zero == (k < kept) {
				t.Errorf("share %v: component %d is 0: %t", share, k, zero)
			}
		}
		if len(notes) != 1 || !strings.Contains(notes[0], "of 3 components") {
			t.Errorf("notes %q", notes)
		}
	}
	x, _ := w.through(t, built(t, preprocess.PCA, map[string]any{"share": 0.5, "components": int64(2)}))
	if x.Cols != 2 || column(x, 1).Sum() != 0 {
		t.Errorf("%d components", x.Cols)
	}
}

// Fewer rows than features, dead features and rows that are all the same make no NaN: directions
// without variance are 0 when whitened.
func TestPCAWithoutVariance(t *testing.T) {
	whiten := built(t, preprocess.PCA, map[string]any{"whiten": true})
	few := drawn(8, 1, 2, 1)
	x, _ := few.through(t, whiten)
	for k := range 8 {
		v := column(x, k)
		if size := v.Dot(v); !(size < 10) || (k < 2) != (size > 1e-6) {
			t.Errorf("3 rows: component %d is %v", k, v)
		}
	}
	same := world{fl.NewMatrix(5, 3), []int{0, 2, 5}}
	for k := range same.x.Data {
		same.x.Data[k] = 0.1
	}
	for _, c := range []fl.Preprocessor{whiten, built(t, preprocess.PCA, nil)} {
		y, _ := same.through(t, c)
		if slices.Max(y.Data) > 1e-12 || slices.Min(y.Data) < -1e-12 {
			t.Errorf("equal rows became %v", y.Data)
		}
	}
}

// More components than features are refused.
func TestPCARefuses(t *testing.T) {
	p := fl.NewParams(map[string]any{"components": int64(4)},
		fl.Setting{Clients: 2, Shape: fl.Shape{Features: 3}}, nil)
	_, err := preprocess.PCA.New(p)
	if problems := p.Finish(); err != nil || len(problems) != 1 ||
		problems[0].Message != "components: 4 of 3 features" {
		t.Errorf("%v, %v", problems, err)
	}
}
