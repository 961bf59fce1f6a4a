package ot

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// A sinkhorn looks for the plan (2) of masses that are all positive. It keeps the plan as
//
//	T = diag(u)·K·diag(v),  Kᵢⱼ = exp((gⱼ − Cᵢⱼ)/λ − sᵢ)                            (3)
//
// where s makes every row of K sum to 1, so that f = λ(log u − s) and g + λ log v are the
// potentials. As long as v is moderate, a pair of half-steps is one pass over K
// ([kernel.Sinkhorn]); when it no longer is, v is absorbed in g and K is made anew (Schmitzer.
// Stabilized sparse scaling algorithms for entropy regularized transport problems. SIAM
// Journal on Scientific Computing, 2019, Algorithm 2). That is the half-step of the rows in
// the log domain, which nothing can make under- or overflow.
//
// The rows of T have their masses at all times. What is wrong with the columns shows in Kᵀu,
// which the pass brings along. K has columns of zeros at its end, where v is zero too, so that
// its rows fill registers.
type sinkhorn struct {
	a, b   tensor.Vector // the masses, n and m
	cost   tensor.Matrix // C
	k      tensor.Matrix // K, with m columns and some more
	s      tensor.Vector // n
	g      tensor.Vector // m
	u, v   tensor.Vector // as many as K has rows and columns
	ktu    tensor.Vector // Kᵀu
	next   tensor.Vector // b ⊘ Kᵀu, the next v
	room   tensor.Vector // scratch: n or m numbers
	lambda float64
	sweeps int // pairs of half-steps so far
}

const (
	// moderate is what v lies below, and its inverse above: terms of Kv and Kᵀu that have
	// underflowed are then lost beside the others.
	moderate = 1e100
	// trusted is the least element of Kᵀu of which that is true whatever the mass.
	trusted = 1e-190
)

// start makes room for n and m masses and forgets the potentials.
func (s *sinkhorn) start(n, m int) {
	wide := (m + 7) &^ 7
	s.k = tensor.Matrix{Rows: n, Cols: wide, Data: resize(s.k.Data, n*wide)}
	s.s, s.u = resize(s.s, n), resize(s.u, n)
	s.v, s.next, s.ktu = resize(s.v, wide), resize(s.next, wide), resize(s.ktu, wide)
	s.g, s.room = resize(s.g, m), resize(s.room, max(n, m))
	clear(s.v)
	clear(s.next)
	clear(s.g)
	s.sweeps = 0
}

// run does pairs of half-steps at one λ, beginning with g, until the errors of the columns
// add up to epsilon at most or there have been so many sweeps in all. It returns their sum.
func (s *sinkhorn) run(lambda, epsilon float64, sweeps int) float64 {
	s.lambda = lambda
	s.renew()
	for {
		s.sweeps++
		residual, fit := s.columns()
		switch {
		case residual <= epsilon || residual != residual || s.sweeps >= sweeps:
			return residual
		case fit:
			s.v, s.next = s.next, s.v
			kernel.Sinkhorn(s.u, s.ktu, s.k.Data, s.v, s.a)
		default:
			s.absorb()
			s.renew()
		}
	}
}

// descend lets λ fall to its target, from where costs that differ by spread are few of it, and
// returns how wrong the marginals are in the end.
func (s *sinkhorn) descend(target, spread, epsilon float64, sweeps int) (residual float64) {
	for lambda := spread / hot; lambda > target; lambda *= cooling {
		residual = s.run(lambda, rough, min(s.sweeps+brief, sweeps))
		if s.sweeps >= sweeps {
			return residual
		}
		s.absorb()
	}
	return s.run(target, epsilon, sweeps)
}

// columns sets next and returns ‖Tᵀ1 − b‖₁. It reports whether next is moderate.
func (s *sinkhorn) columns() (residual float64, fit bool) {
	m := len(s.b)
	next, ktu, v := s.next[:m], s.ktu[:m], s.v[:m]
	fit = true
	for j, mass := range s.b {
		residual += math.Abs(v[j]*ktu[j] - mass)
		x := mass / ktu[j]
		next[j] = x
		fit = fit && x > 1/moderate && x < moderate
	}
	return residual, fit
}

// absorb does the half-step of the columns in the log domain.
func (s *sinkhorn) absorb() {
	for j, mass := range s.b {
		if s.ktu[j] >= trusted {
			s.g[j] += s.lambda * math.Log(mass/s.ktu[j])
		} else {
			s.g[j] = s.lambda * (math.Log(mass) - s.logColumn(j))
		}
	}
}

// logColumn returns log Σᵢ exp((fᵢ − Cᵢⱼ)/λ).
func (s *sinkhorn) logColumn(j int) float64 {
	x := s.room[:len(s.a)]
	for i := range x {
		x[i] = math.Log(s.u[i]) - s.s[i] - s.cost.Row(i)[j]/s.lambda
	}
	return kernel.LogSumExp(x)
}

// renew does the half-step of the rows in the log domain: it sets K, s, and with v = 1 and
// u = a also Kᵀu.
func (s *sinkhorn) renew() {
	scaled := s.room[:len(s.b)]
	copy(scaled, s.g)
	scaled.Scale(1 / s.lambda)
	for i := range s.a {
		row := s.k.Row(i)
		clear(row[len(scaled):])
		row = row[:len(scaled)]
		copy(row, scaled)
		row.AddScaled(-1/s.lambda, s.cost.Row(i))
		s.s[i] = kernel.Softmax(row, row)
	}
	copy(s.u, s.a)
	fill(s.v[:len(s.b)], 1)
	clear(s.ktu)
	s.k.AddMulTVec(s.ktu, s.u)
}

// price returns ⟨T, C⟩.
func (s *sinkhorn) price() (sum float64) {
	x := s.room[:len(s.b)]
	for i, u := range s.u {
		floats.MulTo(x, s.k.Row(i)[:len(x)], s.v[:len(x)])
		x.Scale(u)
		sum += x.Dot(s.cost.Row(i))
	}
	return sum
}
