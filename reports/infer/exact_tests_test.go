package infer

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The smallest p of an exact test is 2¹⁻ⁿ, where all differences have one sign.
func TestExactTestsAttain(t *testing.T) {
	for n := 1; n <= 12; n++ {
		d := make([]float64, n)
		for i := range d {
			d[i] = -1 - float64(i)
		}
		_, ranks := Wilcoxon(d, 0)
		if flips := SignFlip(d, 0); ranks != SmallestExactP(n) || flips != SmallestExactP(n) {
			t.Errorf("%d differences: p = %v and %v, want %v", n, ranks, flips, SmallestExactP(n))
		}
	}
	if SmallestExactP(5) != 0.0625 || SmallestExactP(6) != 0.03125 || SmallestExactP(0) != 1 {
		t.Error(SmallestExactP(5), SmallestExactP(6), SmallestExactP(0))
	}
}

func TestExactTestsOfLittle(t *testing.T) {
	for _, d := range [][]float64{nil, {0}, {0, 0, 0}} {
		if w, p := Wilcoxon(d, 0); w != 0 || p != 1 {
			t.Errorf("Wilcoxon of %v: W = %v, p = %v", d, w, p)
		}
		if p := SignFlip(d, 0); p != 1 {
			t.Errorf("sign flips of %v: p = %v", d, p)
		}
	}
	if p := SignFlip(make([]float64, mostFlips+1), 0); !math.IsNaN(p) {
		t.Errorf("too many differences: p = %v", p)
	}
	if n := CountNonzero([]float64{0, 1e-17, -1, 2}, 1e-16); n != 2 {
		t.Errorf("%d are not zero", n)
	}
}

// Where the saddlepoint takes the place of the exact distribution, p is within 1 %, with ties and
// without, down to 10⁻²⁰; of the same magnitude below that; and W is the same.
func TestManyRanksByTheirSaddlepoint(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, shift := range []float64{0, 0.01, 0.05, 0.1, 0.15, 0.5, 1, 2, 5} {
		for _, grain := range []float64{1e-9, 0.5} { // of rounding, which makes ties
			d := make([]float64, MostRanked+1)
			for i := range d {
				d[i] = grain * math.Round((r.NormFloat64()+shift)/grain)
			}
			d = slices.DeleteFunc(d, func(x float64) bool { return x == 0 })
			for len(d) <= MostRanked {
				d = append(d, 1)
			}
			doubled, total, positive := signedRanks(d, 0)
			w, p := Wilcoxon(d, 0)
			exact := exactRanks(doubled, total, positive)
			allowed := 0.01
			if exact < 1e-20 {
				allowed = 0.9
			}
			if p == exact || math.Abs(p-exact) > allowed*exact {
				t.Errorf("shift %v, grain %v: p = %v, exactly %v", shift, grain, p, exact)
			}
			if w != float64(positive)/2 {
				t.Errorf("W = %v of %d", w, positive)
			}
		}
	}
}

// What differs from rounding only is tied: 0.3 and 0.1 + 0.2.
func TestExactTestsSeeTies(t *testing.T) {
	a := []float64{0.1 + 0.2, -0.3, 0.7, 0.5}
	b := []float64{0.3, -0.3, 0.7, 0.5}
	w, p := Wilcoxon(a, 1e-15)
	v, q := Wilcoxon(b, 0)
	if w != v || p != q {
		t.Errorf("W = %v and %v, p = %v and %v", w, v, p, q)
	}
	if p, q := SignFlip(a, 1e-15), SignFlip(b, 1e-15); p != q {
		t.Errorf("p = %v and %v", p, q)
	}
}

// Rounding is neither a difference to be shown nor a success.
func TestRoundingIsNoDifference(t *testing.T) {
	a := Sample{Seeds: []uint64{1, 2, 3}, Values: []float64{0.1 + 0.2, 0.7, 0.5}}
	b := Sample{Seeds: a.Seeds, Values: []float64{0.3, 0.7, 0.5}}
	if p := ComparePaired(&a, &b); p.Outcome != Identical || p.Mean != 0 || p.Low != 0 || p.High != 0 {
		t.Errorf("%+v", p)
	}
	if p := Superiority(a.Values, b.Values); p != 0.5 {
		t.Errorf("P(better) = %v", p)
	}
	inf := []float64{math.Inf(1)}
	if p := Superiority(inf, inf); p != 0.5 {
		t.Errorf("P(better) of what diverged = %v", p)
	}
	if p := Superiority(inf, b.Values); p != 1 {
		t.Errorf("P(better) of +Inf over numbers = %v", p)
	}
}

func TestEffectsOfLittle(t *testing.T) {
	for what, x := range map[string]float64{
		"d_z of two": EffectSize(1, 1, 2), "d_z of equal ones": EffectSize(1, 0, 9),
		"d_z of NaN": EffectSize(nan, nan, 9), "equivalence of two": Equivalence(0, 1, 2, 1),
		"equivalence of equal ones": Equivalence(0, 0, 9, 1), "A₁₂ of nothing": Superiority(nil, nil),
		"area of nothing": CurveMean(nil, nil), "area with NaN": CurveMean([]int{0, 1}, []float64{1, nan}),
		"best of NaN": CurveBest([]float64{nan, nan}, true), "best of nothing": CurveBest(nil, true),
	} {
		if !math.IsNaN(x) {
			t.Errorf("%s is %v", what, x)
		}
	}
	for _, x := range [][]float64{nil, {1, nan}, {math.Inf(1), 1, 2, 3, 4}} {
		if mean, low, high := InterquartileMean(x); !math.IsNaN(mean) || !math.IsNaN(low) || !math.IsNaN(high) {
			t.Errorf("IQM of %v: %v in [%v, %v]", x, mean, low, high)
		}
	}
	if mean, low, high := InterquartileMean(slices.Repeat([]float64{3}, 5)); mean != 3 || low != 3 || high != 3 {
		t.Errorf("IQM of equal ones: %v in [%v, %v]", mean, low, high)
	}
	if CurveMean([]int{7}, []float64{4}) != 4 || CurveBest([]float64{nan, 2, 3}, false) != 2 {
		t.Error("a point has its height; NaN is not the best")
	}
	if FirstReached([]float64{nan, 3, 5}, 4, true) != 2 || FirstReached([]float64{nan, 9}, 4, false) != -1 {
		t.Error("NaN reaches nothing")
	}
}

// A test with as many seeds as are needed has the power, with one fewer it has not.
func TestNeeded(t *testing.T) {
	for _, effect := range []float64{0.1, 0.3, 0.8, 1.66, 4} {
		n := SeedsNeeded(-effect, 1, Alpha)
		if n == 0 || power(effect*math.Sqrt(float64(n)), float64(n-1), Alpha) < targetPower ||
			n > 2 && power(effect*math.Sqrt(float64(n-1)), float64(n-2), Alpha) >= targetPower {
			t.Errorf("an effect of %v needs %d seeds", effect, n)
		}
	}
	for _, mean := range []float64{0, 1e-3, nan} {
		if n := SeedsNeeded(mean, 1, Alpha); n != 0 {
			t.Errorf("an effect of %v needs %d seeds", mean, n)
		}
	}
}

func TestFriedmanEdges(t *testing.T) {
	agree := [][]float64{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}
	if chi, f, p := Friedman(agree); chi != 6 || !math.IsInf(f, 1) || p != 0 {
		t.Errorf("ranks that agree: χ² = %v, F = %v, p = %v", chi, f, p)
	}
	tied := [][]float64{{2, 2, 2}, {2, 2, 2}}
	if chi, f, p := Friedman(tied); !math.IsNaN(chi) || !math.IsNaN(f) || !math.IsNaN(p) {
		t.Errorf("all tied: χ² = %v, F = %v, p = %v", chi, f, p)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	if p := PermutationTest(tied, 99, rng); p != 1 {
		t.Errorf("all tied, shuffled: p = %v", p)
	}
	// Of 6³ orders of three blocks, 6 agree.
	p := PermutationTest(agree, 50_000, rng)
	if want := 6.0 / 216; math.Abs(p-want) > 4*math.Sqrt(want/50_000) {
		t.Errorf("p = %v, want %v", p, want)
	}
	if r := Ranks([]float64{3, 1, 3, 2}, true); !slices.Equal(r, []float64{1.5, 4, 1.5, 3}) {
		t.Errorf("ranks %v", r)
	}
}

// Table 5 of Demšar (2006) has these, some of them cut and not rounded, and its example of four
// classifiers on 14 data sets has 1.25.
func TestCriticalDifferenceAgreesWithDemsar(t *testing.T) {
	for k, q := range map[int]float64{2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 7: 2.949,
		8: 3.031, 9: 3.102, 10: 3.164} {
		got := CriticalDifference(k, 6, Alpha) / math.Sqrt(float64(k*(k+1))/36)
		if math.Abs(got-q) > 1e-3 {
			t.Errorf("q of %d methods: %.4f, want %.3f", k, got, q)
		}
	}
	if d := CriticalDifference(4, 14, Alpha); math.Abs(d-1.25) > 5e-3 {
		t.Errorf("critical difference %v", d)
	}
}

func TestCliques(t *testing.T) {
	for _, c := range []struct {
		ranks    []float64
		critical float64
		want     [][]int
	}{
		{nil, 1, nil}, {[]float64{1}, 1, nil}, {[]float64{1, 3}, 1, nil},
		{[]float64{3, 1, 2}, 1, [][]int{{1, 2}, {2, 0}}},
		{[]float64{1, 1.5, 2, 4}, 1, [][]int{{0, 1, 2}}},
		{[]float64{2, 2, 2}, 0.1, [][]int{{0, 1, 2}}},
	} {
		got := Cliques(c.ranks, c.critical)
		if !slices.EqualFunc(got, c.want, slices.Equal[[]int]) {
			t.Errorf("%v within %v: %v, want %v", c.ranks, c.critical, got, c.want)
		}
	}
}
