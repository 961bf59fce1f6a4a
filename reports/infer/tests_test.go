package infer

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// scipy holds what testdata/scipy_cases.py computed.
type scipy struct {
	Paired []struct {
		A, B                      []float64
		Mean, SD, T, P, Low, High float64
	}
	Holm       []struct{ P, Adjusted []float64 }
	Quantiles  []struct{ P, Nu, T float64 }
	Power      []struct{ Delta, Nu, Alpha, Power float64 }
	Detectable []struct {
		N                     int
		SD, Alpha, Difference float64
	}
}

func readSciPy(t *testing.T) *scipy {
	t.Helper()
	text, err := os.ReadFile("testdata/scipy.json")
	if err != nil {
		t.Fatal(err)
	}
	var s scipy
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Paired) < 20 || len(s.Holm) < 6 || len(s.Quantiles) < 40 || len(s.Power) < 100 ||
		len(s.Detectable) < 20 {
		t.Fatal("testdata/scipy.json is not whole")
	}
	return &s
}

// near fails the test unless got is within 1e-9 of want, relative to it.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
		t.Errorf("%s: got %.15g, want %.15g", what, got, want)
	}
}

func samples(values ...[]float64) []*Sample {
	var list []*Sample
	for _, v := range values {
		s := &Sample{Values: v}
		for seed := range v {
			s.Seeds = append(s.Seeds, uint64(seed))
		}
		s.Planned = s.Seeds
		list = append(list, s)
	}
	return list
}

func TestPairedTAgreesWithSciPy(t *testing.T) {
	for _, c := range readSciPy(t).Paired {
		s := samples(c.A, c.B)
		r := ComparePaired(s[0], s[1])
		near(t, "mean", r.Mean, c.Mean)
		near(t, "sd", r.SD, c.SD)
		near(t, "t", r.T, c.T)
		near(t, "p", r.P, c.P)
		near(t, "low", r.Low, c.Low)
		near(t, "high", r.High, c.High)
		if r.Outcome != unadjusted || r.N != len(c.A) {
			t.Errorf("outcome %q with %d differences", r.Outcome, r.N)
		}
	}
}

func TestQuantilesAgreeWithSciPy(t *testing.T) {
	for _, c := range readSciPy(t).Quantiles {
		near(t, "t quantile", tQuantile(c.P, c.Nu), c.T)
	}
}

func TestHolmAgreesWithDefinition(t *testing.T) {
	for _, c := range readSciPy(t).Holm {
		for i, p := range Holm(c.P) {
			near(t, "adjusted p", p, c.Adjusted[i])
		}
	}
	if got := Holm(nil); len(got) != 0 {
		t.Errorf("of no p-values: %v", got)
	}
}

// TestHolmProperties: adjusting never makes a p smaller, keeps their order and
// multiplies the smallest by the size of the family.
func TestHolmProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 200 {
		p := make([]float64, 1+rng.IntN(8))
		for i := range p {
			p[i] = math.Pow(rng.Float64(), 4)
		}
		adjusted := Holm(p)
		near(t, "smallest", slices.Min(adjusted), min(1, float64(len(p))*slices.Min(p)))
		for i := range p {
			if adjusted[i] < p[i] || adjusted[i] > 1 {
				t.Errorf("%v became %v", p[i], adjusted[i])
			}
			for j := range p {
				if p[i] < p[j] && adjusted[i] > adjusted[j] {
					t.Errorf("order of %v and %v was lost", p[i], p[j])
				}
			}
		}
	}
}

func TestPowerAgreesWithSciPy(t *testing.T) {
	for _, c := range readSciPy(t).Power {
		if got := power(c.Delta, c.Nu, c.Alpha); math.Abs(got-c.Power) > 1e-9 {
			t.Errorf("power(%v, %v, %v) = %.12g, want %.12g", c.Delta, c.Nu, c.Alpha, got, c.Power)
		}
	}
	near(t, "power without an effect", power(0, 7, 0.01), 0.01)
	near(t, "power with next to none", power(1e-9, 7, 0.01), 0.01)
	near(t, "power with a huge one", power(300, 4, 0.05), 1)
}

func TestDetectableAgreesWithSciPy(t *testing.T) {
	for _, c := range readSciPy(t).Detectable {
		near(t, "detectable difference", c.SD*detectable(c.N, c.Alpha), c.Difference)
	}
}

// TestPowerBySimulation checks the meaning of the formula, not its digits.
func TestPowerBySimulation(t *testing.T) {
	const trials = 20000
	rng := rand.New(rand.NewPCG(5, 8))
	gap := detectable(5, Alpha)
	found := 0
	d := make([]float64, 5)
	for range trials {
		for i := range d {
			d[i] = gap + rng.NormFloat64()
		}
		if _, p, _, _ := pairedT(d); p < Alpha {
			found++
		}
	}
	share, sd := float64(found)/trials, math.Sqrt(targetPower*(1-targetPower)/trials)
	if math.Abs(share-targetPower) > 4*sd {
		t.Errorf("found a detectable difference in %.3f of trials, want %.3f", share, targetPower)
	}
}

func TestPairUsesCommonSeeds(t *testing.T) {
	a := &Sample{Seeds: []uint64{3, 1, 4, 15, 9}, Values: []float64{30, 10, 40, 150, 90}}
	b := &Sample{Seeds: []uint64{1, 3, 9, 4, 2}, Values: []float64{9, 27, 81, 38, 1e9}}
	r := ComparePaired(a, b)
	if r.N != 4 || r.Mean != (3+1+2+9)/4.0 || r.BaseMean != (27+9+38+81)/4.0 {
		t.Errorf("n = %d, mean difference = %v, baseline = %v", r.N, r.Mean, r.BaseMean)
	}
}

func TestPairOutcomes(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b []float64
		want Outcome
	}{
		{"nothing in common", nil, nil, Untested},
		{"one seed", []float64{1}, []float64{2}, Untested},
		{"two seeds", []float64{1, 2}, []float64{3, 1}, Untested},
		{"three seeds", []float64{1, 2, 3}, []float64{3, 1, 2}, unadjusted},
		{"four seeds", []float64{1, 2, 3, 4}, []float64{3, 1, 2, 9}, unadjusted},
		{"same in every seed", []float64{1, 2, 3, 4}, []float64{1, 2, 3, 4}, Identical},
		{"same up to rounding", []float64{0.30000000000000004, 0.3, 0.3, 0.3}, slices.Repeat([]float64{0.3}, 4), Identical},
		{"both constant", []float64{1, 1, 1, 1}, []float64{2, 2, 2, 2}, Constant},
		{"constant shift", []float64{1.1, 2.1, 3.1, 4.1}, []float64{1, 2, 3, 4}, Constant},
		{"zeros", make([]float64, 5), make([]float64, 5), Identical},
		{"tiny but real", []float64{1e-300, 2e-300, 3e-300, 5e-300}, slices.Repeat([]float64{0}, 4), unadjusted},
	} {
		s := samples(c.a, c.b)
		r := ComparePaired(s[0], s[1])
		if r.Outcome != c.want {
			t.Errorf("%s: %s, want %s", c.name, r.Outcome, c.want)
		}
		if tested := !math.IsNaN(r.P); tested != (c.want == unadjusted) {
			t.Errorf("%s: p = %v", c.name, r.P)
		}
	}
}

// TestPairScales: what a test finds does not depend on the unit, however large or small.
func TestPairScales(t *testing.T) {
	a, b := []float64{1.5, 2, 3.25, 5}, []float64{3, 1, 4, 9}
	s := samples(a, b)
	want := ComparePaired(s[0], s[1])
	for _, power := range []int{-1000, -700, -3, 600, 1018} {
		scale := func(v []float64) (list []float64) {
			for _, x := range v {
				list = append(list, math.Ldexp(x, power))
			}
			return list
		}
		s := samples(scale(a), scale(b))
		got := ComparePaired(s[0], s[1])
		near(t, "t", got.T, want.T)
		near(t, "p", got.P, want.P)
		near(t, "sd", math.Ldexp(got.SD, -power), want.SD)
	}
}

// TestAdjustCountsTestsOnly: a difference that needs no test takes nothing from others.
func TestAdjustCountsTestsOnly(t *testing.T) {
	a := Paired{P: 0.01, Outcome: unadjusted}
	b := Paired{P: 0.03, Outcome: unadjusted}
	c := Paired{P: math.NaN(), Outcome: Constant}
	if m := AdjustFamily([]*Paired{&c, &b, &a}); m != 2 {
		t.Errorf("a family of %d", m)
	}
	near(t, "first", a.P, 0.02)
	near(t, "second", b.P, 0.03)
	if a.Outcome != Significant || b.Outcome != Significant || c.Outcome != Constant {
		t.Error(a.Outcome, b.Outcome, c.Outcome)
	}
}

// What counts as detectable is found with the power that this asks for.
func TestDetectableHasItsPower(t *testing.T) {
	near(t, "power", power(detectable(3, Alpha/2)*math.Sqrt(3), 2, Alpha/2), targetPower)
}

var nan = math.NaN()

// around returns n values with mean about m and standard deviation about sd, of which a
// part rho is common to all calls with the same n.
func around(name uint64, n int, m, sd, rho float64) []float64 {
	common, own := rand.New(rand.NewPCG(7, 7)), rand.New(rand.NewPCG(1, name))
	v := make([]float64, n)
	for i := range v {
		v[i] = m + sd*(math.Sqrt(rho)*common.NormFloat64()+math.Sqrt(1-rho)*own.NormFloat64())
	}
	return v
}
