package ot

import (
	"cmp"
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// A Bures finds transport between Gaussians. The zero value is ready, with the best iteration;
// after the first use at a dimension, its iterations allocate nothing. One goroutine uses it at a
// time, and it starts none: its bits depend on the Gaussians only.
type Bures struct {
	Plain         bool    // the plain fixed point, for comparison: it needs many more iterations
	Tolerance     float64 // of Barycenter.Change, ≥ 0; 0 means 1e-9
	MaxIterations int     // ≥ 0; 0 means 500

	space       kernel.Workspace
	left, right factor
	inner       tensor.Eigen
	cross       tensor.Matrix // half·Σₖ, and other products on the way
	square      tensor.Matrix // half·Σₖ·halfᵀ
	mean        tensor.Matrix // Q in the eigenvectors of S
	next        tensor.Matrix // S′, and other matrices of its shape
}

// A Barycenter is the Gaussian S that minimises Σₖ wₖ·W₂²(S, Gₖ), as it was found.
type Barycenter struct {
	Gaussian
	Objective  float64 // Σₖ wₖ·B²(S, Σₖ), without the means
	Residual   float64 // ‖S − Σₖ wₖ(S^½·Σₖ·S^½)^½‖ over ‖S‖
	Change     float64 // ‖S′ − S‖ over ‖S‖ for the next iterate S′
	Rank       int     // of S; below d, S is singular
	Iterations int
	Stagnated  bool // the residual had not fallen for ten iterations
	Converged  bool // Change ≤ ε and Residual ≤ 10·ε, or stagnated at a residual ≤ 1e-6
}

const (
	stagnation = 10   // iterations without a smaller residual
	acceptable = 1e-6 // residual at which to stagnate is to have converged
)

// Barycenter returns the barycenter of Gaussians with weights w ≥ 0, one of them positive;
// they need not sum to 1. Its mean is that of the means. Its covariance is the limit, from
// Σₖ wₖΣₖ, of
//
//	S ← S^−½·Q²·S^−½ with Q = Σₖ wₖ(S^½·Σₖ·S^½)^½
//
// (Álvarez-Esteban, del Barrio, Cuesta-Albertos, Matrán, A fixed-point approach to barycenters in
// Wasserstein space, J. Math. Anal. Appl. 441, 2016, Theorem 4.2), along which the objective falls,
// and which ends after one iteration where all Σₖ commute. The plain iteration, S ← Q, has the same
// fixed points. Where S is singular its inverse is the one on its range. What is returned is the
// last S of which the residual is known. Covariances that are not symmetric or that have
// eigenvalues below 0 are the caller's mistake; the result is then undefined.
func (b *Bures) Barycenter(w tensor.Vector, gs []Gaussian) (Barycenter, error) {
	parts, err := weigh(w, gs)
	if err != nil {
		return Barycenter{}, fmt.Errorf("barycenter: %w", err)
	}
	c := Barycenter{Gaussian: mixed(parts)}
	if len(parts) == 1 {
		if err := b.left.of(c.Cov); err != nil {
			return c, fmt.Errorf("barycenter: %w", err)
		}
		c.Rank, c.Converged = len(b.left.lambda), true
		return c, nil
	}
	epsilon, limit := cmp.Or(b.Tolerance, 1e-9), cmp.Or(b.MaxIterations, 500)
	least, since := math.Inf(1), 0
	for ; ; c.Iterations++ {
		if err := b.step(&c, parts); err != nil {
			return c, fmt.Errorf("barycenter: %w", err)
		}
		if since++; c.Residual < least {
			least, since = c.Residual, 0
		}
		c.Stagnated = since == stagnation
		c.Converged = c.Change <= epsilon && c.Residual <= 10*epsilon ||
			c.Stagnated && c.Residual <= acceptable
		if c.Converged || c.Stagnated || c.Iterations == limit {
			break
		}
		c.Cov, b.next = b.next, c.Cov
	}
	kernel.Mirror64(whole(c.Cov))
	return c, nil
}

// A part is a Gaussian of which the barycenter is made.
type part struct {
	weight float64 // > 0; those of all parts sum to 1
	Gaussian
}

// weigh returns the Gaussians whose weight is not 0.
func weigh(w tensor.Vector, gs []Gaussian) ([]part, error) {
	if len(w) != len(gs) {
		return nil, fmt.Errorf("%d weights for %d gaussians", len(w), len(gs))
	}
	total, parts := w.Sum(), []part(nil)
	for k, x := range w {
		if !(x >= 0) {
			return nil, fmt.Errorf("weight %d is %v", k, x)
		}
		if x == 0 {
			continue
		}
		parts = append(parts, part{x / total, gs[k]})
		if err := gs[k].fit(len(parts[0].Mean)); err != nil {
			return nil, fmt.Errorf("gaussian %d: %w", k, err)
		}
	}
	if len(parts) == 0 || math.IsInf(total, 1) {
		return nil, fmt.Errorf("the weights sum to %v", total)
	}
	return parts, nil
}

// mixed returns the Gaussian of the mean mean and the mean covariance.
func mixed(parts []part) Gaussian {
	if len(parts) == 1 {
		return parts[0].clone()
	}
	d := len(parts[0].Mean)
	g := Gaussian{make(tensor.Vector, d), tensor.NewMatrix(d, d)}
	for _, p := range parts {
		g.Mean.AddScaled(p.weight, p.Mean)
		kernel.Axpy(g.Cov.Data, p.weight, p.Cov.Data)
	}
	return g
}

// step measures c, and puts the next iterate into b.next.
//
// With S = halfᵀ·half everything is done in the eigenvectors of S: the rows of half are
// orthogonal, so that half·Σₖ·halfᵀ is S^½·Σₖ·S^½ in other coordinates, where S is diag(λ).
func (b *Bures) step(c *Barycenter, parts []part) error {
	if err := b.left.of(c.Cov); err != nil {
		return err
	}
	rank := len(b.left.lambda)
	b.mean = resized(b.mean, rank, rank)
	clear(b.mean.Data)
	c.Rank, c.Objective = rank, b.left.lambda.Sum()
	for _, p := range parts {
		root, trace, err := b.root(p.Cov, p.weight)
		if err != nil {
			return err
		}
		kernel.Lower64(&b.space, whole(b.mean), whole(root).T(), whole(root), true)
		for i := range p.Mean {
			c.Objective += float64(p.weight * p.Cov.Row(i)[i])
		}
		c.Objective -= float64(2 * trace)
	}
	c.Objective = max(c.Objective, 0)
	kernel.Mirror64(whole(b.mean))
	b.advance()
	size := b.left.lambda.Norm()
	c.Change = relative(lowerDistance(b.next, c.Cov), size)
	for i, x := range b.left.lambda {
		b.mean.Row(i)[i] -= x
	}
	c.Residual = relative(tensor.Vector(b.mean.Data).Norm(), size)
	return nil
}

// root takes half·s·halfᵀ =: C apart, and returns the matrix R with w·C^½ = Rᵀ·R, which lasts
// until the next, and the trace of that.
func (b *Bures) root(s tensor.Matrix, w float64) (tensor.Matrix, float64, error) {
	half := b.left.half
	b.cross, b.square = resized(b.cross, half.Rows, s.Cols), resized(b.square, half.Rows, half.Rows)
	kernel.Gemm64(&b.space, whole(b.cross), whole(half), whole(s), false)
	kernel.Lower64(&b.space, whole(b.square), whole(b.cross), whole(half).T(), false)
	values, vectors, err := b.inner.Factor(b.square)
	trace := 0.0
	for i, x := range values {
		x = w * math.Sqrt(max(x, 0))
		trace += x
		vectors.Row(i).Scale(math.Sqrt(x))
	}
	return vectors, trace, err
}

// advance makes the next iterate of Q = b.mean.
func (b *Bures) advance() {
	through := b.left.inverse // S′ = inverseᵀ·Q·Q·inverse
	d := through.Cols
	b.next, b.cross = resized(b.next, d, d), resized(b.cross, through.Rows, d)
	cross, next := whole(b.cross), whole(b.next)
	if !b.Plain {
		kernel.Gemm64(&b.space, cross, whole(b.mean), whole(through), false)
		kernel.Lower64(&b.space, next, cross.T(), cross, false)
		return
	}
	through = b.left.unit() // S′ = unitᵀ·Q·unit
	kernel.Gemm64(&b.space, cross, whole(b.mean), whole(through), false)
	kernel.Lower64(&b.space, next, whole(through).T(), cross, false)
}

// lowerDistance returns ‖a − b‖ of symmetric matrices given by what is not above the diagonal.
func lowerDistance(a, b tensor.Matrix) float64 {
	below, on := 0.0, 0.0
	for i := range a.Rows {
		below += kernel.SquaredDistance(a.Row(i)[:i], b.Row(i)[:i])
		x := a.Row(i)[i] - b.Row(i)[i]
		on += float64(x * x)
	}
	return math.Sqrt(2*below + on)
}

// relative returns x/size, and 0 for 0/0.
func relative(x, size float64) float64 {
	if x == 0 {
		return 0
	}
	return x / size
}
