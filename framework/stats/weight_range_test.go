package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// vertices returns the least and the largest weighted mean over all vertices of the ranges.
func vertices(r *WeightRange, v tensor.Vector) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for mask := range 1 << len(v) {
		sum, total := 0.0, 0.0
		for i := range v {
			w := r.Low[i]
			if mask>>i&1 == 1 {
				w = r.High[i]
			}
			sum += w * v[i]
			total += w
		}
		if total > 0 {
			least, most = min(least, sum/total), max(most, sum/total)
		}
	}
	return least, most
}

// The extremes of a weighted mean over ranges of weights are those over all vertices, with ties,
// weights that are known, and weights that may be 0.
func TestWeightRangeIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 25))
	for range 400 {
		n := 1 + rng.IntN(10)
		v, r := make(tensor.Vector, n), WeightRange{make(tensor.Vector, n), make(tensor.Vector, n), nil}
		for i := range v {
			v[i] = rng.NormFloat64()
			if rng.IntN(3) == 0 {
				v[i] = math.Round(v[i])
			}
			r.Low[i] = rng.Float64()
			if rng.IntN(4) == 0 {
				r.Low[i] = 0
			}
			r.High[i] = r.Low[i] + rng.ExpFloat64()*float64(rng.IntN(3))
		}
		if r.High.Sum() == 0 {
			r.High[0] = 1
		}
		least, most := r.Mean(v)
		wantLeast, wantMost := vertices(&r, v)
		tolerance{1e-13, 1e-13}.all(t, "ends", tensor.Vector{least, most},
			tensor.Vector{wantLeast, wantMost})
	}
}

// Values that cannot count are not read; without any that can there is no mean.
func TestWeightRangeReadsWhatCounts(t *testing.T) {
	r := WeightRange{Low: tensor.Vector{0, 1, 1}, High: tensor.Vector{0, 1, 3}}
	least, most := r.Mean(tensor.Vector{math.NaN(), 1, 5})
	tolerance{0, 1e-15}.all(t, "ends", tensor.Vector{least, most}, tensor.Vector{3, 4})
	r = WeightRange{Low: tensor.Vector{0}, High: tensor.Vector{0}}
	if least, most = r.Mean(tensor.Vector{1}); !math.IsNaN(least) || !math.IsNaN(most) {
		t.Errorf("of no weight: %v … %v", least, most)
	}
}

func BenchmarkWeightRange(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 26))
	n := 10_000
	v, r := make(tensor.Vector, n), WeightRange{make(tensor.Vector, n), make(tensor.Vector, n), nil}
	for i := range v {
		v[i], r.Low[i] = rng.NormFloat64(), rng.Float64()
		r.High[i] = 4 * r.Low[i]
	}
	for b.Loop() {
		r.Mean(v)
	}
}
