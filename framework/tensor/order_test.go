package tensor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// columns returns random vectors, of numbers that are often equal.
func columns(rng *rand.Rand, n, d int) [][]float64 {
	xs := make([][]float64, n)
	for k := range xs {
		xs[k] = make([]float64, d)
		for j := range xs[k] {
			xs[k][j] = float64(rng.IntN(7)) + float64(rng.IntN(2))*rng.Float64()
		}
	}
	return xs
}

func TestOrderStatistics(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for n := 1; n <= 14; n++ {
		const d = 33
		xs := columns(rng, n, d)
		median, mean, trimmed := make(Vector, d), make(Vector, d), make(Vector, d)
		trim := (n - 1) / 2
		Median(median, xs)
		TrimmedMean(mean, xs, 0)
		TrimmedMean(trimmed, xs, trim)
		for j := range d {
			var all []float64
			sum := 0.0
			for _, x := range xs {
				all = append(all, x[j])
				sum += x[j]
			}
			slices.Sort(all)
			want := (all[(n-1)/2] + all[n/2]) / 2
			if math.Abs(median[j]-want) > 1e-15 || math.Abs(trimmed[j]-want) > 1e-15 {
				t.Fatalf("%v: median %v, trimmed mean %v, want %v", all, median[j], trimmed[j], want)
			}
			if math.Abs(mean[j]-sum/float64(n)) > 1e-14 {
				t.Fatalf("%v: mean %v, want %v", all, mean[j], sum/float64(n))
			}
		}
	}
	huge := make(Vector, 1)
	if Median(huge, [][]float64{{math.MaxFloat64}, {math.MaxFloat64}}); huge[0] != math.MaxFloat64 {
		t.Errorf("the median of the largest numbers is %v", huge[0])
	}
}

func TestArgSort(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for n := range 40 {
		v := make(Vector, n)
		for i := range v {
			v[i] = float64(rng.IntN(9))
		}
		order := make([]int, n)
		ArgSort(order, v)
		for k := 1; k < n; k++ {
			a, b := order[k-1], order[k]
			if v[a] > v[b] || v[a] == v[b] && a >= b {
				t.Fatalf("%v are sorted %v", v, order)
			}
		}
		slices.Sort(order)
		for i, o := range order {
			if i != o {
				t.Fatalf("%v is no permutation", order)
			}
		}
	}
}

func TestPairwiseDistances(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	xs := columns(rng, 5, 20)
	d := NewMatrix(5, 5)
	for i := range d.Data {
		d.Data[i] = math.NaN()
	}
	PairwiseDistances(d, xs)
	for i := range xs {
		for j := range xs {
			sum := 0.0
			for k := range xs[i] {
				sum += (xs[i][k] - xs[j][k]) * (xs[i][k] - xs[j][k])
			}
			if math.Abs(d.Row(i)[j]-math.Sqrt(sum)) > 1e-13 {
				t.Errorf("%d and %d are %v apart, want %v", i, j, d.Row(i)[j], math.Sqrt(sum))
			}
		}
	}
	PairwiseDistances(Matrix{}, nil)
}

func TestSoftmaxAndClamp(t *testing.T) {
	v := Vector{1000, 1000 + math.Log(3), math.Inf(-1)}
	if log := Softmax(v, v); math.Abs(log-1000-math.Log(4)) > 1e-12 {
		t.Errorf("log Σ eˣ is %v", log)
	}
	if v.Distance(Vector{0.25, 0.75, 0}) > 1e-12 {
		t.Errorf("softmax %v", v)
	}
	w := Vector{-3, 0.5, math.Inf(1)}
	if w.Clamp(-1, 2); w.Distance(Vector{-1, 0.5, 2}) != 0 {
		t.Errorf("clamped %v", w)
	}
}

func TestOrderPanicsOnShapes(t *testing.T) {
	for name, f := range map[string]func(){
		"no vectors":   func() { Median(Vector{1}, nil) },
		"one is short": func() { Median(Vector{1, 2}, [][]float64{{1, 2}, {1}}) },
		"all trimmed":  func() { TrimmedMean(Vector{1}, [][]float64{{1}, {2}}, 1) },
		"order":        func() { ArgSort(make([]int, 2), Vector{1}) },
		"distances":    func() { PairwiseDistances(NewMatrix(2, 3), [][]float64{{1}, {2}}) },
		"solve":        func() { Solve(NewMatrix(2, 3), Vector{1, 2}) },
		"cholesky":     func() { Cholesky(NewMatrix(2, 3)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s does not panic", name)
				}
			}()
			f()
		}()
	}
}

func ExampleMedian() {
	next := make(Vector, 2)
	Median(next, [][]float64{{1, 10}, {2, -5}, {900, 11}})
	fmt.Println(next)
	// Output: [2 10]
}

func ExampleTrimmedMean() {
	next := make(Vector, 2)
	TrimmedMean(next, [][]float64{{1, 10}, {2, -500}, {900, 11}, {4, 12}}, 1)
	fmt.Println(next)
	// Output: [3 10.5]
}

func ExampleArgSort() {
	losses := Vector{0.3, 0.1, 0.2}
	order := make([]int, len(losses))
	ArgSort(order, losses)
	fmt.Println(order)
	// Output: [1 2 0]
}

func ExamplePairwiseDistances() {
	d := NewMatrix(3, 3)
	PairwiseDistances(d, [][]float64{{0, 0}, {3, 4}, {0, 1}})
	fmt.Println(d.Row(0))
	// Output: [0 5 1]
}

func ExampleSoftmax() {
	p := make(Vector, 2)
	Softmax(p, Vector{0, math.Log(3)})
	fmt.Printf("%.2f\n", p)
	// Output: [0.25 0.75]
}
