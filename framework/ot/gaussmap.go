package ot

import (
	"errors"
	"fmt"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// A GaussianMap is the optimal transport T(z) = ν + A(z − μ) from N(μ, Σ) to N(ν, Γ), where
//
//	A = Σ^−½(Σ^½·Γ·Σ^½)^½·Σ^−½,
//
// or the way there: T^τ(z) = (1 − τ)z + τT(z), τ ∈ [0, 1], takes N(μ, Σ) along the geodesic of
// W₂ to N(ν, Γ).
//
// T exists if and only if Γ has no mass beyond the range of Σ. If Σ is singular A is taken on its
// range and is 0 beyond, and the residual tells what of Γ is missed.
type GaussianMap struct {
	Source, Target tensor.Vector // μ and ν
	A              tensor.Matrix // d×d, symmetric, without eigenvalues below 0
	Rank           int           // of Σ; below d, Σ is singular
	Residual       float64       // ‖A·Σ·A − Γ‖ over ‖Γ‖
	Converged      bool          // Residual ≤ 1e-6: A takes Σ to Γ
}

// Map returns the optimal transport from one Gaussian to another.
func (b *Bures) Map(from, to Gaussian) (GaussianMap, error) {
	d := len(from.Mean)
	if err := errors.Join(from.fit(d), to.fit(d)); err != nil {
		return GaussianMap{}, fmt.Errorf("map: %w", err)
	}
	if err := b.left.of(from.Cov); err != nil {
		return GaussianMap{}, fmt.Errorf("map: %w", err)
	}
	root, _, err := b.root(to.Cov, 1)
	if err != nil {
		return GaussianMap{}, fmt.Errorf("map: %w", err)
	}
	m := GaussianMap{Source: from.Mean.Clone(), Target: to.Mean.Clone(), Rank: root.Rows}
	m.A = tensor.NewMatrix(d, d)
	b.cross = resized(b.cross, root.Rows, d)
	cross, a := whole(b.cross), whole(m.A)
	kernel.Gemm64(&b.space, cross, whole(root), whole(b.left.inverse), false)
	kernel.Lower64(&b.space, a, cross.T(), cross, false)
	kernel.Mirror64(a)
	pushed := b.push(m.A, from.Cov)
	size := tensor.Vector(to.Cov.Data).Norm()
	m.Residual = relative(tensor.Vector(pushed.Data).Distance(to.Cov.Data), size)
	m.Converged = m.Residual <= acceptable
	return m, nil
}

// push returns a·s·a for symmetric matrices.
func (b *Bures) push(a, s tensor.Matrix) tensor.Matrix {
	b.cross = resized(b.cross, a.Rows, a.Rows)
	pushed := tensor.NewMatrix(a.Rows, a.Rows)
	kernel.Gemm64(&b.space, whole(b.cross), whole(a), whole(s), false)
	kernel.Lower64(&b.space, whole(pushed), whole(b.cross), whole(a), false)
	kernel.Mirror64(whole(pushed))
	return pushed
}

// move sets b.next to τ(A − I), so that T^τ(z) = z + τ(A − I)(z − μ) + τ(ν − μ).
func (b *Bures) move(m GaussianMap, tau float64) tensor.Matrix {
	d := m.A.Rows
	b.next = resized(b.next, d, d)
	copy(b.next.Data, m.A.Data)
	for i := range d {
		b.next.Row(i)[i]--
	}
	kernel.Scale(b.next.Data, tau)
	return b.next
}

// Interpolate returns what T^τ makes of g. It is g itself for τ = 0, bit for bit.
func (b *Bures) Interpolate(m GaussianMap, g Gaussian, tau float64) Gaussian {
	if tau == 0 {
		return g.clone()
	}
	way := b.move(m, tau)
	mean := tensor.Matrix{Rows: 1, Cols: len(g.Mean), Data: make([]float64, len(g.Mean))}
	b.Apply(mean, tensor.Matrix{Rows: 1, Cols: len(g.Mean), Data: g.Mean}, m, tau)
	for i := range way.Rows {
		way.Row(i)[i]++
	}
	return Gaussian{Mean: mean.Data, Cov: b.push(way, g.Cov)}
}

// rowsAtOnce is how many features are moved together: they stay in the second-level cache.
const rowsAtOnce = 128

// Apply sets row i of dst to T^τ of row i of x, both n×d; dst may be x, and overlaps it
// otherwise nowhere. With τ = 0 it is a copy, bit for bit. What becomes of a row depends on that
// row only.
func (b *Bures) Apply(dst, x tensor.Matrix, m GaussianMap, tau float64) {
	copy(dst.Data, x.Data)
	if tau == 0 {
		return
	}
	way, d := b.move(m, tau), x.Cols
	for lo := 0; lo < x.Rows; lo += rowsAtOnce {
		rows := dst.Slice(lo, min(lo+rowsAtOnce, x.Rows))
		b.cross = resized(b.cross, rows.Rows, d)
		copy(b.cross.Data, rows.Data)
		for i := range rows.Rows {
			b.cross.Row(i).Sub(m.Source)
			rows.Row(i).AddScaled(tau, m.Target)
			rows.Row(i).AddScaled(-tau, m.Source)
		}
		kernel.Gemm64(&b.space, whole(rows), whole(b.cross), whole(way), true)
	}
}
