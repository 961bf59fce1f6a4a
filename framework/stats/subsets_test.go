package stats

import (
	"math"
	"math/big"
	"testing"
)

func TestCountSubsetsAgainstBigIntegers(t *testing.T) {
	limit := big.NewInt(math.MaxInt)
	for n := range 140 {
		for k := -1; k <= n+1; k++ {
			want := math.MaxInt
			if k < 0 || k > n {
				want = 0
			} else if c := new(big.Int).Binomial(int64(n), int64(k)); c.Cmp(limit) < 0 {
				want = int(c.Int64())
			}
			if got := CountSubsets(n, k); got != want {
				t.Fatalf("C(%d, %d) = %d, want %d", n, k, got, want)
			}
		}
	}
	if got := CountSubsets(1_000_000, 100); got != math.MaxInt {
		t.Errorf("C(1000000, 100) = %d", got)
	}
}

func TestSubsetsAreAllOfThemInOrder(t *testing.T) {
	for n := range 8 {
		for k := range n + 2 {
			sets := Subsets(n, k)
			if len(sets) != CountSubsets(n, k) {
				t.Fatalf("%d subsets of %d out of %d, want %d", len(sets), k, n, CountSubsets(n, k))
			}
			last := -1
			for _, set := range sets {
				// Read as a number to base n with k digits, lexicographic order ascends.
				number, before := 0, -1
				for _, i := range set {
					if i <= before || i >= n {
						t.Fatalf("%v is not an ascending subset of %d", set, n)
					}
					number, before = number*n+i, i
				}
				if number <= last {
					t.Fatalf("%v is out of order", set)
				}
				last = number
			}
		}
	}
}
