package ot

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// A Gaussian is the normal law on ℝᵈ of mean μ and covariance Σ.
type Gaussian struct {
	Mean tensor.Vector // μ, length d
	Cov  tensor.Matrix // Σ, d×d, symmetric, without eigenvalues below 0
}

// errShape is the error for Gaussians of different dimensions.
var errShape = errors.New("gaussians of different dimensions, or a covariance that is not square")

// fit reports whether g is a law on ℝᵈ.
func (g Gaussian) fit(d int) error {
	if len(g.Mean) != d || g.Cov.Rows != d || g.Cov.Cols != d {
		return fmt.Errorf("%w: mean of %d, covariance %d×%d, %d wanted", errShape,
			len(g.Mean), g.Cov.Rows, g.Cov.Cols, d)
	}
	if !g.Mean.Finite() || !tensor.Vector(g.Cov.Data).Finite() {
		return tensor.ErrNotFinite
	}
	return nil
}

// clone returns a copy of g.
func (g Gaussian) clone() Gaussian {
	g.Mean, g.Cov.Data = g.Mean.Clone(), tensor.Vector(g.Cov.Data).Clone()
	return g
}

// A factor is a covariance S = Σᵢ λᵢ·vᵢ·vᵢᵀ taken apart: S = halfᵀ·half. Eigenvalues that are no
// more than their rounding count for 0, and their eigenvectors are left out.
type factor struct {
	eigen   tensor.Eigen
	lambda  tensor.Vector // λ > 0, ascending, length rank
	half    tensor.Matrix // rank×d: row i is √λᵢ·vᵢ
	inverse tensor.Matrix // rank×d: row i is vᵢ/√λᵢ
}

// of takes s apart. It reads the diagonal and what is below it.
func (f *factor) of(s tensor.Matrix) error {
	values, vectors, err := f.eigen.Factor(s)
	if err != nil {
		return err
	}
	d, null := len(values), 0
	for null < d && !(values[null] > float64(d)*0x1p-52*values[d-1]) {
		null++
	}
	f.lambda = values[null:]
	f.half = resized(f.half, d-null, d)
	f.inverse = resized(f.inverse, d-null, d)
	for i, x := range f.lambda {
		for _, to := range [2]tensor.Matrix{f.half, f.inverse} {
			copy(to.Row(i), vectors.Row(null+i))
		}
		f.half.Row(i).Scale(math.Sqrt(x))
		f.inverse.Row(i).Scale(1 / math.Sqrt(x))
	}
	return nil
}

// unit turns inverse into the eigenvectors themselves.
func (f *factor) unit() tensor.Matrix {
	for i, x := range f.lambda {
		f.inverse.Row(i).Scale(math.Sqrt(x))
	}
	return f.inverse
}

// resized returns a matrix of that shape, in the memory of m if that is enough.
func resized(m tensor.Matrix, rows, cols int) tensor.Matrix {
	if cap(m.Data) < rows*cols {
		return tensor.NewMatrix(rows, cols)
	}
	return tensor.Matrix{Rows: rows, Cols: cols, Data: m.Data[:rows*cols]}
}

// whole returns m as the kernels see it.
func whole(m tensor.Matrix) kernel.Matrix[float64] {
	return kernel.RowMajor(m.Data, m.Rows, m.Cols)
}

// Distance returns the Wasserstein distance
//
//	W₂² = ‖μ₁ − μ₂‖² + B²,   B² = tr Σ₁ + tr Σ₂ − 2·tr (Σ₁^½·Σ₂·Σ₁^½)^½
//
// of two Gaussians. Instead of a difference of traces, which of two near laws leaves half of
// the digits, it takes B = min ‖F₁ − Uᵀ·F₂‖ over orthogonal U, where Σᵢ = Fᵢᵀ·Fᵢ (Bhatia, Jain,
// Lim, On the Bures–Wasserstein distance, Expositiones Mathematicae 37, 2019, Theorem 1): where
// U is wrong by a little, B² is wrong by the square of that. Of near laws, B is wrong by about
// d·2⁻⁵²·√tr(Σ₁ + Σ₂), for condition numbers up to 1e8 and for singular covariances. It
// allocates.
func (b *Bures) Distance(p, q Gaussian) (float64, error) {
	d := len(p.Mean)
	if err := errors.Join(p.fit(d), q.fit(d)); err != nil {
		return math.NaN(), err
	}
	if err := errors.Join(b.left.of(p.Cov), b.right.of(q.Cov)); err != nil {
		return math.NaN(), err
	}
	// With zeros below, the factors are square, and so is U.
	first, second := tensor.NewMatrix(d, d), tensor.NewMatrix(d, d)
	copy(first.Data, b.left.half.Data)
	copy(second.Data, b.right.half.Data)
	g := tensor.NewMatrix(d, d)
	kernel.Gemm64(&b.space, whole(g), whole(second), whole(first).T(), false)
	turn, err := polar(g, &b.space)
	if err != nil {
		return math.NaN(), err
	}
	kernel.Scale(second.Data, -1)
	kernel.Gemm64(&b.space, whole(first), whole(turn).T(), whole(second), true)
	return math.Hypot(p.Mean.Distance(q.Mean), tensor.Vector(first.Data).Norm()), nil
}

// polar returns the orthogonal U for which tr(Uᵀ·G) is largest, the polar factor of a square
// matrix G. Where G is singular U is one of many.
//
// The eigenvectors V of GᵀG make G·Vᵀ = Q·R nearly diagonal, but for the columns that are short
// beside the first, of which GᵀG knows nothing. For what is left of these in R it begins again.
func polar(g tensor.Matrix, space *kernel.Workspace) (tensor.Matrix, error) {
	d := g.Rows
	if d == 0 {
		return g, nil
	}
	v, err := descending(g, space)
	if err != nil {
		return v, err
	}
	turned := tensor.NewMatrix(d, d)
	kernel.Gemm64(space, whole(turned), whole(g), whole(v).T(), false)
	var qr mat.QR
	qr.Factorize(mat.NewDense(d, d, turned.Data))
	var q, r mat.Dense
	qr.QTo(&q)
	qr.RTo(&r)
	long := 0
	for ; long < d && !(math.Abs(r.At(long, long)) < short*math.Abs(r.At(0, 0))); long++ {
		if r.At(long, long) < 0 {
			v.Row(long).Scale(-1)
		}
	}
	rest := tensor.NewMatrix(d-long, d-long)
	for i := range rest.Rows {
		copy(rest.Row(i), r.RawRowView(long + i)[long:])
	}
	turn, err := polar(rest, space)
	if err != nil {
		return v, err
	}
	tail := tensor.NewMatrix(rest.Rows, d)
	tensor.Mul(tail, turn, v.Slice(long, d))
	copy(v.Slice(long, d).Data, tail.Data)
	tensor.Mul(turned, tensor.Matrix{Rows: d, Cols: d, Data: q.RawMatrix().Data}, v)
	return turned, nil
}

// short is which part of the longest column of R a column is that counts as short.
const short = 1.0 / 64

// descending returns the eigenvectors of gᵀ·g, those of large eigenvalues first.
func descending(g tensor.Matrix, space *kernel.Workspace) (tensor.Matrix, error) {
	d := g.Rows
	gram := tensor.NewMatrix(d, d)
	kernel.Lower64(space, whole(gram), whole(g).T(), whole(g), false)
	_, v, err := new(tensor.Eigen).Factor(gram)
	for k := range v.Rows {
		copy(gram.Row(d-1-k), v.Row(k))
	}
	return gram, err
}
