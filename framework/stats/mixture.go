package stats

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// A Spread is what form the covariances of a mixture have.
type Spread int

// The forms of covariances, and what Mixture.Cov is for G components in d dimensions.
const (
	Spherical Spread = iota // multiples of the identity; G×1
	Diagonal                // G×d
	Full                    // one d×d below the other; G·d×d
	Tied                    // one for all components; d×d
)

// dense reports whether covariances have elements beside the diagonal.
func (s Spread) dense() bool { return s == Full || s == Tied }

// A Mixture is the law Σ_g w_g·N(μ_g, Σ_g) on ℝᵈ.
type Mixture struct {
	Spread  Spread
	Weights tensor.Vector // w, length G, ≥ 0, of any positive sum: they count relative to it
	Means   tensor.Matrix // G×d
	Cov     tensor.Matrix // variances or covariances, as Spread says
}

// newMixture returns a mixture of zeros.
func newMixture(spread Spread, components, d int) Mixture {
	rows, cols := components, d
	switch spread {
	case Spherical:
		cols = 1
	case Full:
		rows = components * d
	case Tied:
		rows = d
	}
	return Mixture{Spread: spread, Weights: make(tensor.Vector, components),
		Means: tensor.NewMatrix(components, d), Cov: tensor.NewMatrix(rows, cols)}
}

// covariance returns the part of Cov that is of component g.
func (m Mixture) covariance(g int) tensor.Matrix {
	each := m.Cov.Rows / len(m.Weights)
	if m.Spread == Tied {
		g, each = 0, m.Cov.Rows
	}
	return m.Cov.Slice(g*each, (g+1)*each)
}

// Parameters returns how many numbers determine the mixture: a symmetric matrix counts once for
// both sides of its diagonal, and the last weight not at all.
func (m Mixture) Parameters() int {
	d, free := m.Means.Cols, len(m.Cov.Data)
	if m.Spread.dense() {
		free = m.Cov.Rows * (d + 1) / 2
	}
	return len(m.Weights) - 1 + len(m.Means.Data) + free
}

// LogDensity sets dst[i] to the logarithm of the density at row i of x. Eigenvalues of a Full or
// Tied covariance that are no more than rounding of its largest are raised to that; variances
// must be positive. It allocates.
func (m Mixture) LogDensity(dst tensor.Vector, x tensor.Matrix) error {
	var e densities
	if err := e.prepare(m); err != nil {
		return err
	}
	joint := tensor.NewMatrix(x.Rows, len(m.Weights))
	e.joint(joint, x)
	for i := range dst {
		dst[i] = joint.Row(i).LogSumExp()
	}
	return nil
}

// Posterior sets row i of dst, n×G, to the probabilities of the components given row i of x. As
// LogDensity, it raises eigenvalues, and wants variances that are positive. It allocates.
func (m Mixture) Posterior(dst, x tensor.Matrix) error {
	var e densities
	if err := e.prepare(m); err != nil {
		return err
	}
	e.joint(dst, x)
	for i := range dst.Rows {
		tensor.Softmax(dst.Row(i), dst.Row(i))
	}
	return nil
}

// Sample sets the rows of dst to independent draws: of each the component first. It allocates.
func (m Mixture) Sample(dst tensor.Matrix, rng *rand.Rand) error {
	var e densities
	if err := e.prepare(m); err != nil {
		return err
	}
	z := make(tensor.Vector, dst.Cols)
	for i := range dst.Rows {
		g, row := index(m.Weights, rng), dst.Row(i)
		for k := range z {
			z[k] = rng.NormFloat64()
		}
		copy(row, m.Means.Row(g))
		e.colour(row, z, g)
	}
	return nil
}

// Densities are what the densities of a mixture are computed from, and the room for it.
type densities struct {
	Mixture
	constant tensor.Vector // log w_g − ½·log det(2πΣ_g)
	whiten   tensor.Matrix // of the shape of Cov: 1/σ, or rows vₖ/√λₖ for Σ = Σₖ λₖ·vₖ·vₖᵀ

	eigen   tensor.Eigen
	space   kernel.Workspace
	centred tensor.Matrix
	white   tensor.Matrix
}

// prepare finds the constants and what makes a component white.
func (e *densities) prepare(m Mixture) error {
	e.Mixture = m
	e.whiten = like(e.whiten, m.Cov)
	e.constant = append(e.constant[:0], m.Weights...)
	total, d := math.Log(m.Weights.Sum()), float64(m.Means.Cols)
	for g, w := range m.Weights {
		logDet, err := e.deviations(g)
		if err != nil {
			return fmt.Errorf("component %d: %w", g, err)
		}
		e.constant[g] = math.Log(w) - total - (d*math.Log(2*math.Pi)+logDet)/2
	}
	return nil
}

// like returns a matrix of the shape of m, in the memory of old if that is enough.
func like(old, m tensor.Matrix) tensor.Matrix {
	if cap(old.Data) < len(m.Data) {
		return tensor.NewMatrix(m.Rows, m.Cols)
	}
	return tensor.Matrix{Rows: m.Rows, Cols: m.Cols, Data: old.Data[:len(m.Data)]}
}

// deviations finds the part of whiten for component g, and returns log det Σ_g.
func (e *densities) deviations(g int) (logDet float64, err error) {
	cov, whiten := e.covariance(g), e.scale(g)
	if !e.Spread.dense() {
		for k, v := range cov.Data {
			if !(v > 0) || math.IsInf(v, 1) {
				return 0, fmt.Errorf("a variance is %v", v)
			}
			logDet += math.Log(v)
			whiten.Data[k] = 1 / math.Sqrt(v)
		}
		if e.Spread == Spherical {
			logDet *= float64(e.Means.Cols)
		}
		return logDet, nil
	}
	values, vectors, err := e.eigen.Factor(cov)
	if err != nil {
		return 0, err
	}
	copy(whiten.Data, vectors.Data)
	last := len(values) - 1
	for k, v := range values {
		v = max(v, float64(len(values))*0x1p-52*values[last])
		if !(v > 0) {
			return 0, tensor.ErrNotPositive
		}
		logDet += math.Log(v)
		whiten.Row(k).Scale(1 / math.Sqrt(v))
	}
	return logDet, nil
}

// scale returns the part of whiten that is of component g.
func (e *densities) scale(g int) tensor.Matrix {
	whiten := e.Mixture
	whiten.Cov = e.whiten
	return whiten.covariance(g)
}

// colour adds to x, a mean, what makes independent normal z of variance 1 a draw of component g.
func (e *densities) colour(x, z tensor.Vector, g int) {
	whiten := e.scale(g)
	switch e.Spread {
	case Spherical:
		x.AddScaled(1/whiten.Data[0], z)
	case Diagonal:
		z.Div(whiten.Data)
		x.Add(z)
	default:
		for k := range z {
			row := whiten.Row(k)
			x.AddScaled(z[k]/row.Dot(row), row) // √λ·v = w/‖w‖² for w = v/√λ
		}
	}
}

// whiteRows is how many rows are made white at a time.
const whiteRows = 128

// joint sets dst[i, g] to the logarithm of w_g times the density of component g at row i of x.
func (e *densities) joint(dst, x tensor.Matrix) {
	for lo := 0; lo < x.Rows; lo += whiteRows {
		rows := x.Slice(lo, min(lo+whiteRows, x.Rows))
		for g, constant := range e.constant {
			e.makeWhite(rows, g)
			for i := range rows.Rows {
				row := e.white.Row(i)
				dst.Row(lo + i)[g] = constant - row.Dot(row)/2
			}
		}
	}
}

// makeWhite sets the rows of e.white to Σ_g^−½·(x − μ_g) for those of x, up to a rotation.
func (e *densities) makeWhite(x tensor.Matrix, g int) {
	e.white, e.centred = like(e.white, x), like(e.centred, x)
	whiten := e.scale(g)
	for i := range x.Rows {
		row := e.white.Row(i)
		if e.Spread.dense() {
			row = e.centred.Row(i)
		}
		copy(row, x.Row(i))
		row.Sub(e.Means.Row(g))
		switch e.Spread {
		case Spherical:
			row.Scale(whiten.Data[0])
		case Diagonal:
			row.Mul(whiten.Data)
		}
	}
	if e.Spread.dense() {
		kernel.Gemm64(&e.space, whole(e.white), whole(e.centred), whole(whiten).T(), false)
	}
}
