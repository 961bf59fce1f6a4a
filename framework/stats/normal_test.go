package stats_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hansa-fl/hansa/framework/stats"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// The rule has the moments of the normal distribution, and E cos(tZ) = exp(−t²/2).
func TestNormalRule(t *testing.T) {
	for _, step := range []float64{0.5, 0.3, 0.01} {
		z, weight := stats.NormalRule(step)
		for name, c := range map[string]struct {
			f    func(x float64) float64
			want float64
		}{
			"1":       {func(float64) float64 { return 1 }, 1},
			"x":       {func(x float64) float64 { return x }, 0},
			"x²":      {func(x float64) float64 { return x * x }, 1},
			"x⁴":      {func(x float64) float64 { return x * x * x * x }, 3},
			"cos(2x)": {func(x float64) float64 { return math.Cos(2 * x) }, math.Exp(-2)},
		} {
			sum := 0.0
			for k, x := range z {
				sum += weight[k] * c.f(x)
			}
			if math.Abs(sum-c.want) > 1e-13 {
				t.Errorf("step %v: E %s is %v, want %v", step, name, sum, c.want)
			}
		}
	}
}

// Means agree with adaptive quadrature on short pieces to 1e-12, whatever the scale; what is
// known of them in closed form holds.
func TestLogisticNormal(t *testing.T) {
	piece := make([]float64, 20)
	weight := make([]float64, 20)
	quad.Legendre{}.FixedLocations(piece, weight, 0, 1)
	worst := 0.0
	for _, scale := range []float64{0, 0.01, 0.3, 0.8, 1, -1, 1.5, 2, 5, 20, 100} {
		rule := stats.NewLogisticNormal(scale)
		for _, a := range []float64{-40, -8, -2, -0.3, 0, 0.7, 3, 30} {
			width := 0.2 / max(1, math.Abs(scale)) // of a piece: far from the poles
			want := 0.0
			for lo := -10.0; lo < 10; lo += width {
				for k, x := range piece {
					z := lo + width*x
					want += width * weight[k] * distuv.UnitNormal.Prob(z) / (1 + math.Exp(-a-scale*z))
				}
			}
			worst = max(worst, math.Abs(rule.Mean(a)-want))
			if other := rule.Mean(-a); math.Abs(rule.Mean(a)+other-1) > 1e-14 {
				t.Errorf("scale %v: the means at ±%v sum to 1 + %g", scale, a, rule.Mean(a)+other-1)
			}
		}
	}
	t.Logf("largest error %.1e", worst)
	if !(worst < 1e-12) {
		t.Errorf("an error of %g", worst)
	}
	constant := stats.NewLogisticNormal(0)
	if got := constant.Mean(-0.7); math.Abs(got-1/(1+math.Exp(0.7))) > 1e-15 {
		t.Errorf("without variation: %v", got)
	}
}

// One and two clients have laws in closed form: the rate; and at rates of a half, by Sheppard's
// theorem, 1/4 + asin(ρ)/2π that both participate.
func TestFactorLaw(t *testing.T) {
	for _, rho := range []float64{0, 0.1, 0.5, 0.9, 0.99} {
		f := stats.Factor{Rho: rho}
		for _, rate := range []float64{1e-6, 0.3, 0.5, 1} {
			_, q, empty := f.Law(tensor.Vector{rate})
			if len(q) != 1 || q[0] != 1 || math.Abs(empty-(1-rate)) > 1e-12 {
				t.Errorf("ρ = %v: one client of rate %v: q %v, empty %v", rho, rate, q, empty)
			}
		}
		_, q, empty := f.Law(tensor.Vector{0.5, 0.5})
		both := 0.25 + math.Asin(rho)/(2*math.Pi)
		if math.Abs(q[2]*(1-empty)-both) > 1e-12 || math.Abs(empty-both) > 1e-12 {
			t.Errorf("ρ = %v: both participate with probability %v, want %v", rho, q[2]*(1-empty), both)
		}
	}
}

// Whatever the correlation, every client keeps its rate; without one clients are independent.
func TestFactorKeepsRates(t *testing.T) {
	rate := tensor.Vector{0.05, 0.2, 0.5, 0.5, 0.7, 0.9, 0.99, 0.01, 0.3, 0.4, 0.6, 0.8}
	for _, rho := range []float64{0, 0.3, 0.95, 0.999} {
		sets, q, empty := stats.Factor{Rho: rho}.Law(rate)
		if math.Abs(q.Sum()-1) > 1e-12 {
			t.Errorf("ρ = %v: Σq = %v", rho, q.Sum())
		}
		pi := stats.Inclusion(sets, q, len(rate))
		for i, b := range rate {
			if got := pi[i] * (1 - empty); math.Abs(got-b) > 1e-12 {
				t.Errorf("ρ = %v: client %d participates with probability %v, want %v", rho, i, got, b)
			}
		}
		if rho > 0 {
			continue
		}
		_, coins, none := stats.BernoulliLaw(rate)
		if coins.Distance(q) > 1e-13 || math.Abs(none-empty) > 1e-13 {
			t.Errorf("without correlation it is %g off", coins.Distance(q))
		}
	}
}
