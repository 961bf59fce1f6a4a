package aggregator

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// The set that is averaged has the least largest eigenvalue of all, and the mean of every set of
// n − f updates is within 4f/(n − 2f) of its own largest eigenvalue, squared: whichever of them are
// honest.
//
//hansa:verifies theorem aggregator/smea
func TestSMEAIsTheTightestSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for range 40 {
		f := 1 + rng.IntN(2)
		n := 2*f + 1 + rng.IntN(4)
		var all []fl.Vector
		for k := range n {
			d := normal(rng, 1+n%3)
			if k < f {
				d.Scale(math.Exp(2 * rng.NormFloat64()))
			}
			all = append(all, d)
		}
		got := oneRound(all...).follow(t, built(t, SMEA, map[string]any{"f": int64(f)}))[0]
		least, best := math.Inf(1), fl.Vector(nil)
		for set := range 1 << n {
			if bits.OnesCount(uint(set)) != n-f {
				continue
			}
			var own []fl.Vector
			mean := make(fl.Vector, len(got))
			for k, d := range all {
				if set>>k&1 == 1 {
					own = append(own, d)
					mean.AddScaled(1/float64(n-f), d)
				}
			}
			variance := largestVariance(t, own, mean)
			if variance < least {
				least, best = variance, mean
			}
			square := got.Distance(mean) * got.Distance(mean)
			if limit := 4 * float64(f) / float64(n-2*f) * variance; square > limit+1e-12 {
				t.Errorf("f = %d of %d: %v from a set, at most %v", f, n, square, limit)
			}
		}
		if d := got.Distance(best); d > 1e-9 {
			t.Errorf("f = %d of %d: %v from the tightest set", f, n, d)
		}
	}
}

// Where there are more sets than can be looked through, SMEA says so.
func TestSMEARefusesManySets(t *testing.T) {
	r := &fl.Round{State: fl.NewStore(), Notes: new(fl.Notes), Global: fl.Vector{0}}
	for k := range 40 {
		r.Updates = append(r.Updates, fl.Update{Client: k, Params: fl.Vector{float64(k)}})
	}
	const want = "smea: there are 9.14e+04 sets of 40 − 4 clients, at most 50000 can be looked through"
	_, err := built(t, SMEA, map[string]any{"f": int64(4)}).Aggregate(r)
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %v", err, want)
	}
}

// largestVariance is the largest eigenvalue of a covariance, by power iteration.
func largestVariance(t *testing.T, all []fl.Vector, mean fl.Vector) float64 {
	t.Helper()
	v, next, value := make(fl.Vector, len(mean)), make(fl.Vector, len(mean)), 0.0
	for k := range v {
		v[k] = 1 + float64(k)
	}
	for range 3000 {
		next.Fill(0)
		v.Scale(1 / v.Norm())
		for _, x := range all {
			d := x.Clone()
			d.Sub(mean)
			next.AddScaled(d.Dot(v)/float64(len(all)), d)
		}
		value = next.Norm()
		copy(v, next)
	}
	return value
}
