package aggregator

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// leaning is a population of 150 clients that enrol with probability 1/(1 + exp(−κx₁)).
func leaning(kappa float64) *fl.Roster {
	rng := rand.New(rand.NewPCG(8, 8))
	return crowd(150, func(_ int, x fl.Vector) bool {
		return rng.Float64() < 1/(1+math.Exp(-kappa*x[0]))
	})
}

// errorOfMoments returns the squared distance between the moments that a calibration meets and the
// true ones, for a draw of the noise.
func errorOfMoments(t *testing.T, pop *fl.Roster, draw uint64, given ...any) float64 {
	t.Helper()
	r, met := first(pop), make(fl.Vector, len(pop.Moments))
	r.RNG = rand.New(rand.NewPCG(7, draw))
	if _, err := build(t, Calibrated, normalised("ht", given...)).Aggregate(r); err != nil {
		t.Fatal(err)
	}
	pop.Covariates.AddMulTVec(met, r.State.Vector("calibration", pop.N+1)[:pop.N])
	return math.Pow(met.Distance(pop.Moments), 2)
}

// Over draws of the noise the mean squared error of the moments with noise_aware is never
// significantly above that without, for shifts of 0 to 1.2 standard deviations. Where the noise is
// at least a standard deviation it is at most 60 % of it, and without noise it is the same.
func TestKnowingTheNoiseOfMomentsIsNeverWorse(t *testing.T) {
	for _, kappa := range []float64{0, 0.5, 1, 2, 4} {
		pop := leaning(kappa)
		for _, distance := range []string{"quadratic", "entropy"} {
			for _, sigma := range []float64{0, 0.01, 0.05, 0.2, 0.5, 1, 4} {
				const draws = 80
				var plain, aware, square float64
				for draw := range uint64(draws) {
					given := []any{"distance", distance, "moment_noise", sigma}
					without := errorOfMoments(t, pop, draw, given...)
					with := errorOfMoments(t, pop, draw, append(given, "noise_aware", true)...)
					plain, aware = plain+without/draws, aware+with/draws
					square += (with - without) * (with - without) / draws
				}
				worse := aware - plain
				se := math.Sqrt(max(0, square-worse*worse) / (draws - 1))
				t.Logf("κ = %v, %s, σ = %v: %.3g with, %.3g without", kappa, distance, sigma, aware, plain)
				if worse > 2*se || sigma >= 1 && aware > 0.6*plain || sigma == 0 && worse != 0 {
					t.Errorf("κ = %v, %s, σ = %v: %.4g with, %.4g without", kappa, distance, sigma, aware, plain)
				}
			}
		}
	}
}

// With vanishing noise the moments are met exactly, with boundless noise weights stay p over the
// enrolled; in between the error of a calibration in squares is what theory says where no weight
// would be negative: b²s² + (1 − b)²δ² by direction, with b = τ²/(τ² + s²).
//
//hansa:verifies theorem aggregator/calibrated
func TestLimitsOfKnowingTheNoise(t *testing.T) {
	pop := leaning(1)
	for _, distance := range []string{"quadratic", "entropy"} {
		knows := []any{"distance", distance, "noise_aware", true, "moment_noise"}
		if e := errorOfMoments(t, pop, 1, append(knows, 1e-9)...); e > 1e-16 {
			t.Errorf("%s: without noise to speak of the squared error is %v", distance, e)
		}
		r := first(pop)
		if _, err := build(t, Calibrated, normalised("ht", append(knows, 1e6)...)).Aggregate(r); err != nil {
			t.Fatal(err)
		}
		w, n := r.State.Vector("calibration", pop.N+1), float64(pop.Enrolment())
		for i, in := range pop.Enrolled {
			if in && math.Abs(w[i]*n-1) > 1e-3 {
				t.Errorf("%s: with boundless noise w%d is %v of what it was", distance, i, w[i]*n)
			}
		}
	}
	for _, tau := range []float64{0.5, 1} {
		const sigma, draws = 0.3, 400
		total := 0.0
		for draw := range uint64(draws) {
			total += errorOfMoments(t, pop, draw, "moment_noise", sigma, "noise_aware", true, "shift", tau)
		}
		if want := expectedError(pop, sigma, tau); math.Abs(total/draws/want-1) > 0.12 {
			t.Errorf("τ = %v: squared error %.4g, theory says %.4g", tau, total/draws, want)
		}
	}
}

// expectedError is the mean squared error by theory of two covariates that do not correlate.
func expectedError(pop *fl.Roster, sigma, tau float64) (sum float64) {
	mean, square, n := make(fl.Vector, 2), make(fl.Vector, 2), float64(pop.Enrolment())
	for i, in := range pop.Enrolled {
		for j, x := range pop.Covariates.Row(i) {
			if in {
				mean[j] += x / n
				square[j] += x * x / n
			}
		}
	}
	for j, h := range pop.Moments {
		v := square[j] - mean[j]*mean[j]
		b, shift := tau*tau/(tau*tau+sigma*sigma), mean[j]-h
		sum += v*b*b*sigma*sigma + (1-b)*(1-b)*shift*shift
	}
	return sum
}
