package tensor_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/hansa-fl/hansa/framework/kernel/kerneltest"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// sizes are lengths around what the kernels take at a time.
var sizes = []int{0, 1, 2, 3, 63, 64, 65, 1000}

// models returns k vectors of n numbers among which there are ties, and others of which are
// special.
func models(rng *rand.Rand, k, n int, special ...float64) [][]float64 {
	xs := make([][]float64, k)
	for i := range xs {
		xs[i] = make([]float64, n)
		for j := range xs[i] {
			xs[i][j] = math.Round(4 * rng.NormFloat64())
			if len(special) > 0 && rng.IntN(4) == 0 {
				xs[i][j] = special[rng.IntN(len(special))]
			}
		}
	}
	return xs
}

// naive returns the mean of the numbers of rank lo to hi in every coordinate.
func naive(xs [][]float64, n, lo, hi int) tensor.Vector {
	want := make(tensor.Vector, n)
	for i := range want {
		var column []float64
		for _, x := range xs {
			v := x[i]
			if v != v {
				v = math.Inf(1)
			}
			column = append(column, v)
		}
		sort.Float64s(column)
		for _, v := range column[lo:hi] {
			want[i] += v
		}
		want[i] /= float64(hi - lo)
	}
	return want
}

// same compares bits; all NaNs are one.
func same(t *testing.T, what string, got, want tensor.Vector) {
	t.Helper()
	for i, w := range want {
		if math.Float64bits(got[i]) != math.Float64bits(w) && (got[i] == got[i] || w == w) {
			t.Fatalf("%s: number %d of %d is %v, want %v", what, i, len(want), got[i], w)
		}
	}
}

func TestOrderStatisticsAgainstSortedColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 5e-324,
		-1e300}
	for _, k := range []int{1, 2, 3, 4, 5, 10, 17, 63, 64, 65, 385} {
		for _, n := range sizes {
			xs, dst := models(rng, k, n, special...), make(tensor.Vector, n)
			cut := rng.IntN((k + 1) / 2)
			tensor.TrimmedMean(dst, xs, cut)
			same(t, "TrimmedMean", dst, naive(xs, n, cut, k-cut))
			tensor.Median(dst, xs)
			same(t, "Median", dst, naive(xs, n, (k-1)/2, k/2+1))
			rank := rng.IntN(k)
			tensor.OrderStatistic(dst, xs, rank)
			same(t, "OrderStatistic", dst, naive(xs, n, rank, rank+1))
			rng.Shuffle(k, func(i, j int) { xs[i], xs[j] = xs[j], xs[i] })
			other := make(tensor.Vector, n)
			tensor.OrderStatistic(other, xs, rank)
			same(t, "the order of vectors", other, dst)
			tensor.OrderStatistic(xs[0], xs, rank)
			same(t, "in place", xs[0], dst)
		}
	}
}

// Every subset of k vectors of zeros and ones is sorted, so that everything is (Knuth, TAOCP
// vol. 3, 5.3.4, Theorem Z).
func TestNetworksSortZerosAndOnes(t *testing.T) {
	for k := 1; k <= 12; k++ {
		xs := make([][]float64, k)
		for row := range xs {
			xs[row] = make([]float64, 1<<k)
			for i := range xs[row] {
				xs[row][i] = float64(i >> row & 1)
			}
		}
		dst := make(tensor.Vector, 1<<k)
		for rank := range k {
			tensor.OrderStatistic(dst, xs, rank)
			same(t, "a rank", dst, naive(xs, 1<<k, rank, rank+1))
		}
	}
}

func TestArgSortIsStable(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 2))
	for _, n := range sizes {
		x := tensor.Vector(models(rng, 1, n, 0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1),
			math.NaN())[0])
		for sign, got := range map[float64][]int{
			1: tensor.ArgSort(nil, x), -1: tensor.ArgSortDescending(nil, x),
		} {
			want := make([]int, n)
			for i := range want {
				want[i] = i
			}
			sort.SliceStable(want, func(a, b int) bool {
				u, v := sign*x[want[a]], sign*x[want[b]]
				return u < v || u == u && v != v
			})
			if !slices.Equal(got, want) {
				t.Errorf("sign %v of %v: %v, want %v", sign, x, got, want)
			}
		}
	}
}

func TestRanksThatAreNotTherePanic(t *testing.T) {
	dst, xs := make(tensor.Vector, 2), [][]float64{{1, 2}, {3, 4}}
	kerneltest.Panics(t, map[string]func(){
		"TrimmedMean of none":         func() { tensor.TrimmedMean(dst, nil, 0) },
		"Median of none":              func() { tensor.Median(dst, nil) },
		"TrimmedMean that leaves one": func() { tensor.TrimmedMean(dst, xs, 1) },
		"TrimmedMean, negative":       func() { tensor.TrimmedMean(dst, xs, -1) },
		"OrderStatistic":              func() { tensor.OrderStatistic(dst, xs, 2) },
		"OrderStatistic, negative":    func() { tensor.OrderStatistic(dst, xs, -1) },
		"Median of other lengths":     func() { tensor.Median(dst[:1], xs) },
		"Median, no model":            func() { tensor.Median(dst, [][]float64{{1, 2}, nil}) },
	})
}

func TestOrderStatisticsAllocateNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 3))
	const n = 2000
	xs, dst, room := models(rng, 128, n), make(tensor.Vector, n), make([]int, 0, n)
	kerneltest.None(t, func() {
		tensor.TrimmedMean(dst, xs, 30)
		tensor.Median(dst, xs[:10])
		tensor.ArgSort(room, dst)
		tensor.ArgSortDescending(room, dst)
	})
}

func BenchmarkMedian(b *testing.B) {
	rng := rand.New(rand.NewPCG(31, 4))
	xs, dst := make([][]float64, 10), make(tensor.Vector, 400_000)
	for k := range xs {
		xs[k] = make([]float64, len(dst))
		for i := range xs[k] {
			xs[k][i] = rng.NormFloat64()
		}
	}
	b.Run("network", func(b *testing.B) {
		for b.Loop() {
			tensor.Median(dst, xs)
		}
	})
	b.Run("sum", func(b *testing.B) {
		w := make(tensor.Vector, 10)
		for b.Loop() {
			dst.AddWeighted(w, xs)
		}
	})
	b.Run("norm", func(b *testing.B) {
		for b.Loop() {
			dst.Norm()
		}
	})
	b.Run("dot", func(b *testing.B) {
		for b.Loop() {
			dst.Dot(dst)
		}
	})
	b.Run("noise", func(b *testing.B) {
		for b.Loop() {
			for i := range dst {
				dst[i] += rng.NormFloat64()
			}
		}
	})
}
