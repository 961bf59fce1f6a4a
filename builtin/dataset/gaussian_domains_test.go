package dataset

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// TestGaussianDomains: without shift every class has one law in all domains; with it every domain
// is an affine image of the same samples, by a symmetric and positive definite matrix of which no
// eigenvalue leaves [e⁻ˢ, eˢ].
//
//hansa:verifies theorem dataset/gaussian-domains
func TestGaussianDomains(t *testing.T) {
	const m, each, shift = 3, 2000, 0.7
	given := func(s float64) map[string]any {
		return map[string]any{"features": int64(m), "classes": int64(4), "domains": int64(2),
			"train": int64(each), "test": int64(40), "shift": s, "gap": 3.0}
	}
	plain, _ := load(t, build(t, GaussianDomains, given(0), 2), 2, 3)
	bent, test := load(t, build(t, GaussianDomains, given(shift), 2), 2, 3)
	if test.Len() != 80 || !slices.Equal(bent.Shape.Domains, []string{"d1", "d2"}) {
		t.Fatalf("%d test rows of %v", test.Len(), bent.Shape.Domains)
	}
	if got := counts(bent); !slices.Equal(got, []int{1000, 1000, 1000, 1000}) {
		t.Errorf("classes %v", got)
	}
	for d := range 2 {
		lo := d * each
		a, b := affine(t, plain, bent, lo)
		var e tensor.Eigen
		for i := range m {
			for j := range m {
				within(t, "symmetry", a.Row(i)[j], a.Row(j)[i], 1e-9)
			}
		}
		values, _, err := e.Factor(a)
		if err != nil {
			t.Fatal(err)
		}
		least, most := values[0], values[m-1]
		if least < math.Exp(-shift)-1e-9 || most > math.Exp(shift)+1e-9 ||
			math.Abs(math.Max(-math.Log(least), math.Log(most))-shift) > 1e-9 {
			t.Errorf("domain %d is bent by %v, want a reach of %v", d, values, math.Exp(shift))
		}
		for r := lo; r < lo+each; r++ {
			want := make(fl.Vector, m)
			a.MulVec(want, plain.X.Row(r))
			want.Add(b)
			within(t, "image", want.Distance(bent.X.Row(r)), 0, 1e-9)
			if bent.Domain[r] != d {
				t.Fatalf("row %d is of domain %d", r, bent.Domain[r])
			}
		}
	}
	for class := range 4 { // the means of a class, by domain
		var mean [2]fl.Vector
		for d := range mean {
			mean[d] = make(fl.Vector, m)
			for r := d * each; r < (d+1)*each; r++ {
				if plain.Y[r] == class {
					mean[d].AddScaled(4.0/each, plain.X.Row(r))
				}
			}
		}
		within(t, fmt.Sprint("class ", class), mean[0].Distance(mean[1]), 0, 0.4)
	}
}

// affine reads the map x ↦ Ax + b off the rows from lo on, by their differences.
func affine(t *testing.T, from, to *fl.Dataset, lo int) (a fl.Matrix, b fl.Vector) {
	t.Helper()
	m := from.X.Cols
	x, y := fl.NewMatrix(m, m), fl.NewMatrix(m, m) // differences as columns
	for k := range m {
		for i := range m {
			x.Row(i)[k] = from.X.Row(lo + k + 1)[i] - from.X.Row(lo)[i]
			y.Row(i)[k] = to.X.Row(lo + k + 1)[i] - to.X.Row(lo)[i]
		}
	}
	var inverse, product mat.Dense
	if err := inverse.Inverse(mat.NewDense(m, m, x.Data)); err != nil {
		t.Fatal(err)
	}
	product.Mul(mat.NewDense(m, m, y.Data), &inverse)
	a = fl.Matrix{Rows: m, Cols: m, Data: product.RawMatrix().Data}
	b = make(fl.Vector, m)
	a.MulVec(b, from.X.Row(lo))
	b.Scale(-1)
	b.Add(to.X.Row(lo))
	return a, b
}
