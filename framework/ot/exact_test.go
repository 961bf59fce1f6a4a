package ot_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// cheapest returns the least mean cost of a matching of the units in rows and columns, by
// listing all of them.
func cheapest(c tensor.Matrix, rows, cols []int) float64 {
	if len(rows) == 0 {
		return 0
	}
	low := math.Inf(1)
	for k, j := range cols {
		rest := append(append([]int(nil), cols[:k]...), cols[k+1:]...)
		low = min(low, c.Row(rows[0])[j]+cheapest(c, rows[1:], rest))
	}
	return low
}

// deal returns the owners of the units of n atoms, ascending, and their masses.
func deal(rng *rand.Rand, n, count int) (owners []int, mass tensor.Vector) {
	mass = make(tensor.Vector, n)
	for range count {
		mass[rng.IntN(n)]++
	}
	for i, x := range mass {
		for range int(x) {
			owners = append(owners, i)
		}
	}
	mass.Scale(1 / float64(count))
	return owners, mass
}

// TestExactAgainstAllMatchings has masses of sixths and less, some of them 0, and costs with
// many ties or with none.
func TestExactAgainstAllMatchings(t *testing.T) {
	rng := rand.New(rand.NewPCG(63, 1))
	e := new(ot.Exact)
	for range 400 {
		p, count := haul(rng, 1+rng.IntN(6), 1+rng.IntN(6)), 1+rng.IntN(6)
		if rng.IntN(2) == 0 {
			for k, c := range p.Cost.Data {
				p.Cost.Data[k] = math.Floor(4*c) - 2
			}
		}
		var rows, cols []int
		rows, p.A = deal(rng, len(p.A), count)
		cols, p.B = deal(rng, len(p.B), count)
		c := e.Solve(p)
		if !c.Converged || c.Residual > 1e-14 {
			t.Fatalf("a gap of %g", c.Residual)
		}
		want := cheapest(p.Cost, rows, cols) / float64(count)
		tolerance{1e-14, 1e-14}.one(t, "cost", c.Cost, want)
	}
}

// TestPotentialsProveIt: they are feasible, atoms without mass included, and tight where the
// plan is not 0.
func TestPotentialsProveIt(t *testing.T) {
	rng := rand.New(rand.NewPCG(63, 2))
	e := new(ot.Exact)
	for trial := range 60 {
		p := haul(rng, 1+rng.IntN(40), 1+rng.IntN(40))
		switch trial % 3 {
		case 1:
			p = matching(rng, 1+rng.IntN(60))
		case 2:
			p.A, p.B = even(len(p.A)), even(len(p.B))
		}
		proven(t, e, p)
	}
}

// TestTiesDoNotGoInCircles has problems whose pivots mostly move nothing: whole costs, few
// different ones, and masses that are the same, or sums of others, or 0.
func TestTiesDoNotGoInCircles(t *testing.T) {
	rng := rand.New(rand.NewPCG(63, 5))
	e := new(ot.Exact)
	for trial := range 40 {
		p := haul(rng, 1+rng.IntN(120), 1+rng.IntN(120))
		for k, c := range p.Cost.Data {
			p.Cost.Data[k] = math.Floor(float64(1+trial%5) * c)
		}
		switch trial % 3 {
		case 1:
			p.A, p.B = even(len(p.A)), even(len(p.B))
		case 2:
			_, p.A = deal(rng, len(p.A), 64)
			_, p.B = deal(rng, len(p.B), 64)
		}
		proven(t, e, p)
	}
}

// proven fails unless the potentials prove that the plan is cheapest, and the plan is that of a
// tree.
func proven(t *testing.T, e *ot.Exact, p ot.Transport) {
	t.Helper()
	c := e.Solve(p)
	plan := planOf(e, p)
	dual, edges := 0.0, 0
	for i, f := range c.F {
		dual += f * p.A[i]
		for j, g := range c.G {
			room, x := p.Cost.Row(i)[j]-f-g, plan.Row(i)[j]
			if room < -1e-14 || x > 1e-15 && room > 1e-13 {
				t.Fatalf("%g is sent where costs exceed potentials by %g", x, room)
			}
			if x > 0 {
				edges++
			}
		}
	}
	for j, g := range c.G {
		dual += g * p.B[j]
	}
	if edges >= len(p.A)+len(p.B) || !c.Converged || off(plan, p) > 1e-14 {
		t.Fatalf("%d edges of %d and %d nodes, marginals wrong by %g: %+v",
			edges, len(p.A), len(p.B), off(plan, p), c)
	}
	tolerance{1e-14, 0}.one(t, "gap", c.Residual, math.Abs(c.Cost-dual))
}

// TestMatchingsArePermutations: uniform masses of equal number are not split.
func TestMatchingsArePermutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(63, 3))
	e := new(ot.Exact)
	for range 20 {
		n := 1 + rng.IntN(80)
		p := matching(rng, n)
		hidden := rng.Perm(n)
		for i, j := range hidden {
			p.Cost.Row(i)[j] = -rng.Float64()
		}
		e.Solve(p)
		plan := planOf(e, p)
		for i, j := range hidden {
			want := make(tensor.Vector, n)
			want[j] = 1 / float64(n)
			tolerance{1e-17, 0}.all(t, "plan", plan.Row(i), want)
		}
	}
}

// TestOnALine compares with the north-west corner rule, which is exact for points in ascending
// order and costs that are a convex function of the distance.
func TestOnALine(t *testing.T) {
	rng := rand.New(rand.NewPCG(63, 4))
	e := new(ot.Exact)
	for range 60 {
		p := haul(rng, 1+rng.IntN(30), 1+rng.IntN(30))
		x, y := ascending(rng, len(p.A)), ascending(rng, len(p.B))
		for i := range x {
			for j := range y {
				p.Cost.Row(i)[j] = (x[i] - y[j]) * (x[i] - y[j])
			}
		}
		c := e.Solve(p)
		want := corner(p)
		tolerance{1e-13, 1e-13}.one(t, "cost", c.Cost, price(want, p))
		tolerance{1e-13, 0}.all(t, "plan", planOf(e, p).Data, want.Data)
	}
}

func ascending(rng *rand.Rand, n int) tensor.Vector {
	x := make(tensor.Vector, n)
	for i := range x {
		x[i] = rng.Float64()
		if i > 0 {
			x[i] += x[i-1]
		}
	}
	return x
}

// corner returns the plan that serves rows and columns in their order.
func corner(p ot.Transport) tensor.Matrix {
	plan, left := tensor.NewMatrix(len(p.A), len(p.B)), p.B.Clone()
	j := 0
	for i, mass := range p.A {
		for mass > 0 && j < len(left) {
			amount := min(mass, left[j])
			plan.Row(i)[j] = amount
			mass -= amount
			if left[j] -= amount; left[j] == 0 {
				j++
			}
		}
	}
	return plan
}
