package stats

import (
	"gonum.org/v1/gonum/mat"

	"github.com/hansa-fl/hansa/framework/tensor"
)

const (
	polishSteps = 40
	polished    = 1e-13 // gap and gradient at which no more is won, in units of the spread
)

// polish improves a minimum of the barrier with threshold η: units whose λᵤ is nearer to a bound,
// as a share of κᵤ, than the loss is to η, in units of the spread, are put on it. Newton's method
// solves
//
//	Σ λᵤ∇Fᵤ(x) = 0,   Fₐ(x) = η for all other units a,   Σ λᵤ = 1
//
// for x, η and λₐ. It returns the best of its steps, or what it began with.
func (t *Tail) polish(b *tailBarrier, from TailMinimum, eta, scale float64) TailMinimum {
	x, lambda := from.At.Clone(), from.Lambda.Clone()
	var free []int
	b.of.Values(b.values, x)
	for u, l := range lambda {
		switch k, off := t.bound(u), (b.values[u]-eta)/scale; {
		case l <= -off*k:
			lambda[u] = 0
		case k-l <= off*k:
			lambda[u] = k
		default:
			free = append(free, u)
		}
	}
	best := from
	for range polishSteps {
		if len(free) > 2*(len(x)+1) || best.Gap+best.Residual <= polished*scale {
			break // of so many at once none is right; or nothing is left to win
		}
		step, ok := b.kkt(x, lambda, eta, free)
		if !ok {
			break
		}
		x.Add(step[:len(x)])
		for k, u := range free {
			lambda[u] += step[len(x)+k]
		}
		if len(free) > 0 {
			eta += step[len(step)-1]
		}
		if !t.feasible(lambda) {
			free = t.release(b, lambda, x, eta)
			continue
		}
		copy(b.lambda, lambda)
		t.complete(b.lambda)
		if m := t.minimum(b, x); m.Gap+m.Residual < best.Gap+best.Residual {
			best = m
		}
	}
	return best
}

// release puts weights that left their bounds back on them, and returns the units that are then
// free: those between the bounds, and those on the wrong side of η.
func (t *Tail) release(b *tailBarrier, lambda, x tensor.Vector, eta float64) (free []int) {
	b.of.Values(b.values, x)
	for u, l := range lambda {
		k, off := t.bound(u), b.values[u]-eta
		lambda[u] = min(max(l, 0), k)
		if k > 0 && (lambda[u] == l && l > 0 && l < k || l == 0 && off > 0 || l == k && off < 0) {
			free = append(free, u)
		}
	}
	return free
}

// feasible reports whether weights are within their bounds.
func (t *Tail) feasible(lambda tensor.Vector) bool {
	for u, l := range lambda {
		if l < 0 || l > t.bound(u) {
			return false
		}
	}
	return true
}

// kkt returns a Newton step of the optimality conditions: of x, of the free λ, and of η where there
// are any. Where the conditions are redundant it is the shortest one.
func (b *tailBarrier) kkt(x, lambda tensor.Vector, eta float64, free []int) (tensor.Vector, bool) {
	d, a := len(x), len(free)
	n := d
	if a > 0 {
		n += a + 1
	}
	b.of.Values(b.values, x)
	b.of.Gradients(b.gradients, x)
	m, right := mat.NewDense(n, n, nil), make(tensor.Vector, n)
	b.gradients.AddMulTVec(right[:d], lambda)
	b.curve(x, lambda)
	for i := range d {
		for j, h := range b.hessian.Row(i) {
			m.Set(i, j, h)
		}
	}
	for k, u := range free {
		for j, g := range b.gradients.Row(u) {
			m.Set(j, d+k, g)
			m.Set(d+k, j, g)
		}
		m.Set(d+k, n-1, -1)
		m.Set(n-1, d+k, 1)
		right[d+k] = b.values[u] - eta
	}
	if a > 0 {
		right[n-1] = lambda.Sum() - 1
	}
	right.Scale(-1)
	var svd mat.SVD
	if !svd.Factorize(m, mat.SVDThin) {
		return nil, false
	}
	step := make(tensor.Vector, n)
	rank := svd.Rank(1e-13)
	if rank == 0 {
		return nil, false
	}
	svd.SolveVecTo(mat.NewVecDense(n, step), mat.NewVecDense(n, right), rank)
	return step, true
}
