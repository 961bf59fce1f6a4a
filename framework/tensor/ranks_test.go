package tensor_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/hansa-fl/hansa/framework/kernel/kerneltest"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// ascending returns column i of xs in ascending order, with +Inf for NaN and +0 for −0.
func ascending(xs [][]float64, i int) (column []float64) {
	for _, x := range xs {
		v := x[i] + 0
		if v != v {
			v = math.Inf(1)
		}
		column = append(column, v)
	}
	slices.Sort(column)
	return column
}

// type7 is the q-quantile of numbers that ascend.
func type7(column []float64, q float64) float64 {
	h := q * float64(len(column)-1)
	low, high := column[int(math.Floor(h))], column[int(math.Ceil(h))]
	t := h - math.Floor(h)
	if low == high {
		return low
	}
	return float64((1-t)*low) + float64(t*high) + 0
}

// nearest is the mean of the count numbers nearest to c, the smallest added first. On one side of c
// the order of numbers says exactly which is nearer, on two sides their distances do, as rounded.
func nearest(column []float64, c float64, count int) float64 {
	if math.IsInf(c, 0) || c != c {
		return math.NaN()
	}
	near := slices.Clone(column)
	slices.SortStableFunc(near, func(a, b float64) int {
		if a <= c && b <= c {
			return cmp.Compare(b, a)
		} else if a >= c && b >= c {
			return cmp.Compare(a, b)
		}
		return cmp.Compare(math.Abs(a-c), math.Abs(b-c))
	})
	near = near[:count]
	slices.Sort(near)
	sum := 0.0
	for _, x := range near {
		sum += x
	}
	return sum / float64(count)
}

func TestRanksAgainstSortedColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 1))
	for _, k := range []int{1, 2, 3, 4, 10, 17, 64, 385} {
		for _, n := range sizes {
			xs := models(rng, k, n, corners...)
			center := tensor.Vector(models(rng, 1, n, corners...)[0])
			q, count := float64(rng.IntN(9))/8, 1+rng.IntN(k)
			sorted, got := tensor.NewMatrix(k, n), tensor.NewMatrix(k, n)
			quantile, around := make(tensor.Vector, n), make(tensor.Vector, n)
			for i := range n {
				column := ascending(xs, i)
				for rank, x := range column {
					sorted.Row(rank)[i] = x
				}
				quantile[i], around[i] = type7(column, q), nearest(column, center[i], count)
			}
			dst := make(tensor.Vector, n)
			tensor.Quantile(dst, xs, q)
			same(t, "Quantile", dst, quantile)
			tensor.MeanAround(dst, xs, center, count)
			same(t, "MeanAround", dst, around)
			tensor.Median(dst, xs)
			tensor.MeanAround(dst, xs, dst, count)
			tensor.MeanAroundMedian(quantile, xs, count)
			same(t, "MeanAroundMedian", quantile, dst)
			tensor.SortColumns(got, xs)
			same(t, "SortColumns", got.Data, sorted.Data)
			inPlace(t, rng, xs, sorted, func(dst tensor.Vector, xs [][]float64) {
				tensor.MeanAround(dst, xs, center, count)
			}, around)
			tensor.MeanAround(center, xs, center, count)
			same(t, "the center is the result", center, around)
		}
	}
}

// inPlace checks that the order of vectors is irrelevant, that the result may be one of them, and
// that sorted rows may be those that are sorted.
func inPlace(t *testing.T, rng *rand.Rand, xs [][]float64, sorted tensor.Matrix,
	do func(dst tensor.Vector, xs [][]float64), want tensor.Vector) {
	t.Helper()
	own := sorted
	own.Data = nil
	for _, k := range rng.Perm(len(xs)) {
		own.Data = append(own.Data, xs[k]...)
	}
	rows := make([][]float64, own.Rows)
	for k := range rows {
		rows[k] = own.Row(k)
	}
	first := slices.Clone(rows[0])
	do(rows[0], rows)
	same(t, "another order, in place", rows[0], want)
	copy(rows[0], first)
	tensor.SortColumns(own, rows)
	same(t, "rows of their own", own.Data, sorted.Data)
}

// Of finite numbers a quantile is that of gonum where that has the same definition, at whole
// ranks, the median halfway, and it does not fall as q rises.
func TestQuantiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 2))
	for _, k := range []int{1, 2, 5, 10} {
		xs := models(rng, k, 300)
		got, want, last := make(tensor.Vector, 300), make(tensor.Vector, 300), make(tensor.Vector, 300)
		tensor.Quantile(got, xs, 0.5)
		tensor.Median(want, xs)
		within(t, "the median", got, want)
		last.Fill(math.Inf(-1))
		for step := range 41 {
			q := float64(step) / 40
			tensor.Quantile(got, xs, q)
			for i, x := range got {
				column := ascending(xs, i)
				if x < last[i] || tensor.Vector(column).Quantile(q) != x {
					t.Fatalf("%v of %v is %v, below it %v", q, column, x, last[i])
				}
				if h := q * float64(k-1); h == math.Floor(h) && h > 0 &&
					stat.Quantile(h/float64(k-1), stat.LinInterp, column, nil) > x {
					t.Fatalf("rank %v of %v is %v", h, column, x)
				}
			}
			copy(last, got)
		}
	}
}

func TestElementsByRank(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 3))
	for _, n := range sizes[1:] {
		for _, special := range [][]float64{nil, corners} {
			v := tensor.Vector(models(rng, 1, n, special...)[0])
			v.AddNoise(float64(rng.IntN(2)), rng)
			var column []float64
			for i := range v {
				column = append(column, ascending([][]float64{v}, i)[0])
			}
			slices.Sort(column)
			for _, q := range []float64{0, 0.3, 0.5, 0.99, 1, rng.Float64()} {
				same(t, "a quantile", tensor.Vector{v.Quantile(q)}, tensor.Vector{type7(column, q)})
			}
			for _, k := range []int{0, 1, n / 2, n - 1, n} {
				got := v.Clone()
				got.TopK(k)
				same(t, "the largest", got, largest(v, k))
			}
		}
	}
}

// largest is v with nothing but its k elements of largest magnitude.
func largest(v tensor.Vector, k int) tensor.Vector {
	size := make(tensor.Vector, len(v))
	for i, x := range v {
		size[i] = math.Abs(x)
		if x != x {
			size[i] = math.Inf(1)
		}
	}
	want := make(tensor.Vector, len(v))
	for _, i := range tensor.ArgSortDescending(nil, size)[:k] {
		want[i] = v[i]
	}
	return want
}

func TestNumbersThatAreNotThereHaveNoRank(t *testing.T) {
	v, xs := tensor.Vector{1, 2}, [][]float64{{1, 2}, {3, 4}}
	kerneltest.Panics(t, map[string]func(){
		"TopK":                         func() { v.TopK(3) },
		"TopK, negative":               func() { v.TopK(-1) },
		"Quantile of nothing":          func() { tensor.Vector{}.Quantile(0.5) },
		"Quantile above 1":             func() { v.Quantile(1.01) },
		"Quantile below 0":             func() { v.Quantile(-0.01) },
		"Quantile, NaN":                func() { v.Quantile(math.NaN()) },
		"columns, no vector":           func() { tensor.Quantile(v, nil, 0.5) },
		"columns, above 1":             func() { tensor.Quantile(v, xs, 2) },
		"columns, other lengths":       func() { tensor.Quantile(v[:1], xs, 0.5) },
		"MeanAround none":              func() { tensor.MeanAround(v, xs, v, 0) },
		"MeanAround, too many":         func() { tensor.MeanAround(v, xs, v, 3) },
		"MeanAround, a center":         func() { tensor.MeanAround(v, xs, v[:1], 1) },
		"MeanAround, other lengths":    func() { tensor.MeanAround(v[:1], xs, v[:1], 1) },
		"SortColumns, too few rows":    func() { tensor.SortColumns(tensor.NewMatrix(1, 2), xs) },
		"SortColumns, too few columns": func() { tensor.SortColumns(tensor.NewMatrix(2, 1), xs) },
	})
	tensor.SortColumns(tensor.Matrix{}, nil)
}

func TestRanksAllocateNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 4))
	const n = 2000
	xs, dst, rows := models(rng, 128, n), make(tensor.Vector, n), tensor.NewMatrix(128, n)
	kerneltest.None(t, func() {
		tensor.Quantile(dst, xs, 0.3)
		tensor.MeanAround(dst, xs, dst, 100)
		tensor.SortColumns(rows, xs)
		dst.Quantile(0.3)
		dst.TopK(10)
	})
}

// Many numbers are counted before they are sorted, however they are spread and however many are
// equal.
func TestLongVectorsByRank(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 5))
	const n = 5000
	for name, draw := range map[string]func() float64{
		"normal":     rng.NormFloat64,
		"two values": func() float64 { return float64(rng.IntN(2)) },
		"one value":  func() float64 { return -3 },
		"near":       func() float64 { return 1 + 1e-13*rng.Float64() },
		"any bits":   func() float64 { return math.Float64frombits(rng.Uint64()) },
		"corners":    func() float64 { return corners[rng.IntN(len(corners))] },
	} {
		v := make(tensor.Vector, n)
		for i := range v {
			v[i] = draw()
		}
		column := make([]float64, n)
		for i := range v {
			column[i] = ascending([][]float64{v}, i)[0]
		}
		slices.Sort(column)
		for _, q := range []float64{0, 1e-4, 0.25, 0.5, 0.777, 1} {
			same(t, name, tensor.Vector{v.Quantile(q)}, tensor.Vector{type7(column, q)})
		}
		for _, k := range []int{1, 50, 2500, 4999} {
			got := v.Clone()
			got.TopK(k)
			same(t, name+", the largest", got, largest(v, k))
		}
	}
}
