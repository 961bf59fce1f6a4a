package infer

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestBestSetWalksDown(t *testing.T) {
	best := []float64{97.0, 97.2, 96.9, 97.1, 97.3}
	steady := []float64{96.7, 96.9, 96.6, 96.8, 97.01} // always behind by about 0.3
	noisy := []float64{99, 92, 97, 93, 98}             // far behind on average, but noisy
	poor := []float64{80, 81, 80, 81, 80}
	got := BestSet(samples(noisy, best, poor, steady), true)
	if want := []bool{false, true, false, false}; !slices.Equal(got, want) {
		t.Errorf("bold %v, want %v: noisy is not better than steady, which is not bold", got, want)
	}
	got = BestSet(samples(noisy, best, poor), true)
	if want := []bool{true, true, false}; !slices.Equal(got, want) {
		t.Errorf("bold %v, want %v: nothing stands between noisy and the best", got, want)
	}
}

func TestBestSetEdges(t *testing.T) {
	five := []float64{1, 2, 3, 4, 5}
	for _, c := range []struct {
		name   string
		values [][]float64
		want   []bool
	}{
		{"none", nil, []bool{}},
		{"one alone", [][]float64{five}, []bool{false}},
		{"twins", [][]float64{five, five}, []bool{true, true}},
		{"too few seeds", [][]float64{{1, 2}, {4, 5}}, []bool{false, false}},
		{"three seeds", [][]float64{{1, 2, 3}, {4, 5, 6.5}}, []bool{true, false}},
		{"always behind", [][]float64{five, {2, 3, 4, 5, 6}}, []bool{true, false}},
	} {
		if got := BestSet(samples(c.values...), false); !slices.Equal(got, c.want) {
			t.Errorf("%s: bold %v, want %v", c.name, got, c.want)
		}
	}
}

// TestBestSetBreaksTies: of two equal means, the one that the third is compared with does not
// depend on their order.
func TestBestSetBreaksTies(t *testing.T) {
	a, b := []float64{1, 2, 3, 4, 5}, []float64{5, 4, 3, 2, 1}
	c := []float64{1.9, 2.91, 3.9, 4.91, 5.9} // behind a in every seed, behind b on average
	first, second := BestSet(samples(a, b, c), false), BestSet(samples(b, a, c), false)
	if first[2] != second[2] {
		t.Errorf("bold %v and %v", first, second)
	}
}

// TestBestSetIgnoresOrder: neither the order of methods nor the sign of a metric, with its
// direction, decides what is bold.
func TestBestSetIgnoresOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	for range 100 {
		values := make([][]float64, 2+rng.IntN(5))
		for i := range values {
			values[i] = around(rng.Uint64(), 5, float64(rng.IntN(3)), 0.4, 0.5)
			if rng.IntN(4) == 0 {
				values[i] = slices.Repeat([]float64{1}, 5)
			}
		}
		want := BestSet(samples(values...), false)
		order := rng.Perm(len(values))
		var shuffled, negative [][]float64
		for _, i := range order {
			shuffled = append(shuffled, values[i])
			n := slices.Clone(values[i])
			for k := range n {
				n[k] = -n[k]
			}
			negative = append(negative, n)
		}
		down, up := BestSet(samples(shuffled...), false), BestSet(samples(negative...), true)
		for k, i := range order {
			if down[k] != want[i] || up[k] != want[i] {
				t.Fatalf("bold %v; shuffled by %v: %v; negated: %v", want, order, down, up)
			}
		}
	}
}
