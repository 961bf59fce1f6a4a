package ot_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

func TestMarginalAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	for range 400 {
		s := crowded(rng, 1+rng.IntN(10))
		a := gauss(rng, len(s.P), []float64{0, 1, 10, 50, 300}[rng.IntN(5)])
		for i := range a {
			if rng.IntN(8) == 0 {
				a[i] = math.Inf(-1)
			}
		}
		got := gauss(rng, len(s.P), 1)
		s.Marginal(got, a)
		tolerance{1e-17, 1e-12}.all(t, "marginal", got, realised(listed(s), a))
	}
}

// TestMarginalInClosedForm uses laws of many clients whose shares are known.
func TestMarginalInClosedForm(t *testing.T) {
	const n = 400
	rng := rand.New(rand.NewPCG(31, 2))
	a, zero, got := gauss(rng, n, 4), make(tensor.Vector, n), make(tensor.Vector, n)
	want := shares(a)
	uniform(even(n), n).Marginal(got, a)
	tolerance{0, 1e-12}.all(t, "all participate", got, want)
	all := uniform(even(n), n)
	all.Size = 0
	all.Marginal(got, a)
	tolerance{0, 1e-12}.all(t, "all participate, any size", got, want)
	for _, size := range []int{1, 2, 17, 200, 399} {
		uniform(even(n), size).Marginal(got, zero)
		tolerance{0, 1e-12}.all(t, "all are equal", got, even(n))
	}
	odds := ot.Independent{Chance: make(tensor.Vector, n), Size: 1}
	for i := range odds.Chance {
		odds.Chance[i] = 1 / (1 + math.Exp(15-a[i]))
	}
	odds.Marginal(got, gauss(rng, n, 5))
	tolerance{0, 1e-12}.all(t, "one participates", got, want)

	// availability.json, independent_bernoulli_n4.
	got = make(tensor.Vector, 4)
	ot.Independent{Chance: tensor.Vector{0.9, 0.5, 0.2, 0}}.Marginal(got, make(tensor.Vector, 4))
	tolerance{0, 1e-12}.all(t, "any size", got, tensor.Vector{0.640625, 0.265625, 0.09375, 0})
}

// shares returns the weights of the cohort of all clients.
func shares(logU tensor.Vector) tensor.Vector {
	all := make([]int, len(logU))
	for i := range all {
		all[i] = i
	}
	return weights(logU, all)
}

// TestMarginalOfUnlikelySizes has a law that underflows unless the probabilities are tilted.
func TestMarginalOfUnlikelySizes(t *testing.T) {
	const n, size = 600, 300
	rng := rand.New(rand.NewPCG(31, 3))
	a, rare, likely := gauss(rng, n, 1), make(tensor.Vector, n), make(tensor.Vector, n)
	s := uniform(even(n), size)
	s.Marginal(likely, a)
	for i := range s.Chance {
		s.Chance[i] = 1e-9
	}
	s.Marginal(rare, a)
	tolerance{0, 1e-12}.all(t, "marginal", rare, likely)
	tolerance{0, 1e-12}.one(t, "sum", rare.Sum(), 1)
}

func BenchmarkMarginal(b *testing.B) {
	for _, c := range []struct {
		name    string
		n, size int
	}{{"pairs-of-100", 100, 2}, {"any-of-1000", 1000, 0}, {"100-of-1000", 1000, 100}} {
		b.Run(c.name, func(b *testing.B) {
			s := uniform(even(c.n), max(1, c.size))
			s.Size = c.size
			a, dst := gauss(rand.New(rand.NewPCG(31, 7)), c.n, 1), make(tensor.Vector, c.n)
			for b.Loop() {
				s.Marginal(dst, a)
			}
		})
	}
}
