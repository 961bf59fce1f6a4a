package ot

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// Gromov looks for a plan between two spaces whose points cannot be compared with one another:
// between n points with masses a, of which X says how far they are apart, and m with masses b and
// Y. It is to send pairs to pairs that are as far apart,
//
//	minimise E(T) = Σ (Xᵢₖ − Yⱼₗ)² Tᵢⱼ Tₖₗ over T ≥ 0 with T1 = a, Tᵀ1 = b                   (6)
//
// (F. Mémoli. Gromov–Wasserstein distances and the metric approach to object matching. Foundations
// of Computational Mathematics, 2011). E is not convex, and its minimum is hard to find: what is
// found is stationary, and mostly a local minimum; another start may lead to a better one.
//
// It is found by conditional gradients (T. Vayer, L. Chapel, R. Flamary, R. Tavenard, N. Courty.
// Optimal transport for structured data with application on graphs. ICML 2019, Algorithms 1 and
// 2): the exact plan D for the gradient −4XTY as costs, and then the best plan between T and D,
// which is exact as E is a quadratic function there. E never rises.
//
// The zero value is ready but for the settings. Memory is kept from one problem to the next.
type Gromov struct {
	Epsilon  float64       // ε ≥ 0: what the residual may be
	MaxSteps int           // plans D at most; less than 1 counts as 1
	Start    tensor.Matrix // T at first, n×m, with marginals a and b; empty: abᵀ

	exact     Exact
	plan      tensor.Matrix // T
	to        tensor.Matrix // D
	xty, xdy  tensor.Matrix
	grad      tensor.Matrix
	half      tensor.Matrix // (XD)ᵀ
	space     kernel.Workspace
	undefined bool // the last problem had no answer
}

// A Spaces problem is what [Gromov] solves.
type Spaces struct {
	X, Y tensor.Matrix // symmetric, n×n and m×m; none is larger than 1e70 in size
	A, B tensor.Vector // length n and m, ≥ 0, each sums to 1
}

// largestApart is what distances may be without E being infinite.
const largestApart = 1e70

// Check reports what is wrong with the problem: the first mistake in its shape, in a, in b, in X
// and in Y.
func (s Spaces) Check() error {
	for _, x := range []struct {
		name, mass string
		apart      tensor.Matrix
		of         tensor.Vector
	}{{"X", "a", s.X, s.A}, {"Y", "b", s.Y, s.B}} {
		n := len(x.of)
		if x.apart.Rows != n || x.apart.Cols != n || len(x.apart.Data) != n*n {
			return fmt.Errorf("%s is %d×%d with %d elements, but %s has %d elements",
				x.name, x.apart.Rows, x.apart.Cols, len(x.apart.Data), x.mass, n)
		}
		if err := checkSum(x.mass, x.of); err != nil {
			return err
		}
		for k, v := range x.apart.Data {
			i, j := k/n, k%n
			if !(math.Abs(v) <= largestApart) {
				return fmt.Errorf("%s[%d, %d] is %v, which must be within ±1e70", x.name, i, j, v)
			}
			if v != x.apart.Data[j*n+i] {
				return fmt.Errorf("%s[%d, %d] is %v, but [%d, %d] is %v", x.name, i, j, v, j, i,
					x.apart.Data[j*n+i])
			}
		}
	}
	return nil
}

// Check reports what is wrong with the problem, or with Start, whose marginals may be wrong by
// 1e-9 in all.
func (e *Gromov) Check(s Spaces) error {
	if err := s.Check(); err != nil || len(e.Start.Data) == 0 {
		return err
	}
	n, m, t := len(s.A), len(s.B), e.Start
	if t.Rows != n || t.Cols != m || len(t.Data) != n*m {
		return fmt.Errorf("the start is %d×%d with %d elements, not %d×%d", t.Rows, t.Cols,
			len(t.Data), n, m)
	}
	rest, missing := s.B.Clone(), 0.0
	for i, mass := range s.A {
		for j, x := range t.Row(i) {
			if !(x >= 0) {
				return fmt.Errorf("the start at [%d, %d] is %v, which is no mass", i, j, x)
			}
			rest[j] -= x
		}
		missing += math.Abs(mass - t.Row(i).Sum())
	}
	for _, x := range rest {
		missing += math.Abs(x)
	}
	if !(missing <= sumTolerance) {
		return fmt.Errorf("the start has marginals that differ from a and b by %v", missing)
	}
	return nil
}

// Solve returns the answer to a problem and keeps the plan for Plan. Cost is E(T), of which
// rounding is about 1e-16 of the scale S = Σ X²ᵢₖaᵢaₖ + Σ Y²ⱼₗbⱼbₗ. The residual is
// ⟨∇E(T), T − D⟩/S: no other plan lowers E by more than that at first order, and it is 0 just
// where T is stationary. Converged says that it is at most ε, Sweeps counts the plans D, and F
// and G are the potentials of the last one. There is no answer, as Coupling says, if the
// problem does not pass Check.
func (e *Gromov) Solve(s Spaces) Coupling {
	if e.undefined = e.Check(s) != nil; e.undefined {
		f, g := resize(e.exact.f, len(s.A)), resize(e.exact.g, len(s.B))
		return undefined(f, g)
	}
	e.start(s)
	scale := spread(s.X, s.A) + spread(s.Y, s.B)
	var c Coupling
	for steps := 1; ; steps++ {
		for k, x := range e.xty.Data {
			e.grad.Data[k] = -4 * x
		}
		c = e.exact.Solve(Transport{Cost: e.grad, A: s.A, B: s.B})
		c.Sweeps, c.Residual = steps, 0
		gain := e.slope(s)
		if gain > 0 && scale > 0 {
			c.Residual = gain / scale
		}
		if c.Converged = c.Residual <= e.Epsilon; c.Converged || steps >= e.MaxSteps {
			break
		}
		if !e.advance(gain) {
			break
		}
	}
	c.Cost = max(0, scale-2*dot(e.xty, e.plan))
	return c
}

// start makes room, and sets T and XTY.
func (e *Gromov) start(s Spaces) {
	n, m := len(s.A), len(s.B)
	for _, x := range []*tensor.Matrix{&e.plan, &e.to, &e.xty, &e.xdy, &e.grad} {
		*x = tensor.Matrix{Rows: n, Cols: m, Data: resize(x.Data, n*m)}
	}
	e.half = tensor.Matrix{Rows: m, Cols: n, Data: resize(e.half.Data, n*m)}
	if len(e.Start.Data) > 0 {
		copy(e.plan.Data, e.Start.Data)
	} else {
		clear(e.plan.Data)
		for i, mass := range s.A {
			e.plan.Row(i).AddScaled(mass, s.B)
		}
	}
	kernel.Gemm64(&e.space, whole(e.half), whole(e.plan).T(), whole(s.X), false)
	kernel.Gemm64(&e.space, whole(e.xty), whole(e.half).T(), whole(s.Y), false)
}

// slope sets D and XDY, and returns ⟨∇E(T), T − D⟩ ≥ 0.
func (e *Gromov) slope(s Spaces) float64 {
	e.exact.Plan(e.to)
	clear(e.half.Data)
	for v := range e.exact.net.parent { // D has few elements that are not 0
		if i, j := e.exact.edge(v); i >= 0 {
			e.half.Row(j).AddScaled(e.to.Row(i)[j], s.X.Row(i))
		}
	}
	kernel.Gemm64(&e.space, whole(e.xdy), whole(e.half).T(), whole(s.Y), false)
	return dot(e.grad, e.plan) - dot(e.grad, e.to)
}

// advance moves T to where E is least on the way to D. It reports whether that is not where T was.
func (e *Gromov) advance(gain float64) bool {
	// E(T + τ(D − T)) = E(T) − gain·τ + bend·τ².
	bend := 0.0
	for k, x := range e.xdy.Data {
		bend -= 2 * (x - e.xty.Data[k]) * (e.to.Data[k] - e.plan.Data[k])
	}
	step := 1.0
	if 2*bend > gain {
		step = gain / (2 * bend)
	}
	moved := false
	for k, x := range e.to.Data {
		before := e.plan.Data[k]
		e.plan.Data[k] += step * (x - before)
		if step == 1 {
			e.plan.Data[k] = x
		}
		e.xty.Data[k] += step * (e.xdy.Data[k] - e.xty.Data[k])
		moved = moved || e.plan.Data[k] != before
	}
	return moved
}

// spread returns Σ X²ᵢₖaᵢaₖ.
func spread(x tensor.Matrix, a tensor.Vector) (sum float64) {
	for i, mass := range a {
		row := 0.0
		for k, v := range x.Row(i) {
			row += v * v * a[k]
		}
		sum += mass * row
	}
	return sum
}

func dot(x, y tensor.Matrix) float64 { return tensor.Vector(x.Data).Dot(y.Data) }

// Plan sets dst, which is n×m, to the plan of the last problem.
func (e *Gromov) Plan(dst tensor.Matrix) {
	if e.undefined {
		fill(dst.Data, math.NaN())
		return
	}
	copy(dst.Data, e.plan.Data)
}
