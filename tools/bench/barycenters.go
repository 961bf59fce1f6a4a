package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

const (
	pictures = 10
	side     = 28
	// blur is λ in units of the largest cost.
	blur = 0.002
)

// barycenters sweeps towards the barycenter of ten images of 28×28 pixels: on the grid, on the
// same points without it, and by the loops of the definition on the grid.
func barycenters() [][]benchmark {
	const unit = "sweeps/s"
	return [][]benchmark{{
		{"ot/barycenter/28x28", unit, projecting(ot.SquaredGrid(side, side))},
		{"ot/barycenter/28x28/naive", unit, func() (task, error) {
			p := newProjections(scribbles())
			return task{do: func(n int) error {
				for range n {
					p.sweep()
				}
				return nil
			}}, nil
		}},
		{"ot/barycenter/28x28/dense", unit, func() (task, error) {
			return projecting(ot.Points(squared()))()
		}},
	}}
}

// scribbles returns random images, a fifth of whose pixels are 0.
func scribbles() tensor.Matrix {
	rng := rand.New(rand.NewPCG(1, 2))
	a := tensor.NewMatrix(pictures, side*side)
	for k := range pictures {
		row := a.Row(k)
		for i := range row {
			row[i] = max(0, rng.Float64()-0.2)
		}
		row.Scale(1 / row.Sum())
	}
	return a
}

// squared returns the costs of ot.SquaredGrid for all pairs of pixels.
func squared() tensor.Matrix {
	grid, c := ot.SquaredGrid(side, side), tensor.NewMatrix(side*side, side*side)
	for i := range c.Rows {
		for j := range c.Cols {
			c.Row(i)[j] = grid.Down.Row(i / side)[j/side] + grid.Across.Row(i % side)[j%side]
		}
	}
	return c
}

// projecting solves a problem again and again. The rate includes a share of the work before the
// first sweep and after the last.
func projecting(on ot.Support) func() (task, error) {
	return func() (task, error) {
		a, w, s := scribbles(), uniform(pictures), &ot.Bregman{Lambda: blur, MaxSweeps: passes}
		return task{worth: passes, do: func(n int) error {
			for range n {
				c, err := s.Barycenter(on, w, a)
				if err != nil {
					return err
				}
				if c.Sweeps != passes {
					return fmt.Errorf("%d sweeps", c.Sweeps)
				}
			}
			return nil
		}}, nil
	}
}

// projections are iterative Bregman projections as they are written down, on a square grid:
// u = a ⊘ (K·v), b = ∏ (Kᵀ·u)^w, v = b ⊘ (Kᵀ·u), where K·x is k·x·k for an image x.
type projections struct {
	k, between tensor.Matrix // side×side
	a, v, ktu  tensor.Matrix // an image a row
	kv, b      tensor.Vector
}

func newProjections(a tensor.Matrix) *projections {
	p := &projections{k: ot.SquaredGrid(side, side).Across, between: tensor.NewMatrix(side, side),
		a: a, v: tensor.NewMatrix(a.Rows, a.Cols), ktu: tensor.NewMatrix(a.Rows, a.Cols),
		kv: make(tensor.Vector, a.Cols), b: make(tensor.Vector, a.Cols)}
	for i, c := range p.k.Data {
		p.k.Data[i] = math.Exp(-c / blur)
	}
	tensor.Vector(p.v.Data).Fill(1)
	return p
}

func (p *projections) sweep() {
	p.b.Fill(1)
	for s := range p.a.Rows {
		u, a, ktu := p.kv, p.a.Row(s), p.ktu.Row(s)
		p.apply(u, p.v.Row(s))
		for i, x := range u {
			u[i] = a[i] / x
		}
		p.apply(ktu, u)
		for j, x := range ktu {
			p.b[j] *= math.Pow(x, 1/float64(p.a.Rows))
		}
	}
	for s := range p.a.Rows {
		v, ktu := p.v.Row(s), p.ktu.Row(s)
		for j, b := range p.b {
			v[j] = b / ktu[j]
		}
	}
}

// apply sets dst = k·x·k; k is symmetric.
func (p *projections) apply(dst, x tensor.Vector) {
	for h := range side {
		for w := range side {
			sum := 0.0
			for l, k := range p.k.Row(w) {
				sum += k * x[h*side+l]
			}
			p.between.Row(h)[w] = sum
		}
	}
	for h := range side {
		for w := range side {
			sum := 0.0
			for l, k := range p.k.Row(h) {
				sum += k * p.between.Data[l*side+w]
			}
			dst[h*side+w] = sum
		}
	}
}
