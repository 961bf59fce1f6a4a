package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

func chances(rng *rand.Rand, n int) tensor.Vector {
	b := make(tensor.Vector, n)
	for i := range b {
		b[i] = rng.Float64()
	}
	return b
}

func TestBernoulliLawAndSurrogateAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 1))
	for n := 1; n <= 11; n++ {
		b := chances(rng, n)
		if n > 2 {
			b[0], b[1] = 0, 1
		}
		sets, q, empty := BernoulliLaw(b)
		tolerance{1e-13, 0}.one(t, "total", q.Sum(), 1)
		none := 1.0
		for _, x := range b {
			none *= 1 - x
		}
		tolerance{0, 1e-13}.one(t, "empty", empty, none)
		pi := Inclusion(sets, q, n)
		pi.Scale(1 - empty)
		tolerance{1e-13, 0}.all(t, "inclusion", pi, b)
		share := q.Clone()
		for j, set := range sets {
			share[j] /= float64(len(set))
		}
		got := chances(rng, n)
		BernoulliSurrogate(got, b)
		tolerance{1e-16, 1e-13}.all(t, "surrogate", got, Inclusion(sets, share, n))
	}
}

// TestBernoulliSurrogateOfEquals uses E[1/|S| …] = 1/N by symmetry, also where the number
// of nodes no longer makes the quadrature exact.
func TestBernoulliSurrogateOfEquals(t *testing.T) {
	for _, n := range []int{1, 40, 160, 161, 1000, 5000} {
		for _, chance := range []float64{1e-9, 0.01, 0.5, 1} {
			b, got, want := make(tensor.Vector, n), make(tensor.Vector, n), make(tensor.Vector, n)
			for i := range b {
				b[i], want[i] = chance, 1/float64(n)
			}
			BernoulliSurrogate(got, b)
			tolerance{0, 1e-11}.all(t, "surrogate", got, want)
		}
	}
}

// TestBernoulliSurrogateAddsUp tests Σᵢ p̃ᵢ = 1 for unequal clients.
func TestBernoulliSurrogateAddsUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 2))
	for _, n := range []int{30, 300, 3000} {
		b, got := chances(rng, n), make(tensor.Vector, n)
		for i := range b {
			b[i] = math.Pow(b[i], 8)
		}
		BernoulliSurrogate(got, b)
		tolerance{1e-12, 0}.one(t, "total", got.Sum(), 1)
	}
}

func TestAttendanceKeepsSmallProbabilities(t *testing.T) {
	b := make(tensor.Vector, 1000)
	for i := range b {
		b[i] = 1e-30
	}
	sure := b.Clone()
	sure[3] = 1
	for _, c := range []struct{ b, want tensor.Vector }{
		{b, tensor.Vector{1, 1e-27}},
		{sure, tensor.Vector{0, 1}},
		{nil, tensor.Vector{1, 0}},
	} {
		empty, nonEmpty := Attendance(c.b)
		tolerance{0, 1e-12}.all(t, "attendance", tensor.Vector{empty, nonEmpty}, c.want)
	}
}
