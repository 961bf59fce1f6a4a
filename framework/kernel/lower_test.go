package kernel

import (
	"math/rand/v2"
	"testing"
)

// Half a product and its mirror are the whole product, where that is symmetric, bit for bit, and
// nothing beside the matrix is written.
func TestLowerHalfOfAProduct(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, n := range []int{0, 1, 2, 15, 16, 17, 127, 128, 129, 300} {
		for _, k := range []int{0, 1, 5, 300} {
			data := make([]float64, 2*(n+3)*(k+2)+1)
			for i := range data {
				data[i] = rng.NormFloat64()
			}
			byRow := Matrix[float64]{Data: data, Rows: n, Cols: k, Stride: k + 2}
			byColumn := Matrix[float64]{Data: data, Rows: k, Cols: n, Stride: n + 3}.T()
			for _, add := range []bool{false, true} {
				mustHalve(t, byRow, add)
				mustHalve(t, byColumn, add)
			}
		}
	}
}

// mustHalve compares both ways to a·aᵀ.
func mustHalve(t *testing.T, a Matrix[float64], add bool) {
	t.Helper()
	var w Workspace
	n := a.Rows
	whole, half := make([]float64, n*(n+1)), make([]float64, n*(n+1))
	for i := range whole {
		whole[i] = float64(i/(n+1) + i%(n+1))
		half[i] = whole[i]
	}
	in := func(data []float64) Matrix[float64] {
		return Matrix[float64]{Data: data, Rows: n, Cols: n, Stride: n + 1}
	}
	Gemm64(&w, in(whole), a, a.T(), add)
	Lower64(&w, in(half), a, a.T(), add)
	Mirror64(in(half))
	for i, x := range whole {
		if half[i] != x {
			t.Fatalf("%d×%d, add %t: element %d is %v, want %v", n, a.Cols, add, i, half[i], x)
		}
	}
}
