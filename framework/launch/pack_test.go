package launch_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/launch"
)

// checkPack fails unless every cell is dealt once, groups are together, tasks are as many as
// they may be, and none has more to do than another one by over the longest group.
func checkPack(t *testing.T, weights []float64, groups [][]int, p launch.Packing) [][]int {
	t.Helper()
	tasks := launch.Pack(weights, groups, p)
	if len(tasks) > max(p.Most, 1) {
		t.Fatalf("%d tasks, at most %d", len(tasks), p.Most)
	}
	where := make([]int, len(weights))
	loads := make([]float64, len(tasks))
	for i, cells := range tasks {
		if len(cells) == 0 {
			t.Fatalf("task %d has nothing to do", i)
		}
		for _, c := range cells {
			if where[c]++; where[c] > 1 {
				t.Fatalf("cell %d is dealt twice", c)
			}
			if weights[c] > 0 {
				loads[i] += weights[c]
			}
		}
	}
	if i := slices.Index(where, 0); i >= 0 {
		t.Fatalf("cell %d is not dealt", i)
	}
	longest := 0.0
	for _, w := range weights {
		longest = max(longest, w)
	}
	for _, g := range groups {
		sum, homes := 0.0, 0
		for _, c := range g {
			sum += max(weights[c], 0)
		}
		longest = max(longest, sum)
		for _, cells := range tasks {
			if len(g) > 0 && slices.Contains(cells, g[0]) {
				homes++
				at := slices.Index(cells, g[0])
				if !slices.Equal(cells[at:at+len(g)], g) {
					t.Fatalf("the group %v is torn: %v", g, cells)
				}
			}
		}
	}
	if len(tasks) > 0 && slices.Max(loads)-slices.Min(loads) > longest*(1+1e-9) {
		t.Fatalf("loads from %g to %g, the longest is %g", slices.Min(loads), slices.Max(loads), longest)
	}
	return tasks
}

func TestPack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		weights := make([]float64, rng.IntN(60))
		for i := range weights {
			weights[i] = rng.ExpFloat64() * 600
		}
		if rng.IntN(3) == 0 && len(weights) > 0 {
			weights[0] = 0
		}
		var groups [][]int
		order := rng.Perm(len(weights))
		for len(order) > 0 && rng.IntN(4) > 0 {
			n := 1 + rng.IntN(min(5, len(order)))
			groups, order = append(groups, order[:n]), order[n:]
		}
		checkPack(t, weights, groups, launch.Packing{Most: rng.IntN(20), CPUs: rng.IntN(4),
			Want: time.Duration(rng.IntN(3)) * 20 * time.Minute})
	}
}

func TestPackOfMany(t *testing.T) {
	equal := func(n int, w float64) []float64 { return slices.Repeat([]float64{w}, n) }
	for _, c := range []struct {
		weights []float64
		p       launch.Packing
		want    int
	}{
		{equal(10_000, 60), launch.Packing{Most: 1001}, 334},         // of half an hour
		{equal(10_000, 600), launch.Packing{Most: 1001}, 1001},       // of 100 minutes
		{equal(2_500, 0), launch.Packing{Most: 1001}, 1001},          // it is not known how long
		{equal(2_500, math.NaN()), launch.Packing{Most: 5000}, 2500}, // nor here
		{equal(24, 600), launch.Packing{Most: 1001}, 8},
		{equal(24, 600), launch.Packing{Most: 1001, CPUs: 4}, 2},
		{equal(24, 86400), launch.Packing{Most: 1001}, 24},
		{equal(24, 86400), launch.Packing{Most: 1001, CPUs: 4}, 6}, // all of them have work
		{equal(24, 60), launch.Packing{Most: 1001}, 1},
		{equal(24, 60), launch.Packing{Most: 1001, Want: 6 * time.Minute}, 4},
		{equal(24, 600), launch.Packing{}, 1},
		{equal(1, 1e300), launch.Packing{Most: 9}, 1},
		{nil, launch.Packing{Most: 9}, 0},
	} {
		if got := len(checkPack(t, c.weights, nil, c.p)); got != c.want {
			t.Errorf("%d cells of %v s, %+v: %d tasks, want %d", len(c.weights),
				c.weights[:min(1, len(c.weights))], c.p, got, c.want)
		}
	}
}

// The longest begin first, and equal ones in their order: what is packed again is the same.
func TestOrderOfPacking(t *testing.T) {
	weights := []float64{100, 700, 900, 700, 100, 300}
	got := launch.Pack(weights, [][]int{{4, 0}}, launch.Packing{Most: 2, Want: time.Minute})
	if !slices.Equal(got[0], []int{2, 3, 4, 0}) || !slices.Equal(got[1], []int{1, 5}) {
		t.Errorf("%v", got)
	}
}
