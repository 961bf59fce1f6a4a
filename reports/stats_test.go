package reports

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
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

func samples(values ...[]float64) []*sample {
	var list []*sample
	for _, v := range values {
		s := &sample{values: v}
		for seed := range v {
			s.seeds = append(s.seeds, uint64(seed))
		}
		s.planned = s.seeds
		list = append(list, s)
	}
	return list
}

func TestPairedTAgreesWithSciPy(t *testing.T) {
	for _, c := range readSciPy(t).Paired {
		s := samples(c.A, c.B)
		r := pair(s[0], s[1])
		near(t, "mean", r.mean, c.Mean)
		near(t, "sd", r.sd, c.SD)
		near(t, "t", r.t, c.T)
		near(t, "p", r.p, c.P)
		near(t, "low", r.low, c.Low)
		near(t, "high", r.high, c.High)
		if r.outcome != unadjusted || r.n != len(c.A) {
			t.Errorf("outcome %q with %d differences", r.outcome, r.n)
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
		for i, p := range holm(c.P) {
			near(t, "adjusted p", p, c.Adjusted[i])
		}
	}
	if got := holm(nil); len(got) != 0 {
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
		adjusted := holm(p)
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
	gap := detectable(5, level)
	found := 0
	d := make([]float64, 5)
	for range trials {
		for i := range d {
			d[i] = gap + rng.NormFloat64()
		}
		if _, p, _, _ := pairedT(d); p < level {
			found++
		}
	}
	share, sd := float64(found)/trials, math.Sqrt(wanted*(1-wanted)/trials)
	if math.Abs(share-wanted) > 4*sd {
		t.Errorf("found a detectable difference in %.3f of trials, want %.3f", share, wanted)
	}
}

func TestPairUsesCommonSeeds(t *testing.T) {
	a := &sample{seeds: []uint64{3, 1, 4, 15, 9}, values: []float64{30, 10, 40, 150, 90}}
	b := &sample{seeds: []uint64{1, 3, 9, 4, 2}, values: []float64{9, 27, 81, 38, 1e9}}
	r := pair(a, b)
	if r.n != 4 || r.mean != (3+1+2+9)/4.0 || r.base != (27+9+38+81)/4.0 {
		t.Errorf("n = %d, mean difference = %v, baseline = %v", r.n, r.mean, r.base)
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
		{"same up to rounding", []float64{0.30000000000000004, 0.3, 0.3, 0.3}, all(4, 0.3), Identical},
		{"both constant", []float64{1, 1, 1, 1}, []float64{2, 2, 2, 2}, Always},
		{"constant shift", []float64{1.1, 2.1, 3.1, 4.1}, []float64{1, 2, 3, 4}, Always},
		{"zeros", make([]float64, 5), make([]float64, 5), Identical},
		{"tiny but real", []float64{1e-300, 2e-300, 3e-300, 5e-300}, all(4, 0), unadjusted},
	} {
		s := samples(c.a, c.b)
		r := pair(s[0], s[1])
		if r.outcome != c.want {
			t.Errorf("%s: %s, want %s", c.name, r.outcome, c.want)
		}
		if tested := !math.IsNaN(r.p); tested != (c.want == unadjusted) {
			t.Errorf("%s: p = %v", c.name, r.p)
		}
	}
}

// TestPairScales: what a test finds does not depend on the unit, however large or small.
func TestPairScales(t *testing.T) {
	a, b := []float64{1.5, 2, 3.25, 5}, []float64{3, 1, 4, 9}
	s := samples(a, b)
	want := pair(s[0], s[1])
	for _, power := range []int{-1000, -700, -3, 600, 1018} {
		scale := func(v []float64) (list []float64) {
			for _, x := range v {
				list = append(list, math.Ldexp(x, power))
			}
			return list
		}
		s := samples(scale(a), scale(b))
		got := pair(s[0], s[1])
		near(t, "t", got.t, want.t)
		near(t, "p", got.p, want.p)
		near(t, "sd", math.Ldexp(got.sd, -power), want.sd)
	}
}

// TestAdjustCountsTestsOnly: a difference that needs no test takes nothing from others.
func TestAdjustCountsTestsOnly(t *testing.T) {
	a := pairing{p: 0.01, outcome: unadjusted}
	b := pairing{p: 0.03, outcome: unadjusted}
	c := pairing{p: math.NaN(), outcome: Always}
	if m := adjust([]*pairing{&c, &b, &a}); m != 2 {
		t.Errorf("a family of %d", m)
	}
	near(t, "first", a.p, 0.02)
	near(t, "second", b.p, 0.03)
	if a.outcome != Decided || b.outcome != Decided || c.outcome != Always {
		t.Error(a.outcome, b.outcome, c.outcome)
	}
}

func TestTiedWalksDown(t *testing.T) {
	best := []float64{97.0, 97.2, 96.9, 97.1, 97.3}
	steady := []float64{96.7, 96.9, 96.6, 96.8, 97.01} // always behind by about 0.3
	noisy := []float64{99, 92, 97, 93, 98}             // far behind on average, but who knows
	poor := []float64{80, 81, 80, 81, 80}
	got := tied(samples(noisy, best, poor, steady), true)
	if want := []bool{false, true, false, false}; !slices.Equal(got, want) {
		t.Errorf("bold %v, want %v: noisy is not better than steady, which is not bold", got, want)
	}
	got = tied(samples(noisy, best, poor), true)
	if want := []bool{true, true, false}; !slices.Equal(got, want) {
		t.Errorf("bold %v, want %v: nothing stands between noisy and the best", got, want)
	}
}

func TestTiedEdges(t *testing.T) {
	five := []float64{1, 2, 3, 4, 5}
	for _, c := range []struct {
		name   string
		values [][]float64
		want   []bool
	}{
		{"nobody", nil, []bool{}},
		{"one alone", [][]float64{five}, []bool{false}},
		{"twins", [][]float64{five, five}, []bool{true, true}},
		{"too few seeds", [][]float64{{1, 2}, {4, 5}}, []bool{false, false}},
		{"three seeds", [][]float64{{1, 2, 3}, {4, 5, 6.5}}, []bool{true, false}},
		{"always behind", [][]float64{five, {2, 3, 4, 5, 6}}, []bool{true, false}},
	} {
		if got := tied(samples(c.values...), false); !slices.Equal(got, c.want) {
			t.Errorf("%s: bold %v, want %v", c.name, got, c.want)
		}
	}
}

// TestTiedBreaksTies: of two equal means, what the third is compared with is not decided
// by who is listed first.
func TestTiedBreaksTies(t *testing.T) {
	a, b := []float64{1, 2, 3, 4, 5}, []float64{5, 4, 3, 2, 1}
	c := []float64{1.9, 2.91, 3.9, 4.91, 5.9} // behind a in every seed, behind b on average
	first, second := tied(samples(a, b, c), false), tied(samples(b, a, c), false)
	if first[2] != second[2] {
		t.Errorf("bold %v and %v", first, second)
	}
}

// TestTiedIgnoresOrder: neither the order of methods nor the sign of a metric, with its
// direction, decides what is bold.
func TestTiedIgnoresOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	for range 100 {
		values := make([][]float64, 2+rng.IntN(5))
		for i := range values {
			values[i] = around(rng.Uint64(), 5, float64(rng.IntN(3)), 0.4, 0.5)
			if rng.IntN(4) == 0 {
				values[i] = all(5, 1)
			}
		}
		want := tied(samples(values...), false)
		order := rng.Perm(len(values))
		var shuffled, negative [][]float64
		for _, i := range order {
			shuffled = append(shuffled, values[i])
			n := slices.Clone(values[i])
			for k := range n {
				n[k] = -n[k]
			}
			negative = append(negative, n)
		}
		down, up := tied(samples(shuffled...), false), tied(samples(negative...), true)
		for k, i := range order {
			if down[k] != want[i] || up[k] != want[i] {
				t.Fatalf("bold %v; shuffled by %v: %v; negated: %v", want, order, down, up)
			}
		}
	}
}

// What counts as detectable is found with the power that this asks for.
func TestDetectableHasItsPower(t *testing.T) {
	near(t, "power", power(detectable(3, level/2)*math.Sqrt(3), 2, level/2), wanted)
}

// Three seeds are tested, as t has two degrees of freedom, and a note says how little that finds:
// the power of the test at what the note names is 80 %, and Wilcoxon's p is 1/4 at best.
func TestThreeSeedsAreTestedAndSayHowLittleThatFinds(t *testing.T) {
	x := newExample("three", "", loss)
	base := []float64{1, 2, 4}
	x.add(study.Cell{Method: "a"}, base)
	x.add(study.Cell{Method: "b"}, shifted(base, 3, 3.1, 3.2))
	x.add(study.Cell{Method: "c"}, shifted(base, 0.5, -1, 0.25))
	x.Report.Baseline = "a"
	table := &tables(t, x.Input)[0]
	b, c := row(t, table, "b").Cells[0].Versus, row(t, table, "c").Cells[0].Versus
	// With two degrees of freedom p = 1 − t/√(t² + 2), here of t = 31√3; Holm doubles it.
	if want := 2 * (1 - 31*math.Sqrt(3)/math.Sqrt(31*31*3+2)); math.Abs(float64(b.P)-want) > 1e-12 {
		t.Errorf("p = %v, want %v", b.P, want)
	}
	if b.N != 3 || b.Outcome != Decided || c.Outcome != Undecided {
		t.Errorf("b is %+v, c is %+v", b, c)
	}
	size := newPlan(&x.Input).effect(3, 2)
	want := fmt.Sprintf("3 seeds are few: a paired t test finds with 80 %% power differences of "+
		"%.1f of their standard deviations or more, and p of a Wilcoxon test cannot be below 0.25",
		size)
	if legend := legendOf(table); !strings.Contains(legend, want) {
		t.Errorf("no %q in\n%s", want, legend)
	}
	if two := legendOf(&tables(t, short("two", 2).Input)[0]); !strings.Contains(two,
		"2 seeds: too few to test or rank, which takes 3") {
		t.Errorf("of two seeds: %s", two)
	}
}
