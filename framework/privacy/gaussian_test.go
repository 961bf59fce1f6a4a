package privacy

import (
	"math"
	"testing"
)

// The two terms of δ(ε) agree with the integral of the positive part of dP − e^ε dQ, and ε and δ
// are inverse to each other, over fifteen orders of magnitude.
func TestGaussianClosedForm(t *testing.T) {
	for _, mu := range []float64{0.01, 0.3, 1, 5, 40} {
		var g Gaussian
		if err := g.Add(1/mu, 1); err != nil {
			t.Fatal(err)
		}
		for _, delta := range []float64{1e-15, 1e-9, 1e-5, 1e-3} {
			epsilon := g.Epsilon(delta)
			if math.Abs(g.Delta(epsilon)/delta-1) > 1e-9 && epsilon > 0 {
				t.Errorf("μ = %v, δ = %v: δ(ε(δ)) is %v", mu, delta, g.Delta(epsilon))
			}
			if g.Delta(epsilon) > delta {
				t.Errorf("μ = %v: ε(%v) = %v does not suffice", mu, delta, epsilon)
			}
		}
		// ∫ φ(u − μ) (1 − e^(ε − μu + μ²/2))₊ du: the integrand is smooth beyond its kink.
		for _, epsilon := range []float64{0, 0.5, 2} {
			kink := epsilon/mu + mu/2
			sum, step := 0.0, 1e-4
			for k := 0; k < 400_000 && kink+float64(k)*step < mu+12; k++ {
				u := kink + (float64(k)+0.5)*step
				sum += step * math.Exp(-(u-mu)*(u-mu)/2) / math.Sqrt(2*math.Pi) *
					-math.Expm1(epsilon-mu*u+mu*mu/2)
			}
			if got := g.Delta(epsilon); math.Abs(got-sum) > 1e-8 {
				t.Errorf("μ = %v, ε = %v: %v, integrated %v", mu, epsilon, got, sum)
			}
		}
	}
}

// Many releases are one with μ = √Σ μₜ²; less noise and more releases cost more.
func TestGaussianComposition(t *testing.T) {
	var many, one Gaussian
	for _, err := range []error{many.Add(3, 4), many.Add(5, 9), many.Add(2, 0), many.Add(7, 1),
		one.Add(1/math.Sqrt(4./9+9./25+1./49), 1)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if math.Abs(many.Mu()-one.Mu()) > 1e-15 {
		t.Errorf("μ is %v and %v", many.Mu(), one.Mu())
	}
	last := 0.0
	for _, sigma := range []float64{100, 10, 3, 1, 0.5, 0.1} {
		var g Gaussian
		if err := g.Add(sigma, 3); err != nil {
			t.Fatal(err)
		}
		epsilon := g.Epsilon(1e-6)
		if epsilon <= last {
			t.Errorf("σ = %v: ε = %v, not more than %v", sigma, epsilon, last)
		}
		last = epsilon
	}
	var none, bare Gaussian
	if none.Epsilon(1e-9) != 0 || none.Delta(0) != 0 {
		t.Error("nothing was released, and it costs something")
	}
	if err := bare.Add(0, 1); err != nil || !math.IsInf(bare.Epsilon(0.1), 1) || bare.Delta(9) != 1 {
		t.Errorf("a release without noise: ε = %v, δ = %v (%v)", bare.Epsilon(0.1), bare.Delta(9), err)
	}
}

// The noise that is asked for suffices, and a little less does not.
func TestGaussianSigma(t *testing.T) {
	for _, epsilon := range []float64{0, 0.1, 1, 8} {
		for _, count := range []int{1, 100} {
			sigma, err := GaussianSigma(epsilon, 1e-5, count)
			if err != nil {
				t.Fatal(err)
			}
			var enough, less Gaussian
			if enough.Add(sigma*(1+1e-12), count) != nil || less.Add(sigma*0.999, count) != nil {
				t.Fatal("noise was refused")
			}
			if enough.Delta(epsilon) > 1e-5*(1+1e-9) || less.Delta(epsilon) <= 1e-5 {
				t.Errorf("ε = %v, %d releases: δ is %v, and %v with less", epsilon, count,
					enough.Delta(epsilon), less.Delta(epsilon))
			}
		}
	}
	for _, c := range [][2]float64{{-1, 0.1}, {math.NaN(), 0.1}, {1, 0}, {1, 1}, {1, math.NaN()}} {
		if _, err := GaussianSigma(c[0], c[1], 1); err == nil {
			t.Errorf("ε = %v, δ = %v was accepted", c[0], c[1])
		}
	}
	if _, err := GaussianSigma(1, 0.1, 0); err == nil {
		t.Error("no release was accepted")
	}
}

// The asymptotic series joins the error function.
func TestLogNormal(t *testing.T) {
	for _, x := range []float64{-29.9, -30, -30.000001, -35, -36} {
		if want := math.Log(normal(x)); math.Abs(logNormal(x)/want-1) > 1e-14 {
			t.Errorf("log Φ(%v) = %v, want %v", x, logNormal(x), want)
		}
	}
	if got := logNormal(-1e6); math.Abs(got+5e11+math.Log(1e6*math.Sqrt(2*math.Pi))) > 1e-3 {
		t.Errorf("log Φ(−1e6) = %v", got)
	}
}
