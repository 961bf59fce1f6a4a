package stats

import (
	"math"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A Tail is the mean of the worst share c of units: the conditional value at risk at level 1 − c of
// losses Fᵤ that have shares pᵤ, Σ pᵤ = 1,
//
//	ρ(F) = max {Σ λᵤFᵤ : 0 ≤ λᵤ ≤ pᵤ/c, Σ λᵤ = 1} = min_η η + (1/c) Σ pᵤ max(0, Fᵤ − η)
//
// (R. T. Rockafellar, S. Uryasev, Journal of Risk 2, 2000, Theorem 1). With c = 1 it is the mean,
// with c = 0 the largest Fᵤ with pᵤ > 0.
type Tail struct {
	Share tensor.Vector // p
	Worst float64       // c, in [0, 1]
}

// bound returns the largest λᵤ. More than 1 is never needed.
func (t *Tail) bound(u int) float64 {
	switch p := t.Share[u]; {
	case p == 0:
		return 0
	case p >= t.Worst:
		return 1
	default:
		return p / t.Worst
	}
}

// Of returns ρ(F), and sets lambda to weights that attain it.
func (t *Tail) Of(lambda, f tensor.Vector) float64 {
	clear(lambda)
	left, sum := 1.0, 0.0
	for _, u := range tensor.ArgSortDescending(nil, f) {
		lambda[u] = min(left, t.bound(u))
		sum += float64(lambda[u] * f[u])
		if left -= lambda[u]; left <= 0 {
			break
		}
	}
	return sum / lambda.Sum()
}

// TailFunctions are convex functions Fᵤ of d parameters.
type TailFunctions interface {
	Values(dst, x tensor.Vector)                  // Fᵤ(x)
	Gradients(dst tensor.Matrix, x tensor.Vector) // ∇Fᵤ(x), a row each
	// Curve adds Σ λᵤ∇²Fᵤ(x)·v to dst.
	Curve(dst, x, lambda, v tensor.Vector)
}

// A TailMinimum is a minimiser of ρ(F(x)), with the weights λ of the units there.
type TailMinimum struct {
	At     tensor.Vector
	Lambda tensor.Vector // feasible
	Value  float64       // ρ(F(x))
	// Where x minimises Σ λᵤFᵤ, Σ λᵤFᵤ(x) is a lower bound of the minimum, and Gap is how far Value
	// is above it. Residual is ‖Σ λᵤ∇Fᵤ(x)‖: how nearly it does.
	Gap, Residual float64
}

// Minimise minimises ρ(F(x)) from x by an interior-point method. With slacks sᵤ the program is
//
//	min η + Σ κᵤsᵤ over sᵤ ≥ 0, sᵤ ≥ Fᵤ(x) − η,   κᵤ = min(1, pᵤ/c),
//
// and the logarithmic barrier of both bounds of sᵤ is minimised over sᵤ in closed form: it remains
// η + Σ ψᵤ(Fᵤ(x) − η), smooth and convex, for Newton's method (S. Boyd, L. Vandenberghe, Convex
// Optimization, 2004, Section 11.3). ψ′ᵤ = λᵤ; the gap is at most 2μ a unit. What rounding keeps
// the barrier from is won by Newton's method on the optimality conditions of units that are at η.
// There must be two units with pᵤ > 0, and c < 1; else ρ is a mean.
func (t *Tail) Minimise(f TailFunctions, x tensor.Vector) TailMinimum {
	n, d := len(t.Share), len(x)
	b := &tailBarrier{of: f, tail: t, values: make(tensor.Vector, n),
		lambda: make(tensor.Vector, n), bend: make(tensor.Vector, n),
		gradients: tensor.NewMatrix(n, d), x: make(tensor.Vector, d)}
	f.Values(b.values, x)
	at := append(x.Clone(), t.Of(b.lambda, b.values))
	scale := 0.0
	for u, p := range t.Share {
		if p > 0 {
			scale = max(scale, math.Abs(b.values[u]-at[d]))
		}
	}
	if scale == 0 {
		scale = 1
	}
	for b.mu = 0.1 * scale; b.mu > tailAccuracy*scale; b.mu /= 5 {
		at = Minimise(b, at, max(1e-11, 1e-3*b.mu/scale), 30).X
		f.Values(b.values, at[:d])
		b.weigh(at[d])
	}
	t.complete(b.lambda)
	best := t.minimum(b, at[:d])
	return t.polish(b, best, at[d], scale)
}

// minimum describes x with the weights of b, which are feasible.
func (t *Tail) minimum(b *tailBarrier, x tensor.Vector) TailMinimum {
	m := TailMinimum{At: x.Clone(), Lambda: b.lambda.Clone()}
	b.of.Values(b.values, x)
	b.of.Gradients(b.gradients, x)
	m.Value = t.Of(make(tensor.Vector, len(b.values)), b.values)
	m.Gap = max(0, m.Value-m.Lambda.Dot(b.values))
	sum := make(tensor.Vector, len(x))
	b.gradients.AddMulTVec(sum, m.Lambda)
	m.Residual = sum.Norm()
	return m
}

// complete makes weights within their bounds sum to 1.
func (t *Tail) complete(lambda tensor.Vector) {
	sum := lambda.Sum()
	if sum >= 1 {
		lambda.Scale(1 / sum)
		return
	}
	room := 0.0
	for u, l := range lambda {
		room += t.bound(u) - l
	}
	for u, l := range lambda {
		lambda[u] += (1 - sum) * (t.bound(u) - l) / room
	}
}

// tailAccuracy is the last μ, in units of the spread of losses at the start. With less, rounding of
// losses moves λ by more than the barrier does.
const tailAccuracy = 1e-9

// A tailBarrier is η + Σ ψᵤ(Fᵤ(x) − η) as a function of (x, η).
type tailBarrier struct {
	of        TailFunctions
	tail      *Tail
	mu        float64
	values    tensor.Vector
	lambda    tensor.Vector // ψ′ᵤ
	bend      tensor.Vector // ψ″ᵤ
	gradients tensor.Matrix
	x         tensor.Vector
	hessian   tensor.Matrix // Σ λᵤ∇²Fᵤ at x
	known     bool
}

// Value implements Convex.
func (b *tailBarrier) Value(at tensor.Vector) float64 {
	d := len(at) - 1
	b.of.Values(b.values, at[:d])
	sum := at[d]
	for u, v := range b.values {
		k := b.tail.bound(u)
		if k == 0 {
			continue
		}
		t := v - at[d]
		s, rest := b.slacks(k, t)
		sum += float64(k*s) - float64(b.mu*math.Log(s/b.mu*rest/b.mu))
	}
	return sum
}

// slacks returns the s that minimises κs − μ log s − μ log(s − t), and s − t, each without
// cancellation: κ = μ/s + μ/(s − t).
func (b *tailBarrier) slacks(k, t float64) (s, rest float64) {
	root := math.Hypot(k*t, 2*b.mu)
	if t > 0 {
		s = (k*t + 2*b.mu + root) / (2 * k)
		return s, b.mu / (k - b.mu/s)
	}
	rest = (-k*t + 2*b.mu + root) / (2 * k)
	return b.mu / (k - b.mu/rest), rest
}

// weigh sets λ and ψ″ at the values of the last call.
func (b *tailBarrier) weigh(eta float64) {
	for u, v := range b.values {
		b.lambda[u], b.bend[u] = 0, 0
		if k := b.tail.bound(u); k > 0 {
			s, rest := b.slacks(k, v-eta)
			b.lambda[u] = b.mu / rest
			b.bend[u] = b.mu / (float64(s*s) + float64(rest*rest))
		}
	}
}

// Gradient implements Convex.
func (b *tailBarrier) Gradient(dst, at tensor.Vector) {
	d := len(at) - 1
	copy(b.x, at)
	b.known = false
	b.of.Values(b.values, b.x)
	b.of.Gradients(b.gradients, b.x)
	b.weigh(at[d])
	clear(dst)
	b.gradients.AddMulTVec(dst[:d], b.lambda)
	dst[d] = 1 - b.lambda.Sum()
}

// curve computes the Hessian, so that one for all steps of conjugate gradients does.
func (b *tailBarrier) curve(x, lambda tensor.Vector) {
	d := len(x)
	if b.hessian.Rows != d {
		b.hessian = tensor.NewMatrix(d, d)
	}
	unit := make(tensor.Vector, d)
	clear(b.hessian.Data)
	for j := range d {
		unit[j] = 1
		b.of.Curve(b.hessian.Row(j), x, lambda, unit)
		unit[j] = 0
	}
	for i := range d { // what differences of gradients give is symmetric to rounding only
		for j := range i {
			mean := (b.hessian.Row(i)[j] + b.hessian.Row(j)[i]) / 2
			b.hessian.Row(i)[j], b.hessian.Row(j)[i] = mean, mean
		}
	}
	b.known = true
}

// Curve implements Convex.
func (b *tailBarrier) Curve(dst, v tensor.Vector) {
	d := len(v) - 1
	if !b.known {
		b.curve(b.x, b.lambda)
	}
	b.hessian.MulVec(dst[:d], v[:d])
	dst[d] = 0
	for u, bend := range b.bend {
		if bend > 0 {
			row := b.gradients.Row(u)
			along := bend * (row.Dot(v[:d]) - v[d])
			dst[:d].AddScaled(along, row)
			dst[d] -= along
		}
	}
}
