package stats

import (
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// products returns ∏_{i∈S} rᵢ for every subset of k clients, not normalised.
func products(r tensor.Vector, k int) tensor.Vector {
	sets := Subsets(len(r), k)
	q := make(tensor.Vector, len(sets))
	for j, set := range sets {
		q[j] = 1
		for _, i := range set {
			q[j] *= r[i]
		}
	}
	return q
}

func TestConditionalLawIsProportionalToProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 1))
	for range 100 {
		n := 1 + rng.IntN(9)
		r, k := weights(rng, n, 2), rng.IntN(n+1)
		if k < n {
			r[rng.IntN(n)] = 0
		}
		want := products(r, k)
		total := want.Sum()
		want.Scale(1 / total)
		q, pi := ConditionalLaw(r, k), make(tensor.Vector, n)
		tolerance{0, 1e-12}.all(t, "law", q, want)
		ConditionalInclusion(pi, r, k)
		tolerance{0, 1e-12}.all(t, "inclusion", pi, Inclusion(Subsets(n, k), q, n))

		// k! e_k(r) / R^k, one factor at a time.
		for m := range k {
			total *= float64(m+1) / r.Sum()
		}
		tolerance{0, 1e-12}.one(t, "acceptance", ConditionalAcceptance(r, k), total)
	}
}

func TestConditionalInclusionOfMany(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 2))
	for _, k := range []int{1, 20, 500, 999, 1000} {
		for _, spread := range []float64{0, 1, 100} {
			r, pi := weights(rng, 1000, spread), make(tensor.Vector, 1000)
			ConditionalInclusion(pi, r, k)
			tolerance{0, 1e-12}.one(t, "sum", pi.Sum(), float64(k))
		}
	}
}

// TestConditionalInclusionOfTooFew draws all clients that can be drawn.
func TestConditionalInclusionOfTooFew(t *testing.T) {
	for k, want := range map[int]tensor.Vector{0: {0, 0, 0}, 2: {1, 0, 1}, 3: {1, 0, 1}} {
		pi := tensor.Vector{7, 7, 7}
		ConditionalInclusion(pi, tensor.Vector{1, 0, 2}, k)
		tolerance{0, 1e-14}.all(t, "inclusion", pi, want)
	}
	if a := ConditionalAcceptance(tensor.Vector{1, 0, 2}, 3); a != 0 {
		t.Errorf("three draws from two clients all differ with probability %v", a)
	}
}
