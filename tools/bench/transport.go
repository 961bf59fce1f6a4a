package main

import (
	"math"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/stats"
)

const (
	clients = 100
	sweeps  = 200 // per plan
)

// problem asks for weights on all pairs of a hundred clients that realise a p which falls
// by equal steps: feasible, but nearly not.
func problem() ot.Masked {
	m := ot.Masked{Sets: stats.Subsets(clients, 2)}
	for i := range clients {
		m.P = append(m.P, float64(clients-i)/float64(clients*(clients+1)/2))
	}
	for range m.Sets {
		m.Q = append(m.Q, 1/float64(len(m.Sets)))
	}
	return m
}

// masked compares a sweep of masked scaling with the dense form of the same sweep.
func masked() [][]benchmark {
	return [][]benchmark{{
		{"ot/masked/100x4950", "sweeps/s", func() (task, error) {
			m := problem()
			return task{do: func(n int) error {
				for done := 0; done < n; {
					// An ε that is not reached: every plan takes all its sweeps.
					done += m.Scale(math.SmallestNonzeroFloat64, min(sweeps, n-done)).Sweeps
				}
				return nil
			}}, nil
		}},
		{"ot/masked/100x4950/dense", "sweeps/s", func() (task, error) {
			d := newDense(problem())
			return task{do: func(n int) error {
				for range n {
					d.sweep()
				}
				return nil
			}}, nil
		}},
	}}
}

// dense is the form in which scaling is usually written: u and v, and a mask of zeros and
// ones, one matrix product each way.
type dense struct {
	m    ot.Masked
	mask []float64 // N×M
	u, v []float64
}

func newDense(m ot.Masked) *dense {
	d := &dense{m: m, mask: make([]float64, len(m.P)*len(m.Q)),
		u: make([]float64, len(m.P)), v: make([]float64, len(m.Q))}
	for j, set := range m.Sets {
		for _, i := range set {
			d.mask[i*len(m.Q)+j] = 1
		}
		d.v[j] = m.Q[j] / float64(len(set))
	}
	return d
}

// sweep sets u = p ⊘ (mask·v) and v = q ⊘ (maskᵀ·u).
func (d *dense) sweep() {
	cols := len(d.v)
	for i := range d.u {
		sum := 0.0
		for j, k := range d.mask[i*cols : (i+1)*cols] {
			sum += k * d.v[j]
		}
		d.u[i] = d.m.P[i] / sum
	}
	sums := make([]float64, cols)
	for i, u := range d.u {
		for j, k := range d.mask[i*cols : (i+1)*cols] {
			sums[j] += k * u
		}
	}
	for j := range d.v {
		d.v[j] = d.m.Q[j] / sums[j]
	}
}
