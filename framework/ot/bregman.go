package ot

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// Bregman finds the barycenter of measures aₛ with weights wₛ on one support: the b that
// minimises Σ wₛ·W(aₛ, b), where W is the least ⟨T, C⟩ + λ Σ T(log T − 1) of plans T between
// them. It is blurred, more so for larger λ: of equal measures it is not that measure. The plans
// are Tₛ = diag(uₛ)·K·diag(vₛ) with K = exp(−C/λ), and iterative Bregman projections lead there
// from v = 1:
//
//	uₛ ← aₛ ⊘ (K·vₛ),  b ← ∏ (Kᵀ·uₛ)^wₛ,  vₛ ← b ⊘ (Kᵀ·uₛ)                          (4)
//
// (J.-D. Benamou, G. Carlier, M. Cuturi, L. Nenna, G. Peyré. Iterative Bregman projections for
// regularized transportation problems. SIAM Journal on Scientific Computing, 2015, Proposition
// 2; J. Solomon et al. Convolutional Wasserstein distances. ACM Transactions on Graphics, 2015,
// for K that is a product). That makes ∏ vₛ^wₛ = 1, which the first-order condition asks for.
// POT's barycenter multiplies vₛ by b ⊘ (Tₛᵀ1) for b = ∏ (Tₛᵀ1)^wₛ instead, which leaves that
// product as it was at first, when POT takes even weights; so others end at another point.
//
// Sweeps multiply as long as nothing is lost by that. Once something would be, they go on in
// the log domain, which takes some twenty times as long.
//
// The zero value is ready but for the settings. Memory is kept from one problem to the next,
// and nothing is allocated for a problem that is no larger than one before.
type Bregman struct {
	Lambda    float64 // λ > 0, in units of C
	Epsilon   float64 // ε ≥ 0: what b may move by in the last sweep, in units of its largest mass
	MaxSweeps int     // less than 1 counts as 1

	product product
	weights tensor.Vector // those that are not 0, of sum 1
	a       tensor.Vector // the measures as product has them; logarithms in the log domain
	u, v    tensor.Vector // as a
	kv, ktu tensor.Vector // K·v and Kᵀ·u, as a
	b, next tensor.Vector // n
	logNext tensor.Vector // n
	room    tensor.Vector // W
	logs    bool          // in the log domain
}

// A FixedBarycenter is a barycenter on the support of its measures. Mass belongs to the solver
// and lasts until it is used again.
//
// Where λ is small beside the cost between points, b may hardly move in a sweep and yet be far from
// its limit; the residual shows that.
type FixedBarycenter struct {
	Mass      tensor.Vector // b, length n; its sum is 1 but for Residual
	Change    float64       // max|b − b before the last sweep| / max b
	Residual  float64       // Σ wₛ·‖Tₛᵀ1 − b‖₁: how far the plans are from agreeing on b
	Sweeps    int           // rounds of (4)
	Converged bool          // Change is at most ε, and Residual at most n·ε
}

// Barycenter returns the barycenter of the measures in the rows of a, which are distributions
// on the support, zeros included. Weights are in proportion; a measure of weight 0 is left out.
func (s *Bregman) Barycenter(
	on Support, w tensor.Vector, a tensor.Matrix,
) (FixedBarycenter, error) {
	if err := s.load(on, w, a); err != nil {
		return FixedBarycenter{}, err
	}
	c := FixedBarycenter{}
	for {
		s.sweep()
		c.Sweeps++
		c.Change = floats.Distance(s.next, s.b, math.Inf(1)) / floats.Max(s.next)
		s.b, s.next = s.next, s.b
		rest, spent := c.Change <= s.Epsilon, c.Sweeps >= s.MaxSweeps
		if rest || spent {
			c.Mass, c.Residual = s.b, s.disagreement()
			c.Converged = rest && c.Residual <= s.Epsilon*float64(len(s.b))
		}
		if c.Converged || spent {
			return c, nil
		}
		s.agree()
	}
}

// load checks a problem and lays it out.
func (s *Bregman) load(on Support, w tensor.Vector, a tensor.Matrix) error {
	if err := on.Check(); err != nil {
		return err
	}
	n := on.size()
	if len(w) != a.Rows || a.Cols != n || len(a.Data) != a.Rows*a.Cols {
		return fmt.Errorf("%d weights and %d measures on %d points, but the support has %d",
			len(w), a.Rows, a.Cols, n)
	}
	total := w.Sum()
	if !(total > 0) || math.IsInf(total, 1) {
		return fmt.Errorf("the weights sum to %v", total)
	}
	s.weights = s.weights[:0]
	for k, x := range w {
		if !(x >= 0) {
			return fmt.Errorf("weight %d is %v", k, x)
		}
		if err := checkSum("a", a.Row(k)); err != nil {
			return fmt.Errorf("measure %d: %w", k, err)
		}
		if x > 0 {
			s.weights = append(s.weights, x/total)
		}
	}
	if err := s.product.load(on, s.Lambda, len(s.weights)); err != nil {
		return err
	}
	s.start(w, a)
	return nil
}

// start lays out the measures and sets v = 1.
func (s *Bregman) start(w tensor.Vector, a tensor.Matrix) {
	p := &s.product
	for _, x := range []*tensor.Vector{&s.a, &s.u, &s.v, &s.kv, &s.ktu} {
		*x = resize(*x, p.size())
	}
	for _, x := range []*tensor.Vector{&s.b, &s.next, &s.logNext} {
		*x = resize(*x, a.Cols)
	}
	s.room = resize(s.room, p.width)
	k := 0
	for i, weight := range w {
		if weight == 0 {
			continue
		}
		mass := a.Row(i)
		scale := 1 / mass.Sum()
		for h := range p.height {
			floats.ScaleTo(p.line(s.a, h, k), scale, p.row(mass, h))
		}
		k++
	}
	fill(s.v, 1)
	clear(s.b)
	s.logs = false
}

// sweep does a round of (4) but for v, with b in next.
func (s *Bregman) sweep() {
	if !s.logs && !s.multiply() {
		s.logs = true
		s.product.takeLogs()
		for i, x := range s.a {
			s.a[i], s.v[i] = math.Log(x), math.Log(s.v[i])
		}
	}
	if s.logs {
		s.product.logApply(s.kv, s.v)
		floats.SubTo(s.u, s.a, s.kv)
		s.product.logApplyT(s.ktu, s.u)
	}
	s.blend()
}

// multiply sets u and Kᵀ·u. It reports whether that lost nothing: as long as u and v are moderate,
// terms of K·v and Kᵀ·u that have underflowed are lost beside sums that can be trusted.
func (s *Bregman) multiply() bool {
	s.product.apply(s.kv, s.v)
	floats.DivTo(s.u, s.a, s.kv)
	if !fit(s.v, s.kv) {
		return false
	}
	s.product.applyT(s.ktu, s.u)
	return fit(s.u, s.ktu)
}

// fit reports whether all scalings are moderate, and all sums can be trusted.
func fit(scalings, sums tensor.Vector) bool {
	for i, x := range scalings {
		if !(x <= moderate && sums[i] >= trusted) {
			return false
		}
	}
	return true
}

// blend sets next to ∏ (Kᵀ·uₛ)^wₛ.
func (s *Bregman) blend() {
	p := &s.product
	clear(s.logNext)
	for h := range p.height {
		sum := p.row(s.logNext, h)
		fill(s.room, 1)
		for k, w := range s.weights {
			from := p.line(s.ktu, h, k)
			if s.logs {
				sum.AddScaled(w, from)
				continue
			}
			s.gather(sum, w, from)
			if k+1 == len(s.weights) || s.weights[k+1] != w {
				for i, x := range s.room {
					sum[i] += float64(w * math.Log(x))
				}
				fill(s.room, 1)
			}
		}
	}
	kernel.Exp(s.next, s.logNext)
}

// gather multiplies room by x, so that measures of equal weights share a logarithm, and moves
// w times the logarithm of what is no longer moderate to sum. Neither a number that can be
// trusted nor a sum of moderate ones leaves the range of float64 if multiplied by a moderate one.
func (s *Bregman) gather(sum tensor.Vector, w float64, x tensor.Vector) {
	room := s.room
	for i, f := range x {
		f *= room[i]
		if !(f > 1/moderate && f < moderate) {
			sum[i] += float64(w * math.Log(f))
			f = 1
		}
		room[i] = f
	}
}

// agree sets v so that all plans have b for their columns.
func (s *Bregman) agree() {
	p := &s.product
	for h := range p.height {
		for k := range s.weights {
			v, ktu := p.line(s.v, h, k), p.line(s.ktu, h, k)
			if s.logs {
				floats.SubTo(v, p.row(s.logNext, h), ktu)
			} else {
				floats.DivTo(v, p.row(s.b, h), ktu)
			}
		}
	}
}

// disagreement returns Σ wₛ·‖Tₛᵀ1 − b‖₁ of the plans as the last sweep left them.
func (s *Bregman) disagreement() (sum float64) {
	p := &s.product
	for h := range p.height {
		for k, w := range s.weights {
			v, ktu, cols := p.line(s.v, h, k), p.line(s.ktu, h, k), s.room
			if s.logs {
				floats.AddTo(cols, v, ktu)
				kernel.Exp(cols, cols)
			} else {
				floats.MulTo(cols, v, ktu)
			}
			sum += float64(w * floats.Distance(cols, p.row(s.b, h), 1))
		}
	}
	return sum
}
