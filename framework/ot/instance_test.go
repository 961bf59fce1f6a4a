package ot_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// unit returns the distribution on n elements proportional to f(1), …, f(n).
func unit(n int, f func(i float64) float64) tensor.Vector {
	x := make(tensor.Vector, n)
	for i := range x {
		x[i] = f(float64(i + 1))
	}
	x.Scale(1 / x.Sum())
	return x
}

// even returns the uniform distribution on n elements.
func even(n int) tensor.Vector { return unit(n, func(float64) float64 { return 1 }) }

// pairs returns the problem of importance p where two clients come, drawn one after the
// other without replacement from the prior r: qᵢⱼ = rᵢrⱼ(1/(1−rᵢ) + 1/(1−rⱼ)).
func pairs(p, r tensor.Vector) ot.Masked {
	m := ot.Masked{P: p}
	for i := range r {
		for j := i + 1; j < len(r); j++ {
			m.Sets = append(m.Sets, []int{i, j})
			m.Q = append(m.Q, r[i]*r[j]*(1/(1-r[i])+1/(1-r[j])))
		}
	}
	m.Q.Scale(1 / m.Q.Sum())
	return m
}

// random returns a problem of n clients and cohorts many random cohorts, some of which
// may be equal or have q = 0, with a random p of any feasibility.
func random(rng *rand.Rand, n, cohorts int) ot.Masked {
	m := ot.Masked{P: scatter(rng, n), Q: scatter(rng, cohorts)}
	for range cohorts {
		set := rng.Perm(n)[:1+rng.IntN(n)]
		slices.Sort(set)
		m.Sets = append(m.Sets, set)
	}
	return m
}

// scatter returns a distribution on n elements of very different sizes, some 0.
func scatter(rng *rand.Rand, n int) tensor.Vector {
	x := make(tensor.Vector, n)
	for i := range x {
		if rng.IntN(6) > 0 {
			x[i] = math.Exp(2 * rng.NormFloat64())
		}
	}
	x[rng.IntN(n)]++
	x.Scale(1 / x.Sum())
	return x
}

// planted returns m with the importance that log u = a realises, and a with −Inf for
// clients of no importance. The problem is strictly feasible but for those.
func planted(m ot.Masked, a tensor.Vector) ot.Masked {
	m.P = realised(m, a)
	return m
}

// gauss returns n independent normal numbers of the given deviation.
func gauss(rng *rand.Rand, n int, sd float64) tensor.Vector {
	a := make(tensor.Vector, n)
	for i := range a {
		a[i] = sd * rng.NormFloat64()
	}
	return a
}

// realised returns Σ_A q_A Y[·, A] for the weights of log u, cohort by cohort.
func realised(m ot.Masked, logU tensor.Vector) tensor.Vector {
	sum := make(tensor.Vector, len(m.P))
	for j, set := range m.Sets {
		for k, y := range weights(logU, set) {
			sum[set[k]] += m.Q[j] * y
		}
	}
	return sum
}

func weights(logU tensor.Vector, set []int) tensor.Vector {
	w := make(tensor.Vector, len(set))
	ot.Weights(w, logU, set)
	return w
}

// gap returns ‖x − y‖₁, and +Inf when there is a NaN in either or lengths differ.
func gap(x, y tensor.Vector) float64 {
	if len(x) != len(y) {
		return math.Inf(1)
	}
	var sum float64
	for i := range x {
		sum += math.Abs(x[i] - y[i])
	}
	if math.IsNaN(sum) {
		return math.Inf(1)
	}
	return sum
}

// mustCheck fails the test when m is not a proper problem.
func mustCheck(t *testing.T, m ot.Masked) {
	t.Helper()
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
}
