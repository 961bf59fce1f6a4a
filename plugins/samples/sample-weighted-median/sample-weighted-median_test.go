package sampleweightedmedian

import (
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/plugins/trial"
)

// On a line the geometric median is the weighted median.
func TestCollinear(t *testing.T) {
	a := trial.Build(t, GeometricMedian, nil)
	for seed := range uint64(50) {
		rng := trial.Random(seed)
		n := 1 + rng.IntN(12)
		from, along := trial.Point(rng, make(fl.Vector, 4), 1), trial.Point(rng, make(fl.Vector, 4), 1)
		at, models := make([]float64, n), make([]fl.Vector, n)
		for k := range models {
			at[k] = 10 * rng.NormFloat64()
			models[k] = from.Clone()
			models[k].AddScaled(at[k], along)
		}
		r := trial.Round(make(fl.Vector, 4), models...)
		for k := range r.Updates { // an odd sum: the median is unique
			r.Updates[k].Samples = 2*rng.IntN(20) + 1
		}
		r.Updates[0].Samples += 1 - n%2
		trial.Near(t, "of points on a line", trial.Next(t, a, r), models[weightedMedian(r, at)])
	}
}

// weightedMedian returns the client at which half of the samples lie on either side.
func weightedMedian(r *fl.Round, at []float64) int {
	order, total := make([]int, len(at)), 0
	for k := range order {
		order[k] = k
		total += r.Updates[k].Samples
	}
	slices.SortFunc(order, func(i, j int) int { return int(math.Copysign(1, at[i]-at[j])) })
	sum := 0
	for _, k := range order {
		if sum += r.Updates[k].Samples; 2*sum > total {
			return k
		}
	}
	return -1
}

// The pulls of the models on it cancel, by which g has its minimum there.
func TestPullsCancel(t *testing.T) {
	a := trial.Build(t, GeometricMedian, nil)
	for seed := range uint64(30) {
		rng := trial.Random(seed)
		r := trial.Cohort(rng, 5+rng.IntN(20), 8)
		z := trial.Next(t, a, r)
		pull, total := make(fl.Vector, len(z)), 0.0
		for _, u := range r.Updates {
			direction := u.Params.Clone()
			direction.Sub(z)
			pull.AddScaled(float64(u.Samples)/direction.Norm(), direction)
			total += float64(u.Samples)
		}
		if pull.Norm() > 1e-8*total {
			t.Errorf("of %d: the pulls sum to %v", len(r.Updates), pull.Norm()/total)
		}
		if notes := r.Notes.List(); len(notes) > 0 {
			t.Errorf("notes: %q", notes)
		}
	}
}

// Faulty clients with a share ρ < ½ of the samples move it no further than 2(1−ρ)/(1−2ρ) times
// the largest distance of an honest one (Lopuhaä, Rousseeuw, Annals of Statistics 19, 1991).
func TestBreakdown(t *testing.T) {
	a := trial.Build(t, GeometricMedian, nil)
	for seed := range uint64(30) {
		rng := trial.Random(seed)
		n := 5 + rng.IntN(10)
		r := trial.Cohort(rng, n, 8)
		bad, total, largest := 0, n*(n+1)/2, 0.0
		for k, u := range r.Updates { // client k has k + 1 samples
			if 2*(bad+k+1) < total {
				bad += k + 1
				u.Params.AddConst(1e6 * rng.NormFloat64())
			} else {
				largest = math.Max(largest, u.Params.Distance(r.Global))
			}
		}
		share := float64(bad) / float64(total)
		bound := 2 * (1 - share) / (1 - 2*share) * largest
		if d := trial.Next(t, a, r).Distance(r.Global); d > bound {
			t.Errorf("%v of the samples are faulty: it is %v away, at most %v", share, d, bound)
		}
	}
}
