package aggregator

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// exactly returns a sum of numbers as it is without rounding, or nil for +∞.
func exactly(x []float64) *big.Float {
	sum := new(big.Float).SetPrec(4000)
	for _, y := range x {
		if math.IsInf(y, 1) {
			return nil
		}
		sum.Add(sum, new(big.Float).SetFloat64(y))
	}
	return sum
}

// byValue compares sums of exactly.
func byValue(a, b *big.Float) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return a.Cmp(b)
}

// plainKrum chooses by Krum among those that are left as its definition says: it sorts all
// distances of all of them again.
func plainKrum(distance fl.Matrix, left []int, f int) (best int) {
	near := min(max(len(left)-f-2, 1), len(left)-1)
	var least, leastTotal *big.Float
	for at, k := range left {
		var others []float64
		for _, j := range left {
			if j != k {
				others = append(others, distance.Row(k)[j])
			}
		}
		slices.Sort(others)
		score, total := exactly(others[:near]), exactly(others)
		by := byValue(score, least)
		if at == 0 || by < 0 || by == 0 && byValue(total, leastTotal) < 0 {
			best, least, leastTotal = at, score, total
		}
	}
	return best
}

// cloud returns models of one of several kinds.
func cloud(rng *rand.Rand, n, kind int) (models [][]float64) {
	size := 1 + rng.IntN(3)
	for k := range n {
		m := make([]float64, size)
		for i := range m {
			switch kind {
			case 0: // all different
				m[i] = rng.NormFloat64()
			case 1: // ties on a grid, and duplicates
				m[i] = float64(rng.IntN(3))
			case 2: // as many distances that are not whole
				m[i] = 0.1 * float64(rng.IntN(4))
			case 3: // of all magnitudes, squares among them that vanish or overflow
				m[i] = rng.NormFloat64() * math.Pow(10, float64(rng.IntN(380)-180))
			}
		}
		if kind < 3 && k%4 == 3 {
			m[0] = []float64{1e200, -1e200, 1e150, 1e8}[rng.IntN(4)]
		}
		models = append(models, m)
	}
	return models
}

// What is chosen is, one after another, what Krum's definition chooses among those that are left:
// for models of any kind, ties and duplicates on grids, outliers whose distances overflow, and any f.
//
//hansa:verifies theorem aggregator/bulyan
func TestChoicesAreThoseOfTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	var c krumAgain
	for trial := range 3000 {
		n := 3 + rng.IntN(12)
		if trial%50 == 0 {
			n = 3 + rng.IntN(38)
		}
		f := rng.IntN((n-3)/4 + 1)
		distance := tensor.NewMatrix(n, n)
		tensor.SquaredDistances(distance, cloud(rng, n, trial%4))
		left := rng.Perm(n)
		c.start(distance, f, slices.Clone(left))
		for range n { // all of them, which is more than Bulyan chooses
			best := plainKrum(distance, left, f)
			if got := c.next(); got != left[best] {
				t.Fatalf("trial %d: of %v, f = %d, it chose %d, want %d", trial, left, f, got,
					left[best])
			}
			left = slices.Delete(left, best, best+1)
		}
	}
}

// Sums are exact: of numbers of all magnitudes, added and subtracted in any order, they compare as
// their values do.
func TestExactSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 2))
	var s exactSums
	for range 300 {
		var x []float64
		for range 40 {
			x = append(x, math.Abs(rng.NormFloat64())*math.Pow(2, float64(rng.IntN(2090)-1070)))
		}
		x = append(x, 0, 5e-324, math.MaxFloat64, math.Inf(1), x[0])
		s.reset(2, x)
		var sums [2][]float64
		for range 60 {
			k, i := rng.IntN(2), rng.IntN(len(x))
			if len(sums[k]) > 0 && rng.IntN(3) == 0 {
				at := rng.IntN(len(sums[k]))
				s.sub(k, sums[k][at])
				sums[k] = slices.Delete(sums[k], at, at+1)
			} else {
				s.add(k, x[i])
				sums[k] = append(sums[k], x[i])
			}
			if got, want := s.compare(0, 1), byValue(exactly(sums[0]), exactly(sums[1])); got != want {
				t.Fatalf("%v compares as %d, want %d", sums, got, want)
			}
		}
	}
}

// A round of Bulyan allocates no more than a list of clients, once there is room for a cohort.
func TestBulyanKeepsItsRoom(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 3))
	r := &fl.Round{State: fl.NewStore(), Notes: new(fl.Notes), Global: make(fl.Vector, 2)}
	for k := range 11 {
		r.Updates = append(r.Updates, fl.Update{Client: k,
			Params: fl.Vector{rng.NormFloat64(), rng.NormFloat64()}})
	}
	a := built(t, Bulyan, map[string]any{"f": int64(2)})
	if n := testing.AllocsPerRun(20, func() {
		r.Recycle()
		if _, err := a.Aggregate(r); err != nil {
			t.Fatal(err)
		}
	}); n > 1 {
		t.Errorf("%v allocations in a round", n)
	}
}
