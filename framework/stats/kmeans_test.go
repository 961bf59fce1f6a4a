package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// mustCluster fails unless rows are at their nearest center, and centers the means of their rows.
func (c *Clusters) mustCluster(t *testing.T, x tensor.Matrix) {
	t.Helper()
	count, inertia := make([]int, c.Centers.Rows), 0.0
	mean := tensor.NewMatrix(c.Centers.Rows, x.Cols)
	for i, label := range c.Labels {
		own := x.Row(i).Distance(c.Centers.Row(label))
		for j := range c.Centers.Rows {
			if x.Row(i).Distance(c.Centers.Row(j)) < own*(1-1e-12) {
				t.Fatalf("row %d belongs to center %d, but is nearer to %d", i, label, j)
			}
		}
		count[label]++
		mean.Row(label).Add(x.Row(i))
		inertia += own * own
	}
	for j, n := range count {
		if mean.Row(j).Scale(1 / float64(max(1, n))); n > 0 && c.Converged {
			tolerance{Abs: 1e-12}.all(t, "center", c.Centers.Row(j), mean.Row(j))
		}
	}
	tolerance{Rel: 1e-12, Abs: 1e-300}.one(t, "inertia", c.Inertia, inertia)
}

func TestKMeans(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 1))
	for _, k := range []int{1, 2, 5, 30} {
		x := blobs(rng, 150, 4, 5)
		begin, last := rng.Uint64(), math.Inf(1)
		for n := range 50 {
			c := KMeans(x, k, n, rand.New(rand.NewPCG(begin, 0)))
			c.mustCluster(t, x)
			if c.Inertia > last*(1+1e-14) || c.Iterations > n {
				t.Errorf("k = %d, %d iterations: inertia %v, before %v", k, n, c.Inertia, last)
			}
			last = c.Inertia
		}
		if c := KMeans(x, k, 300, rng); !c.Converged {
			t.Errorf("k = %d: not at rest after %d iterations", k, c.Iterations)
		}
	}
}

// Clusters far apart are found, as k-means++ begins in each of them.
func TestKMeansFindsWhatIsApart(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 2))
	for range 50 {
		x := tensor.Matrix{Rows: 40, Cols: 2, Data: normals(rng, 80, 1e-3)}
		for i := range 40 {
			x.Row(i)[0] += float64(i % 8 * 100)
		}
		c := KMeans(x, 8, 100, rng)
		for i := range 40 {
			if c.Labels[i] != c.Labels[i%8] {
				t.Fatalf("rows %d and %d are in one place, but in two clusters", i, i%8)
			}
		}
	}
}

func TestKMeansOfEqualRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 3))
	x := tensor.NewMatrix(9, 2)
	x.Row(5)[1] = 7
	for _, k := range []int{1, 2, 6, 12} {
		c := KMeans(x, k, 100, rng)
		if c.mustCluster(t, x); !c.Converged || k > 1 && c.Inertia != 0 {
			t.Errorf("k = %d: %+v", k, c)
		}
	}
}

// A cluster that loses all of its rows takes the farthest of another.
func TestKMeansFillsEmptyClusters(t *testing.T) {
	c := Clusters{Centers: matrix([]tensor.Vector{{0}, {1000}}), Labels: make([]int, 4)}
	x := matrix([]tensor.Vector{{1}, {2}, {3}, {9}})
	square := tensor.Vector{1, 4, 9, 81}
	if !c.update(x, square, make([]int, 2)) || c.Centers.Data[0] != 2 || c.Centers.Data[1] != 9 {
		t.Errorf("centers %v", c.Centers.Data)
	}
	c = Clusters{Centers: matrix([]tensor.Vector{{1}, {6}, {1000}}), Labels: []int{0, 1}}
	c.update(matrix([]tensor.Vector{{0}, {10}}), tensor.Vector{1, 16}, make([]int, 3))
	tolerance{}.all(t, "one row each", c.Centers.Data, tensor.Vector{0, 10, 1000})
}
