package local_test

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hansa-fl/hansa/framework/fl"
)

// onBall returns the minimiser of the client's loss on the ball ‖θ‖ ≤ radius by its
// optimality condition: (A + λI)θ = b, with the λ ≥ 0 at which θ reaches the sphere.
func (b *bench) onBall(t *testing.T, radius float64) fl.Vector {
	t.Helper()
	a, rhs := b.quadratic()
	d := rhs.Len()
	at := func(lambda float64) fl.Vector {
		shifted := mat.DenseCopyOf(a)
		for i := range d {
			shifted.Set(i, i, shifted.At(i, i)+lambda)
		}
		theta := mat.NewVecDense(d, nil)
		if err := theta.SolveVec(shifted, rhs); err != nil {
			t.Fatal(err)
		}
		return theta.RawVector().Data
	}
	if free := at(0); free.Norm() <= radius {
		return free
	}
	lo, hi := 0.0, 1.0
	for at(hi).Norm() > radius {
		hi *= 2
	}
	for range 200 {
		if mid := (lo + hi) / 2; at(mid).Norm() > radius {
			lo = mid
		} else {
			hi = mid
		}
	}
	return at(hi)
}

// Algorithm 2 with Π_C: no iterate leaves the ball, and the iterates converge to the
// minimiser on it, which is not the projection of the minimiser without it.
func TestProjectedDescentReachesTheConstrainedOptimum(t *testing.T) {
	b := newBench(t, 12, 4)
	free := b.onBall(t, 1e9)
	for _, radius := range []float64{0.1 * free.Norm(), 0.7 * free.Norm(), 2 * free.Norm()} {
		want := b.onBall(t, radius)
		r := rule(t, map[string]any{"steps": int64(2000), "lr": 0.05, "radius": radius})
		u := b.train(t, r, 0)
		if u.Params.Distance(want) > 1e-10 {
			t.Errorf("radius %v: ends at %v, the optimum is %v", radius, u.Params, want)
		}
		projected := free.Clone()
		projected.Project(radius)
		if radius < free.Norm() && projected.Distance(want) < 1e-3 {
			t.Errorf("radius %v: the example is too easy", radius)
		}
		for step, theta := range append(b.worker.path[1:], u.Params) {
			if theta.Norm() > radius*(1+1e-15) {
				t.Fatalf("radius %v: ‖θ‖ = %v after step %d", radius, theta.Norm(), step+1)
			}
		}
	}
}

// Batches stay within the ball, too, and a rate that diverges without it does not with it.
func TestProjectionHoldsAgainstDivergence(t *testing.T) {
	b := newBench(t, 12, 4)
	for _, batch := range []int64{0, 5} {
		given := map[string]any{"steps": int64(2000), "batch": batch, "lr": 3.0}
		if u := b.train(t, rule(t, given), 0); u.Params.Norm() < 1e100 {
			t.Errorf("batch = %d: the example does not diverge: ‖θ‖ = %v", batch, u.Params.Norm())
		}
		given["radius"] = 2.0
		if u := b.train(t, rule(t, given), 0); !(u.Params.Norm() <= 2*(1+1e-15)) {
			t.Errorf("batch = %d: ‖θ‖ = %v", batch, u.Params.Norm())
		}
	}
}

// After the first task of its size a run allocates nothing.
func TestARunAllocatesNothing(t *testing.T) {
	b := newBench(t, 50, 8)
	b.task.Worker = b.worker.Worker // a spy remembers
	for name, given := range map[string]map[string]any{
		"full":      {"steps": int64(5)},
		"batches":   {"epochs": int64(2), "batch": int64(7)},
		"projected": {"steps": int64(5), "batch": int64(7), "radius": 1.0},
		"adam":      {"steps": int64(5), "batch": int64(7), "optimizer": "adam"},
	} {
		r := rule(t, given)
		reseedable := fl.NewReseedableRand()
		round := 0
		run := func() {
			b.task.Recycle()
			b.task.RNG = reseedable.Open(b.stream.At(round, 0))
			copy(b.task.Params, b.task.Global)
			if _, err := r.Run(&b.task); err != nil {
				t.Fatal(err)
			}
			round++
		}
		run()
		if n := testing.AllocsPerRun(50, run); n != 0 {
			t.Errorf("%s: %v allocations per run", name, n)
		}
	}
}
