package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/stats"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// The projection is on the simplex, and v less it is normal to the simplex there: the inner product
// with any vertex less the projection is not positive.
func TestProjectSimplex(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n := 1 + rng.IntN(12)
		v := make(tensor.Vector, n)
		for i := range v {
			v[i] = math.Round(6*rng.NormFloat64()) / 3 // some are equal
		}
		p := v.Clone()
		stats.ProjectSimplex(p, upTo(n))
		if math.Abs(p.Sum()-1) > 1e-14 {
			t.Fatalf("%v: sums to %v", v, p.Sum())
		}
		away := v.Clone()
		away.Sub(p)
		for i := range p {
			if p[i] < 0 || away[i]-away.Dot(p) > 1e-13 {
				t.Fatalf("%v is projected to %v", v, p)
			}
		}
	}
}

func TestProjectSimplexKeepsItsPoints(t *testing.T) {
	for _, v := range []tensor.Vector{{1}, {0, 1}, {0.25, 0.5, 0.25}, {0.5, 0.5, 0, 0}} {
		p := v.Clone()
		stats.ProjectSimplex(p, upTo(len(v)))
		if p.Distance(v) != 0 {
			t.Errorf("%v is moved to %v", v, p)
		}
	}
}

// Other places stay.
func TestProjectSimplexOfSome(t *testing.T) {
	v := tensor.Vector{7, 3, -5, 2}
	stats.ProjectSimplex(v, []int{1, 3})
	if v.Distance(tensor.Vector{7, 1, -5, 0}) != 0 {
		t.Errorf("%v", v)
	}
}

// upTo returns the numbers 0 to n−1.
func upTo(n int) []int {
	all := make([]int, n)
	for k := range all {
		all[k] = k
	}
	return all
}
