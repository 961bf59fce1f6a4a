package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// product returns the coefficients of ∏_{i≠skip} (off[i] + on[i]·z) to 200 bits.
func product(off, on []float64, skip int) []*big.Float {
	c := []*big.Float{exactly(1)}
	for i := range on {
		if i == skip {
			continue
		}
		c = append(c, exactly(0))
		for m := len(c) - 1; m >= 0; m-- {
			c[m].Mul(c[m], exactly(off[i]))
			if m > 0 {
				c[m].Add(c[m], exactly(0).Mul(c[m-1], exactly(on[i])))
			}
		}
	}
	return c
}

func exactly(x float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(x) }

// astray returns |got − want| in units of want.
func astray(got float64, want *big.Float) float64 {
	if want.Sign() == 0 {
		return math.Abs(got)
	}
	gap := exactly(got)
	x, _ := gap.Sub(gap, want).Quo(gap, want).Float64()
	return math.Abs(x)
}

// factors returns n factors, some of whose numbers are 0 and the others spread over many
// powers of ten.
func factors(rng *rand.Rand, n int) (off, on []float64) {
	off, on = make([]float64, n), make([]float64, n)
	for i := range on {
		off[i], on[i] = math.Exp(3*rng.NormFloat64()), math.Exp(3*rng.NormFloat64())
		switch rng.IntN(8) {
		case 0:
			off[i] = 0
		case 1:
			on[i] = 0
		}
	}
	return off, on
}

func TestSymmetricAgainstExactProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	for range 200 {
		n, k := rng.IntN(40), 1+rng.IntN(45)
		off, on := factors(rng, n)
		got := random(rng, k)
		Symmetric(got, off, on)
		want := product(off, on, -1)
		for m, x := range got {
			w := exactly(0)
			if m < len(want) {
				w = want[m]
			}
			if e := astray(x, w); e > 1e-14 {
				t.Fatalf("n = %d, degree %d: %v is off by %v", n, m, x, e)
			}
		}
	}
}

func TestSymmetricIsTheSumOverSubsets(t *testing.T) {
	on := []float64{0.5, 2, 0, 3, 7}
	got := make([]float64, 4)
	Symmetric(got, []float64{1, 1, 1, 1, 1}, on)
	want := make([]float64, len(on)+1)
	for set := range 1 << len(on) {
		size, term := 0, 1.0
		for i, x := range on {
			if set>>i&1 == 1 {
				size, term = size+1, term*x
			}
		}
		want[size] += term
	}
	near(t, "Symmetric", got, want[:4])
}

func TestSymmetricWithoutAgainstExactProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 2))
	for range 150 {
		n, k := rng.IntN(30), 1+rng.IntN(12)
		off, on := factors(rng, n)
		w := make([]float64, k)
		for m := range w {
			w[m] = math.Exp(rng.NormFloat64())
		}
		got, scratch := random(rng, n), random(rng, SymmetricScratch(n, k))
		SymmetricWithout(got, off, on, w, scratch)
		for i, x := range got {
			want := exactly(0)
			for m, c := range product(off, on, i) {
				if m < k {
					want.Add(want, exactly(0).Mul(c, exactly(w[m])))
				}
			}
			if e := astray(x, want); e > 1e-14 {
				t.Fatalf("n = %d, k = %d, without %d: %v is off by %v", n, k, i, x, e)
			}
		}
	}
}

func TestTiltKeepsTheLawOfItsDegree(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 3))
	for range 200 {
		n := 1 + rng.IntN(60)
		off, on := factors(rng, n)
		scale := math.Exp(20 * rng.NormFloat64())
		for i := range on {
			on[i] *= scale
		}
		k := rng.IntN(n + 1)
		want := product(off, on, -1)[k]
		a, b := append([]float64(nil), off...), append([]float64(nil), on...)
		lost := Tilt(a, b, k)
		if want.Sign() == 0 {
			if !math.IsInf(lost, -1) {
				t.Fatalf("the size is certain, and yet the factor is e^%v", lost)
			}
			near(t, "what Tilt left alone", append(a, b...), append(off, on...))
			continue
		}
		mean := 0.0
		for i := range a {
			mean += b[i]
			if math.Abs(a[i]+b[i]-1) > 1e-15 {
				t.Fatalf("%v + %v is not 1", a[i], b[i])
			}
		}
		if math.Abs(mean-float64(k)) > 0.0101 {
			t.Fatalf("%v clients come in the mean, want %d", mean, k)
		}
		got := make([]float64, k+1)
		Symmetric(got, a, b)
		mantissa := new(big.Float)
		exponent := want.MantExp(mantissa)
		m, _ := mantissa.Float64()
		log := math.Log(m) + float64(exponent)*math.Ln2
		if math.Abs(math.Log(got[k])+lost-log) > 1e-11 {
			t.Fatalf("log of the coefficient is %v, want %v", math.Log(got[k])+lost, log)
		}
	}
}

// TestTiltRescuesWhatWouldUnderflow takes e₅₀₀ of a thousand numbers near 1e-200.
func TestTiltRescuesWhatWouldUnderflow(t *testing.T) {
	const n, k = 1000, 500
	off, on := make([]float64, n), make([]float64, n)
	for i := range on {
		off[i], on[i] = 1, 1e-200
	}
	lost := Tilt(off, on, k)
	got := make([]float64, k+1)
	Symmetric(got, off, on)
	top, _ := math.Lgamma(n + 1)
	bottom, _ := math.Lgamma(k + 1)
	want := top - 2*bottom + k*math.Log(1e-200)
	if math.Abs(math.Log(got[k])+lost-want) > 1e-13*math.Abs(want) {
		t.Errorf("log e₅₀₀ is %v, want %v", math.Log(got[k])+lost, want)
	}
}

func TestSymmetricAllocatesNothing(t *testing.T) {
	const n, k = 50, 7
	rng := rand.New(rand.NewPCG(11, 4))
	off, on := factors(rng, n)
	for i := range on {
		off[i], on[i] = off[i]+0.1, on[i]+0.1
	}
	w, dst := make([]float64, k), make([]float64, n)
	scratch := make([]float64, SymmetricScratch(n, k))
	if allocations := testing.AllocsPerRun(10, func() {
		Symmetric(w, off, on)
		SymmetricWithout(dst, off, on, w, scratch)
		Tilt(off, on, k)
	}); allocations != 0 {
		t.Errorf("%v allocations per run", allocations)
	}
}

func BenchmarkSymmetricWithout(b *testing.B) {
	for _, c := range []struct {
		name string
		n, k int
	}{{"pairs-of-100", 100, 2}, {"100-of-10000", 10_000, 100}} {
		b.Run(c.name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(11, 5))
			off, on, dst := make([]float64, c.n), make([]float64, c.n), make([]float64, c.n)
			for i := range on {
				on[i] = rng.Float64() * 2 * float64(c.k) / float64(c.n)
				off[i] = 1 - on[i]
			}
			w, scratch := make([]float64, c.k), make([]float64, SymmetricScratch(c.n, c.k))
			w[c.k-1] = 1
			for b.Loop() {
				SymmetricWithout(dst, off, on, w, scratch)
			}
		})
	}
}
