package privacy

import (
	"math"
	"strings"
	"testing"
)

// epsilonPLD returns the interval of ε.
func epsilonPLD(t *testing.T, delta float64, count int, mechanisms ...Mechanism) Interval {
	t.Helper()
	i, err := compose(t, count, mechanisms...).Epsilon(delta)
	if err != nil {
		t.Fatal(err)
	}
	if !(i.Low <= i.High) {
		t.Errorf("%v × %v: the bounds are [%v, %v]", count, mechanisms, i.Low, i.High)
	}
	return i
}

// Without sampling the bounds contain the closed form, for one release and for thousands, and RDP
// is above it.
func TestBoundsContainTheGaussian(t *testing.T) {
	for _, c := range []struct {
		sigma float64
		count int
	}{{1, 1}, {0.3, 1}, {10, 1}, {30, 2500}, {100, 10000}, {0.1, 3}, {5, 100}} {
		var exact Gaussian
		if err := exact.Add(c.sigma, c.count); err != nil {
			t.Fatal(err)
		}
		f := compose(t, c.count, everyone(c.sigma))
		for _, delta := range []float64{1e-8, 1e-5, 1e-2, 0.5, 1 - 1e-9} {
			want := exact.Epsilon(delta)
			got, err := f.Epsilon(delta)
			if err != nil {
				t.Fatal(err)
			}
			if !(got.Low <= want && want <= got.High) || got.High-got.Low > 3e-4*max(1, want) {
				t.Errorf("%+v, δ = %v: [%v, %v], want %v", c, delta, got.Low, got.High, want)
			}
			if rdp := epsilonRDP(t, nil, delta, everyone(c.sigma), c.count); rdp.Epsilon < want {
				t.Errorf("%+v, δ = %v: RDP gives %v, less than %v", c, delta, rdp.Epsilon, want)
			}
		}
		for _, epsilon := range []float64{0, 0.1, 1, 10, 70, 75, 80} {
			want := exact.Delta(epsilon)
			got, err := f.Delta(epsilon)
			if err != nil || !(got.Low <= want && want <= got.High) {
				t.Errorf("%+v, ε = %v: [%v, %v], want %v (%v)", c, epsilon, got.Low, got.High, want, err)
			}
		}
	}
}

// ε falls with the noise, and rises with the number of releases and with the rate.
func TestEpsilonIsMonotone(t *testing.T) {
	laws := map[string]func(sigma, rate float64) Mechanism{
		"Poisson": sampled,
		"replacing": func(sigma, rate float64) Mechanism {
			return Mechanism{Sigma: sigma, Sampling: Replacing, Rate: rate}
		},
	}
	for name, law := range laws {
		for what, of := range map[string]func(x float64) (Mechanism, int){
			"less noise":    func(x float64) (Mechanism, int) { return law(3/x, 0.05), 50 },
			"more releases": func(x float64) (Mechanism, int) { return law(1.5, 0.05), int(20 * x * x) },
			"a higher rate": func(x float64) (Mechanism, int) { return law(2, 0.02*x), 50 },
		} {
			last, lastRDP := Interval{}, 0.0
			for _, x := range []float64{1, 1.5, 2, 3, 4} {
				m, count := of(x)
				got := epsilonPLD(t, 1e-5, count, m)
				rdp := epsilonRDP(t, nil, 1e-5, m, count)
				if got.High <= last.High || got.Low < last.Low || rdp.Epsilon <= lastRDP {
					t.Errorf("%s, %s: %v, RDP %v, after %v, %v", name, what, got, rdp.Epsilon, last, lastRDP)
				}
				if rdp.Epsilon < got.High {
					t.Errorf("%s, %s: RDP gives %v, less than %v", name, what, rdp.Epsilon, got.High)
				}
				last, lastRDP = got, rdp.Epsilon
			}
		}
	}
}

// A rate that goes to 1 is no sampling, for every law; a rate of 0 costs nothing.
func TestRateLimits(t *testing.T) {
	want := epsilonPLD(t, 1e-5, 10, everyone(2))
	wantRDP := epsilonRDP(t, nil, 1e-5, everyone(2), 10)
	for _, s := range []Sampling{Independently, Replacing} {
		if got := epsilonPLD(t, 1e-5, 10, Mechanism{2, s, 1}); got != want {
			t.Errorf("law %d at a rate of 1: %v, want %v", s, got, want)
		}
		near := epsilonPLD(t, 1e-5, 10, Mechanism{2, s, 1 - 1e-9})
		if math.Abs(near.High-want.High) > 1e-4 {
			t.Errorf("law %d near a rate of 1: %v, want %v", s, near, want)
		}
		if got := epsilonPLD(t, 1e-5, 10, Mechanism{2, s, 0}); got != (Interval{}) {
			t.Errorf("law %d at a rate of 0: %v", s, got)
		}
		rdp := epsilonRDP(t, nil, 1e-5, Mechanism{2, s, 0}, 10)
		if rdp.Epsilon != 0 {
			t.Errorf("law %d at a rate of 0: %v", s, rdp)
		}
		// The bound for Replacing is not tight, and is above the release without sampling.
		rdp = epsilonRDP(t, nil, 1e-5, Mechanism{2, s, 1 - 1e-9}, 10)
		if s == Independently && math.Abs(rdp.Epsilon-wantRDP.Epsilon) > 1e-6 {
			t.Errorf("law %d near a rate of 1: %v, want %v", s, rdp, wantRDP)
		}
	}
}

// Rounds that are listed one by one are the same as a count; their order does not matter.
func TestHeterogeneousEqualsHomogeneous(t *testing.T) {
	a, b := sampled(1, 0.02), sampled(2, 0.1)
	var once, listed PLD
	rdp, err := NewRDP()
	if err != nil {
		t.Fatal(err)
	}
	step, err := NewRDP()
	if err != nil {
		t.Fatal(err)
	}
	mustAdd(t, &once, a, 40)
	mustAdd(t, &once, b, 30)
	mustAdd(t, rdp, a, 40)
	for k := range 40 {
		mustAdd(t, &listed, a, 1)
		mustAdd(t, step, a, 1)
		if k < 30 {
			mustAdd(t, &listed, b, 1)
		}
	}
	x, err := once.Compose().Epsilon(1e-6)
	if err != nil {
		t.Fatal(err)
	}
	y, err := listed.Compose().Epsilon(1e-6)
	if err != nil || x != y {
		t.Errorf("%v, and listed %v (%v)", x, y, err)
	}
	for k := range rdp.divergence {
		if math.Abs(rdp.divergence[k]/step.divergence[k]-1) > 1e-13 {
			t.Errorf("order %v: %v, and one by one %v", rdp.orders[k], rdp.divergence[k], step.divergence[k])
		}
	}
	// The same mechanism under two names: a rate of 1 is everyone; and nearly the same mechanism.
	one := epsilonPLD(t, 1e-6, 25, everyone(5))
	two := epsilonPLD(t, 1e-6, 25, everyone(5*math.Sqrt2), sampled(5*math.Sqrt2, 1))
	if math.Abs(one.High-two.High) > 1e-5 || math.Abs(one.Low-two.Low) > 1e-5 {
		t.Errorf("%v, and in two halves %v", one, two)
	}
}

// Sampling without replacement costs more than a pair of populations of it that can be integrated
// in closed form: all clients but one send nothing, and one is replaced by its opposite. Then the
// sums are mixtures of N(0) with N(½) and N(−½), a sensitivity apart.
func TestReplacingIsAboveAnExample(t *testing.T) {
	for _, c := range []struct{ sigma, rate float64 }{{1, 0.1}, {0.5, 0.3}, {2, 0.5}, {1, 0.9}} {
		f := compose(t, 1, Mechanism{c.sigma, Replacing, c.rate})
		if f.LowKnown {
			t.Error("the lower bound is said to be known")
		}
		for _, epsilon := range []float64{0, 0.2, 1} {
			density := func(x, mean float64) float64 {
				return math.Exp(-(x-mean)*(x-mean)/(2*c.sigma*c.sigma)) / c.sigma / math.Sqrt(2*math.Pi)
			}
			want, step := 0.0, 1e-3
			for x := -12.0; x < 12; x += step {
				p := (1-c.rate)*density(x, 0) + c.rate*density(x, 0.5)
				q := (1-c.rate)*density(x, 0) + c.rate*density(x, -0.5)
				want += step * max(0, p-math.Exp(epsilon)*q)
			}
			got, err := f.Delta(epsilon)
			if err != nil || got.High < want {
				t.Errorf("%+v, ε = %v: %v, less than %v (%v)", c, epsilon, got.High, want, err)
			}
		}
		// For one release the bound is q·δ(log(1 + (e^ε − 1)/q)) of the Gaussian mechanism.
		gauss := gaussianDelta(1/c.sigma, math.Log1p(math.Expm1(0.2)/c.rate))
		if got, err := f.Delta(0.2); err != nil || math.Abs(got.High-c.rate*gauss) > 1e-6 {
			t.Errorf("%+v: %v, want %v (%v)", c, got.High, c.rate*gauss, err)
		}
	}
}

// A δ too small for the arithmetic has no finite upper bound; a larger one has.
func TestTinyDelta(t *testing.T) {
	f := compose(t, 1000, sampled(1, 0.01))
	tiny, err := f.Epsilon(f.Allowance / 2)
	if err != nil || !math.IsInf(tiny.High, 1) || math.IsInf(tiny.Low, 1) {
		t.Errorf("δ below the allowance: %v (%v)", tiny, err)
	}
	if f.Allowance > 1e-11 {
		t.Errorf("an allowance of %v", f.Allowance)
	}
}

// What no accountant can answer is refused, in a sentence.
func TestRefusals(t *testing.T) {
	rdp, err := NewRDP()
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range []Accountant{rdp, new(PLD)} {
		for want, m := range map[string]Mechanism{
			"noise":   {Sigma: -1},
			"number":  {Sigma: math.NaN()},
			"at lea":  {Sigma: math.Inf(1)},
			"rate":    {Sigma: 1, Sampling: Independently, Rate: 1.5},
			"between": {Sigma: 1, Sampling: Replacing, Rate: math.NaN()},
			"law":     {Sigma: 1, Sampling: 7},
		} {
			if err := to.Add(m, 1); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%+v: %v", m, err)
			}
		}
		if err := to.Add(everyone(1), -1); err == nil {
			t.Error("a negative count was accepted")
		}
		mustAdd(t, to, sampled(1, 0.1), 1)
		mustAdd(t, to, everyone(1), 1)
		err := to.Add(Mechanism{Sigma: 1, Sampling: Replacing, Rate: 0.1}, 1)
		if err == nil || !strings.Contains(err.Error(), "adjacency") {
			t.Errorf("two kinds of adjacency: %v", err)
		}
	}
	for _, orders := range [][]float64{{1}, {0.5}, {math.NaN()}, {math.Inf(1)}, {3, 2}, {2, 2}} {
		if _, err := NewRDP(orders...); err == nil {
			t.Errorf("orders %v were accepted", orders)
		}
	}
	f := new(PLD).Compose()
	for _, delta := range []float64{0, 1, -1, math.NaN()} {
		if _, err := rdp.Epsilon(delta); err == nil {
			t.Errorf("δ = %v was accepted", delta)
		}
		if _, err := f.Epsilon(delta); err == nil {
			t.Errorf("δ = %v was accepted", delta)
		}
	}
	for _, epsilon := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := rdp.Delta(epsilon); err == nil {
			t.Errorf("ε = %v was accepted", epsilon)
		}
		if _, err := f.Delta(epsilon); err == nil {
			t.Errorf("ε = %v was accepted", epsilon)
		}
	}
}

// Releases without noise give everything away.
func TestNoNoise(t *testing.T) {
	if got := epsilonPLD(t, 1e-5, 1, sampled(0, 0.1)); !math.IsInf(got.Low, 1) {
		t.Errorf("%v", got)
	}
	if got := epsilonRDP(t, nil, 1e-5, sampled(0, 0.1), 1); !math.IsInf(got.Epsilon, 1) || got.AtEnd {
		t.Errorf("%v", got)
	}
	d, err := compose(t, 1, everyone(0)).Delta(3)
	if err != nil || d != (Interval{1, 1}) {
		t.Errorf("%v (%v)", d, err)
	}
}

// Half of the clients, very little noise and tiny rates: the series stops in time, and its sum is
// not less than the integral.
func TestSlowSeries(t *testing.T) {
	for _, c := range []struct{ rate, sigma, order float64 }{
		{0.5, 0.5, 1.01}, {0.5, 0.2, 1.1}, {0.49, 0.3, 1.5}, {1e-7, 0.1, 1.01}, {1e-5, 0.1, 256.1},
		{0.999, 100, 256.1},
	} {
		got := logMoment(c.rate, c.sigma, c.order)
		p := losses{rate: c.rate, sigma: c.sigma}
		want, step := math.Inf(-1), 1e-3
		for u := -12.0; u < c.order/c.sigma+12; u += step {
			want = logAdd(want, -u*u/2+math.Log(step/math.Sqrt(2*math.Pi))+c.order*p.loss(u))
		}
		want = max(0, want)
		if math.IsNaN(got) || got < want-1e-11*max(1, want) || got > want+2e-5+1e-9*want {
			t.Errorf("%+v: log A is %v, integrated %v", c, got, want)
		}
	}
}

// BenchmarkTenThousandRounds is the time of ε for 10,000 rounds, by both accountants.
func BenchmarkTenThousandRounds(b *testing.B) {
	m := sampled(1.1, 256.0/60000)
	b.Run("RDP", func(b *testing.B) {
		for b.Loop() {
			r, err := NewRDP()
			if err != nil {
				b.Fatal(err)
			}
			mustAdd(b, r, m, 10000)
			if _, err := r.Epsilon(1e-5); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("PLD", func(b *testing.B) {
		for b.Loop() {
			if _, err := compose(b, 10000, m).Epsilon(1e-5); err != nil {
				b.Fatal(err)
			}
		}
	})
}
