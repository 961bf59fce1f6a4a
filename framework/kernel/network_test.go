package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/kernel/kerneltest"
)

// All paths leave the same bits of a block, and nothing beside it changes.
func TestNetworksOnAllPaths(t *testing.T) {
	samePaths(t, 2000, func(p path, m *maker[float64]) []float64 {
		rows, width := 1+m.IntN(20), 8*m.IntN(5)
		lo := m.IntN(rows)
		network := NewNetwork(nil, rows, width, lo, lo+1+m.IntN(rows-lo))
		network.sort(p, m.slice(rows*width))
		return nil
	})
}

// Whatever ranks are asked for are in their rows afterwards, smaller numbers before them and larger
// ones after them; each column keeps its numbers.
func TestNetworksPutRanksInTheirRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(29, 1))
	for trial := range 400 {
		rows, width := 1+rng.IntN(40), 8
		if trial%100 == 0 {
			rows = 600
		}
		lo := rng.IntN(rows)
		hi := lo + 1 + rng.IntN(rows-lo)
		block := make([]float64, rows*width)
		for i := range block {
			block[i] = float64(rng.IntN(2 * rows))
		}
		before := slices.Clone(block)
		NewNetwork(make([]int32, 100), rows, width, lo, hi).Sort(block)
		for i := range width {
			want, got := column(before, rows, i), column(block, rows, i)
			slices.Sort(want)
			slices.Sort(got[:lo])
			slices.Sort(got[hi:])
			if !slices.Equal(got, want) {
				t.Fatalf("ranks %d to %d of %d: %v, want %v", lo, hi, rows, got, want)
			}
		}
	}
}

// column returns one of eight columns.
func column(block []float64, rows, i int) (list []float64) {
	for k := range rows {
		list = append(list, block[8*k+i])
	}
	return list
}

// A network for one rank has fewer comparators than one for all: none that it does not depend on.
func TestNetworksForFewRanksAreSmaller(t *testing.T) {
	for rows := 8; rows < 200; rows++ {
		all := len(NewNetwork(nil, rows, 8, 0, rows).pairs)
		if one := len(NewNetwork(nil, rows, 8, rows/2, rows/2+1).pairs); one >= all {
			t.Errorf("%d rows: %d for the median, %d for all", rows, one/2, all/2)
		}
	}
}

func TestColumnsOnAllPaths(t *testing.T) {
	samePaths(t, 3000, func(p path, m *maker[float64]) []float64 {
		n := m.length()
		sum := m.slice(n)
		for i := range sum {
			sum[i] += 0 // it is never −0
		}
		between64(p, sum, m.slice(n), m.slice(n), m.slice(n), m.slice(n))
		signs64(p, m.slice(n), m.number(), m.slice(n), m.slice(n))
		return nil
	})
}

// Of numbers that ascend those nearest to a center are added, as sorting them by distance finds.
func TestAddBetweenAddsTheNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(29, 2))
	for range 500 {
		n := 1 + rng.IntN(12)
		count, x := 1+rng.IntN(n), random(rng, n)
		slices.Sort(x)
		c, sum := []float64{rng.NormFloat64()}, []float64{0}
		for k := range x {
			below, above := []float64{math.Inf(-1)}, []float64{math.Inf(1)}
			if k >= count {
				below[0] = x[k-count]
			}
			if k+count < n {
				above[0] = x[k+count]
			}
			AddBetween(sum, below, x[k:k+1], above, c)
		}
		slices.SortFunc(x, func(a, b float64) int {
			if math.Abs(a-c[0]) < math.Abs(b-c[0]) {
				return -1
			}
			return 1
		})
		want := 0.0
		for _, y := range x[:count] {
			want += y
		}
		near(t, "AddBetween", sum, []float64{want})
	}
}

// Several weighted sums are those that are formed one by one, to the bit.
func TestWeightedSumsAreWeightedSums(t *testing.T) {
	samePaths(t, 300, func(p path, m *maker[float64]) []float64 {
		n, k, vectors := m.length()+m.IntN(2)*shortStretch, m.IntN(5), m.IntN(10)
		w := m.slice(k * vectors)
		var dsts, xs, want [][]float64
		for range vectors {
			xs = append(xs, m.slice(n))
		}
		for i := range k {
			dsts = append(dsts, m.slice(n))
			want = append(want, slices.Clone(dsts[i]))
			weightedSum64(p, want[i], w[i*vectors:][:vectors], xs)
		}
		weightedSums64(p, dsts, w, xs)
		for i := range dsts {
			if err := sameBits(dsts[i], want[i]); err != nil {
				t.Fatalf("%v: sum %d: %v", p, i, err)
			}
		}
		return nil
	})
}

func TestNetworksWantWhatFits(t *testing.T) {
	x, y := make([]float64, 3), make([]float64, 4)
	kerneltest.Panics(t, map[string]func(){
		"the width":    func() { NewNetwork(nil, 2, 7, 0, 1) },
		"no rank":      func() { NewNetwork(nil, 2, 8, 1, 1) },
		"ranks":        func() { NewNetwork(nil, 2, 8, 0, 3) },
		"the block":    func() { NewNetwork(nil, 2, 8, 0, 2).Sort(make([]float64, 15)) },
		"AddBetween":   func() { AddBetween(x, x, x, y, x) },
		"AddSigns":     func() { AddSigns(x, 1, x, y) },
		"WeightedSums": func() { WeightedSums([][]float64{x, x}, x, [][]float64{y}) },
	})
	kerneltest.None(t, func() {
		var room [64]int32
		NewNetwork(room[:], 10, 8, 0, 10)
		AddBetween(x, x, x, x, x)
		AddSigns(x, 1, x, x)
	})
}
