package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// passes is how many sweeps there are for one problem.
const passes = 200

// couplings moves uniform masses between random points of the unit square: by sweeps of Sinkhorn
// at a λ of a hundredth of the largest cost, which exp(−C/λ) survives, at one of a thousandth,
// which takes the log domain, and exactly, and there random masses as well. Beside the sweeps
// stand the loops of the definitions.
func couplings() (list [][]benchmark) {
	const unit = "sweeps/s"
	for _, c := range []struct {
		name   string
		n, m   int
		lambda float64
		beside func(p ot.Transport, lambda float64) sweeper
	}{
		{"ot/sinkhorn/784x400", 784, 400, 0.01, scaling},
		{"ot/sinkhorn/256x256", 256, 256, 0.01, scaling},
		{"ot/sinkhorn-log/784x400", 784, 400, 0.001, logScaling},
	} {
		list = append(list, []benchmark{
			{c.name, unit, func() (task, error) { return sweeping(points(c.n, c.m), c.lambda) }},
			{c.name + "/naive", unit, func() (task, error) {
				s := c.beside(points(c.n, c.m), c.lambda)
				return task{do: func(n int) error {
					for range n {
						s.sweep()
					}
					return nil
				}}, nil
			}},
		})
	}
	for _, n := range []int{400, 2000} {
		name := fmt.Sprintf("ot/exact/%d", n)
		list = append(list,
			[]benchmark{exactly(name, func() ot.Transport { return points(n, n) })},
			[]benchmark{exactly(name+"/general", func() ot.Transport { return uneven(n) })})
	}
	return list
}

// exactly solves a problem again and again.
func exactly(name string, problem func() ot.Transport) benchmark {
	return benchmark{name, "plans/s", func() (task, error) {
		p, e := problem(), new(ot.Exact)
		return task{do: func(n int) error {
			for range n {
				if !e.Solve(p).Converged {
					return errors.New("the plan is not optimal")
				}
			}
			return nil
		}}, nil
	}}
}

// uneven returns the problem of n and n such points with random masses.
func uneven(n int) ot.Transport {
	rng, p := rand.New(rand.NewPCG(1, 3)), points(n, n)
	for _, mass := range []tensor.Vector{p.A, p.B} {
		for i := range mass {
			mass[i] = rng.Float64()
		}
		mass.Scale(1 / mass.Sum())
	}
	return p
}

// points returns the problem of n and m random points of the unit square, the largest squared
// distance being 1.
func points(n, m int) ot.Transport {
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := make([][2]float64, n), make([][2]float64, m)
	for _, list := range [][][2]float64{x, y} {
		for i := range list {
			list[i] = [2]float64{rng.Float64(), rng.Float64()}
		}
	}
	p := ot.Transport{Cost: tensor.NewMatrix(n, m), A: uniform(n), B: uniform(m)}
	largest := 0.0
	for i := range x {
		for j := range y {
			d := math.Hypot(x[i][0]-y[j][0], x[i][1]-y[j][1])
			p.Cost.Row(i)[j] = d * d
			largest = max(largest, d*d)
		}
	}
	tensor.Vector(p.Cost.Data).Scale(1 / largest)
	return p
}

func uniform(n int) tensor.Vector {
	x := make(tensor.Vector, n)
	for i := range x {
		x[i] = 1 / float64(n)
	}
	return x
}

// sweeping solves a problem again and again. The rate includes a share of the work before the first
// sweep and after the last.
func sweeping(p ot.Transport, lambda float64) (task, error) {
	e := &ot.Entropic{Lambda: lambda}
	return task{do: func(n int) error {
		for n > 0 {
			e.MaxSweeps = min(n, passes)
			c := e.Solve(p)
			if n -= c.Sweeps; !(c.Residual < 2) {
				return fmt.Errorf("a residual of %g", c.Residual)
			}
		}
		return nil
	}}, nil
}

// A sweeper does sweeps as they are usually written.
type sweeper interface{ sweep() }

// scaling does u = a ⊘ (K·v), v = b ⊘ (Kᵀ·u).
func scaling(p ot.Transport, lambda float64) sweeper {
	d := &dense{m: ot.Masked{P: p.A, Q: p.B}, mask: make([]float64, len(p.Cost.Data)),
		u: make([]float64, len(p.A)), v: uniform(len(p.B))}
	for k, c := range p.Cost.Data {
		d.mask[k] = math.Exp(-c / lambda)
	}
	return d
}

// logs is scaling in the log domain: f = λ(log a − log Σ exp((g − C)/λ)), and so for g.
type logs struct {
	ot.Transport
	lambda      float64
	f, g, terms []float64
}

func logScaling(p ot.Transport, lambda float64) sweeper {
	n, m := len(p.A), len(p.B)
	return &logs{p, lambda, make([]float64, n), make([]float64, m), make([]float64, max(n, m))}
}

func (l *logs) sweep() {
	for i := range l.f {
		for j, c := range l.Cost.Row(i) {
			l.terms[j] = (l.g[j] - c) / l.lambda
		}
		l.f[i] = l.lambda * (math.Log(l.A[i]) - logSum(l.terms[:len(l.g)]))
	}
	for j := range l.g {
		for i, f := range l.f {
			l.terms[i] = (f - l.Cost.Row(i)[j]) / l.lambda
		}
		l.g[j] = l.lambda * (math.Log(l.B[j]) - logSum(l.terms[:len(l.f)]))
	}
}

// logSum returns log Σ eˣ.
func logSum(x []float64) float64 {
	top, sum := math.Inf(-1), 0.0
	for _, v := range x {
		top = max(top, v)
	}
	for _, v := range x {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum)
}
