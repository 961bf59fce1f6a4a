package stats

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// membersOf returns the points of the cluster that every merge makes.
func membersOf(merges []Merge, n int) (members [][]int) {
	for i := range n {
		members = append(members, []int{i})
	}
	for _, m := range merges {
		both := append(slices.Clone(members[m.A]), members[m.B]...)
		slices.Sort(both)
		members = append(members, both)
	}
	return members[n:]
}

func matrixOf(rows [][]float64) tensor.Matrix {
	d := tensor.NewMatrix(len(rows), len(rows))
	for i, row := range rows {
		copy(d.Row(i), row)
	}
	return d
}

// Clusters and heights are those that SciPy finds, of points and of angles.
func TestWardIsSciPys(t *testing.T) {
	text, err := os.ReadFile("testdata/ward.json")
	var cases []struct {
		D      [][]float64
		Merges []struct {
			Members []int
			Height  float64
		}
	}
	if err == nil {
		err = json.Unmarshal(text, &cases)
	}
	if err != nil || len(cases) == 0 {
		t.Fatal(err)
	}
	var w Ward
	for _, c := range cases {
		merges := w.Cluster(matrixOf(c.D))
		if len(merges) != len(c.Merges) {
			t.Fatalf("%d points: %d merges", len(c.D), len(merges))
		}
		heights := map[string]float64{}
		for k, members := range membersOf(merges, len(c.D)) {
			heights[fmt.Sprint(members)] = merges[k].Height
		}
		for _, m := range c.Merges {
			h, ok := heights[fmt.Sprint(m.Members)]
			if !ok || math.Abs(h-m.Height) > 1e-12*max(1, m.Height) {
				t.Errorf("%d points: %v at %v (%t), want %v", len(c.D), m.Members, h, ok, m.Height)
			}
		}
	}
}

// By definition: the height of the union of two clusters is √(2·what it adds to the sum of squares
// within clusters), and of all pairs that could be joined no other adds less than the one that is.
func TestWardAddsLeast(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for n := 2; n <= 9; n++ {
		points := make([]tensor.Vector, n)
		d := tensor.NewMatrix(n, n)
		for i := range points {
			points[i] = tensor.Vector{rng.NormFloat64(), rng.NormFloat64()}
			for j := range i {
				d.Row(i)[j] = points[i].Distance(points[j])
				d.Row(j)[i] = d.Row(i)[j]
			}
		}
		within := func(cluster []int) (sum float64) {
			mean := make(tensor.Vector, 2)
			for _, i := range cluster {
				mean.AddScaled(1/float64(len(cluster)), points[i])
			}
			for _, i := range cluster {
				sum += math.Pow(points[i].Distance(mean), 2)
			}
			return sum
		}
		var w Ward
		merges := slices.Clone(w.Cluster(d))
		members := membersOf(merges, n)
		order := tensor.ArgSort(nil, heightsOf(merges))
		left := map[string][]int{}
		for i := range n {
			left[fmt.Sprint([]int{i})] = []int{i}
		}
		for _, k := range order {
			least := math.Inf(1)
			for _, a := range left {
				for _, b := range left {
					if a[0] < b[0] {
						least = min(least, within(append(slices.Clone(a), b...))-within(a)-within(b))
					}
				}
			}
			if h := merges[k].Height; math.Abs(h*h/2-least) > 1e-12 {
				t.Errorf("%d points: a merge at %v adds %v, another one %v", n, h, h*h/2, least)
			}
			for key, c := range left {
				if slices.Contains(members[k], c[0]) {
					delete(left, key)
				}
			}
			left[fmt.Sprint(members[k])] = members[k]
		}
	}
}

func heightsOf(merges []Merge) (h tensor.Vector) {
	for _, m := range merges {
		h = append(h, m.Height)
	}
	return h
}

// Points that are all the same, distances that are not finite, one point and none: there are n − 1
// merges, each of two clusters that are there, and nothing is allocated again.
func TestWardOfOddDistances(t *testing.T) {
	var w Ward
	for _, x := range []float64{0, 1, math.Inf(1), math.NaN()} {
		for n := range 7 {
			d := tensor.NewMatrix(n, n)
			tensor.Vector(d.Data).Fill(x)
			merges := w.Cluster(d)
			if len(merges) != max(0, n-1) {
				t.Fatalf("%d points at %v: %d merges", n, x, len(merges))
			}
			joined := map[int]bool{}
			for k, m := range merges {
				if m.A >= m.B || m.B >= n+k || joined[m.A] || joined[m.B] {
					t.Errorf("%d points at %v: %v", n, x, merges)
				}
				joined[m.A], joined[m.B] = true, true
			}
			if a := testing.AllocsPerRun(5, func() { w.Cluster(d) }); a != 0 {
				t.Errorf("%v allocations", a)
			}
		}
	}
}
