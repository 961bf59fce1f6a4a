package privacy

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A discrete Gaussian has its law: Pearson's statistic of a hundred thousand draws against
// exp(−x²/2σ²), for variances below and above 1, whole and not.
func TestDiscreteGaussianLaw(t *testing.T) {
	for _, c := range []struct{ over, under uint64 }{
		{1, 4}, {1, 1}, {7, 3}, {9, 1}, {100, 1}, {12345, 100},
	} {
		d, err := NewDiscreteGaussian(c.over, c.under)
		if err != nil {
			t.Fatal(err)
		}
		s := float64(c.over) / float64(c.under)
		law := func(x int64) float64 { return math.Exp(-float64(x) * float64(x) / (2 * s)) }
		checkLaw(t, c, law, func(rng *rand.Rand) int64 { return d.Draw(rng) }, d.Variance())
	}
}

// A Skellam variable has its law, Σₙ P(X = n + x) P(Y = n), and its variance, for means that are
// drawn in one piece and in several.
func TestSkellamLaw(t *testing.T) {
	for _, lambda := range []float64{0.5, 4, 60, 2500} {
		poisson := func(n float64) float64 {
			g, _ := math.Lgamma(n + 1)
			return math.Exp(n*math.Log(lambda/2) - lambda/2 - g)
		}
		law := func(x int64) float64 {
			sum := 0.0
			for n := 0.0; n < lambda/2+12*math.Sqrt(lambda)+30; n++ {
				sum += poisson(n) * poisson(n+math.Abs(float64(x)))
			}
			return sum
		}
		checkLaw(t, lambda, law, func(rng *rand.Rand) int64 {
			x, err := Skellam(lambda, rng)
			if err != nil {
				t.Fatal(err)
			}
			return x
		}, lambda)
	}
}

// checkLaw compares draws with a law that need not sum to 1, and their variance with what it is
// said to be.
func checkLaw(t *testing.T, what any, law func(int64) float64, draw func(*rand.Rand) int64,
	variance float64,
) {
	t.Helper()
	const draws = 60_000
	rng := rand.New(rand.NewPCG(23, 7))
	count, squares, fourth := map[int64]float64{}, 0.0, 0.0
	for range draws {
		x := draw(rng)
		count[x]++
		squares += float64(x) * float64(x) / draws
	}
	reach, total := int64(12*math.Sqrt(variance))+12, 0.0
	p := map[int64]float64{}
	for x := -reach; x <= reach; x++ {
		p[x] = law(x)
		total += p[x]
	}
	exact := 0.0
	for x := -reach; x <= reach; x++ {
		p[x] /= total
		exact += p[x] * float64(x) * float64(x)
		fourth += p[x] * math.Pow(float64(x), 4)
	}
	if math.Abs(exact/variance-1) > 1e-9 {
		t.Errorf("%v: a variance of %v, want %v", what, variance, exact)
	}
	if z := (squares - exact) / math.Sqrt((fourth-exact*exact)/draws); math.Abs(z) > 4.5 {
		t.Errorf("%v: the draws have a variance of %v, want %v", what, squares, exact)
	}
	statistic, cells, rest, seen := 0.0, 0.0, 1.0, 0.0
	for x := -reach; x <= reach; x++ {
		if want := p[x] * draws; want > 20 {
			statistic += (count[x] - want) * (count[x] - want) / want
			cells++
			rest -= p[x]
			seen += count[x]
		}
	}
	if want := rest * draws; want > 5 {
		other := draws - seen
		statistic += (other - want) * (other - want) / want
		cells++
	}
	if z := (statistic - (cells - 1)) / math.Sqrt(2*max(cells-1, 1)); z > 5 {
		t.Errorf("%v: a statistic of %v in %v cells", what, statistic, cells)
	}
}

// Bernoulli(exp(−a/b)) has its probability.
func TestBernoulliExp(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct{ times, a, b uint64 }{
		{0, 0, 1}, {0, 1, 3}, {0, 9, 10}, {1, 1, 4}, {3, 0, 1},
	} {
		const draws = 40_000
		hits, want := 0.0, math.Exp(-float64(c.times)-float64(c.a)/float64(c.b))
		for range draws {
			if bernoulliExp(c.times, c.a, c.b, rng) {
				hits++
			}
		}
		if math.Abs(hits/draws-want) > 4.5*math.Sqrt(want*(1-want)/draws) {
			t.Errorf("%+v: %v, want %v", c, hits/draws, want)
		}
	}
}

// The largest variances that are accepted are drawn, and larger ones are refused.
func TestDiscreteGaussianRange(t *testing.T) {
	large, err := NewDiscreteGaussian(38_000*38_000, 1)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	squares := 0.0
	const draws = 4000
	for range draws {
		x := float64(large.Draw(rng))
		squares += x * x / draws
	}
	if z := (squares/38_000/38_000 - 1) / math.Sqrt(2.0/draws); math.Abs(z) > 4.5 {
		t.Errorf("σ = 38000: a variance of %v", squares)
	}
	for _, bad := range [][2]uint64{{0, 1}, {1, 0}, {1 << 32, 1}, {math.MaxUint64, 1},
		{1 << 40, 1 << 20}, {math.MaxUint64, math.MaxUint64}} {
		if _, err := NewDiscreteGaussian(bad[0], bad[1]); err == nil {
			t.Errorf("%v was accepted", bad)
		}
	}
	for _, bad := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := Skellam(bad, rng); err == nil {
			t.Errorf("a Skellam variance of %v was accepted", bad)
		}
	}
}

// The Rényi divergences of shifted discrete Gaussians are at most those of Gaussians, and equal
// them for a shift by a whole number (Canonne, Kamath, Steinke, Theorem 4 and Proposition 5).
func TestDiscreteGaussianDivergence(t *testing.T) {
	for _, s := range []float64{0.3, 1, 9} {
		for _, order := range []float64{1.5, 2, 8} {
			sum, total := 0.0, 0.0
			for x := -400.0; x <= 400; x++ {
				p, q := -(x-1)*(x-1)/(2*s), -x*x/(2*s)
				total += math.Exp(q)
				sum += math.Exp(order*p + (1-order)*q)
			}
			got := math.Log(sum/total) / (order - 1)
			if bound := order / (2 * s); got > bound*(1+1e-12) {
				t.Errorf("σ² = %v, order %v: %v, above %v", s, order, got, bound)
			}
		}
	}
}

// The bound of the Skellam mechanism is above the divergence of one integer, tends to the Gaussian
// one, and is not less than it.
func TestSkellamDivergence(t *testing.T) {
	for _, lambda := range []float64{2, 10, 40} {
		law := make([]float64, 401)
		for k := range law {
			x := math.Abs(float64(k - 200))
			for n := 0.0; n < 200; n++ {
				a, _ := math.Lgamma(n + 1)
				b, _ := math.Lgamma(n + x + 1)
				law[k] += math.Exp((2*n+x)*math.Log(lambda/2) - lambda - a - b)
			}
		}
		r, err := NewRDP(2, 2.5, 4, 16)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.AddSkellam(lambda, 1, 1, 1); err != nil {
			t.Fatal(err)
		}
		for k, order := range r.orders {
			sum := 0.0
			for x := 1; x < len(law); x++ {
				if law[x] > 0 && law[x-1] > 0 {
					sum += math.Exp(order*math.Log(law[x-1]) + (1-order)*math.Log(law[x]))
				}
			}
			exact, gauss := math.Log(sum)/(order-1), order/(2*lambda)
			if d := r.divergence[k]; d < exact || d < gauss || d > gauss+1.5/lambda {
				t.Errorf("λ = %v, order %v: %v, exactly %v, Gaussian %v", lambda, order, d, exact, gauss)
			}
		}
	}
	r, err := NewRDP()
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][3]float64{{-1, 1, 1}, {1, 1, 2}, {1, -1, -1}, {1, math.NaN(), 1}} {
		if err := r.AddSkellam(bad[0], bad[1], bad[2], 1); err == nil {
			t.Errorf("%v was accepted", bad)
		}
	}
	if err := r.AddSkellam(0, 1, 1, 1); err != nil || !math.IsInf(r.divergence[0], 1) {
		t.Errorf("without noise: %v (%v)", r.divergence[0], err)
	}
}

func BenchmarkDiscreteGaussian(b *testing.B) {
	d, err := NewDiscreteGaussian(10_000, 1)
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for b.Loop() {
		d.Draw(rng)
	}
}
