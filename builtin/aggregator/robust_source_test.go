package aggregator

import (
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// byzFL is what a rule of ByzFL makes of some vectors.
type byzFL struct {
	e     fl.AggregatorEntry
	given map[string]any
	want  fl.Vector
	tol   float64 // where it is not 1e-12
}

// check compares a rule with it.
func (c *byzFL) check(t *testing.T, of *lossHistory) {
	t.Helper()
	tol := c.tol
	if tol == 0 {
		tol = 1e-12
	}
	got := of.follow(t, built(t, c.e, c.given))[0]
	if d := got.Distance(c.want); !(d <= tol) {
		t.Errorf("%s: %v, ByzFL has %v", c.e.Name, got, c.want)
	}
}

// The examples of ByzFL's documentation (LPD-EPFL/byzfl, aggregators.py): the vectors (1, 2, 3),
// (4, 5, 6) and (7, 8, 9) with f = 1. Its Krum and Multi-Krum count n − f − 1 neighbours, one more
// than the paper, and average n − f models, so that f = 1 there is f = 0 here, with m = 2. Its
// geometric median makes three smoothed steps, not compared here. norm-clipping is its Clipping
// with c = 2, and then the mean.
//
//hansa:verifies source aggregator/coordinate-median aggregator/trimmed-mean aggregator/krum
//hansa:verifies source aggregator/multi-krum aggregator/mda aggregator/meamed aggregator/caf
//hansa:verifies source aggregator/centered-clipping aggregator/norm-clipping aggregator/smea
func TestByzFLVectors(t *testing.T) {
	of := oneRound(fl.Vector{1, 2, 3}, fl.Vector{4, 5, 6}, fl.Vector{7, 8, 9})
	middle, lower := fl.Vector{4, 5, 6}, fl.Vector{2.5, 3.5, 4.5}
	one, none := map[string]any{"f": int64(1)}, map[string]any{"f": int64(0)}
	clip := fl.Vector{(0.53452248 + 0.91168461 + 1.00514142) / 3,
		(1.06904497 + 1.13960576 + 1.14873305) / 3, (1.60356745 + 1.36752692 + 1.29232469) / 3}
	for _, c := range []byzFL{
		{e: CoordinateMedian, want: middle},
		{e: TrimmedMean, given: one, want: middle},
		{e: Krum, given: none, want: fl.Vector{1, 2, 3}},
		{e: MultiKrum, given: map[string]any{"f": int64(0), "m": int64(2)}, want: lower},
		{e: MDA, given: one, want: lower},
		{e: MeaMed, given: one, want: lower},
		{e: CAF, given: one, want: middle},
		{e: SMEA, given: one, want: lower},
		{e: CenteredClipping, given: map[string]any{"tau": 100.0}, want: middle},
		{e: NormClipping, given: map[string]any{"threshold": 2.0}, want: clip, tol: 2e-8},
	} {
		c.check(t, of)
	}
}

// Seven vectors, one of them far away, with f = 2, as the steps of ByzFL's rules give them: Krum
// and Multi-Krum as above, the smoothed Weiszfeld iteration with ν = 1e-9 in 5,000 steps, centered
// clipping with L = 3 from 0.
//
//hansa:verifies source aggregator/coordinate-median aggregator/trimmed-mean aggregator/krum
//hansa:verifies source aggregator/multi-krum aggregator/mda aggregator/meamed
//hansa:verifies source aggregator/centered-clipping aggregator/geometric-median
func TestByzFLOnMoreVectors(t *testing.T) {
	of := oneRound(fl.Vector{1, 2, 3, 0}, fl.Vector{4, 5, 6, 1}, fl.Vector{7, 8, 9, -2},
		fl.Vector{2, 0, 1, 5}, fl.Vector{3, 3, -4, 1}, fl.Vector{40, -30, 50, 20},
		fl.Vector{0, 1, 2, 2})
	two := map[string]any{"f": int64(2)}
	for _, c := range []byzFL{
		{e: CoordinateMedian, want: fl.Vector{3, 2, 3, 1}},
		{e: TrimmedMean, given: two, want: fl.Vector{3, 2, 11.0 / 3, 4.0 / 3}},
		{e: Krum, given: map[string]any{"f": int64(1)}, want: fl.Vector{0, 1, 2, 2}},
		{e: MultiKrum, given: map[string]any{"f": int64(1), "m": int64(5)},
			want: fl.Vector{2, 2.2, 1.6, 1.8}},
		{e: MDA, given: two, want: fl.Vector{2, 2.2, 1.6, 1.8}},
		{e: MeaMed, given: two, want: fl.Vector{2, 2.2, 4.2, 0.4}},
		{e: CenteredClipping, given: map[string]any{"tau": 5.0, "iterations": int64(3)},
			want: fl.Vector{2.8259157065211826, 2.1686591356346123, 3.0541447237031587,
				1.7155974510972365}},
		{e: GeometricMedian, want: fl.Vector{2.228356865110036, 2.097183847710828,
			3.1022150460175415, 1.4191253022006889}, tol: 1e-8},
	} {
		c.check(t, of)
	}
}

// The weights that the official FoolsGold code (DistributedML/FoolsGold, foolsgold.py) gives six
// clients, to 8 digits; where it adds weighted updates up, here is their mean.
//
//hansa:verifies source aggregator/foolsgold
func TestFoolsGoldWeightsOfTheAuthors(t *testing.T) {
	deltas := []fl.Vector{{3, 1, 0, 2}, {3, 1, 1, 2}, {-1, 2, 4, 0}, {1, -2, 3, 1}, {0, 2, 1, -5},
		{2, 1, 3, -1}}
	want := make(fl.Vector, 4)
	for k, alpha := range []float64{0, 0, 0.42973516, 1, 1, 0.42973516} {
		want.AddScaled(alpha/6, deltas[k])
	}
	got := oneRound(deltas...).follow(t, built(t, FoolsGold, nil))[0]
	if d := got.Distance(want); d > 2e-8 {
		t.Errorf("%v, want %v", got, want)
	}
}

// What the rule of the FLTrust authors' code makes of four updates and that of the server, whose
// 1e-9 beside norms and sums make no difference of 8 digits.
//
//hansa:verifies source aggregator/fltrust
func TestFLTrustOfTheAuthors(t *testing.T) {
	// With X = I and a rate of n = 4, a step takes the server from 0 to its targets.
	own := fl.Vector{1, -2, 0.5, 3}
	h := oneRound(fl.Vector{2, -1, 1, 2}, fl.Vector{-3, 2, 0, -1}, fl.Vector{1, 1, 1, 1},
		fl.Vector{0, -4, 2, 9})
	h.Root = root{Y: own, X: []fl.Vector{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}}
	want := fl.Vector{1.26177459, -0.85696145, 1.10567167, 2.74715915}
	got := h.follow(t, built(t, FLTrust, map[string]any{"steps": int64(1), "lr": 4.0}))[0]
	if d := got.Distance(want); d > 2e-8 {
		t.Errorf("%v, want %v", got, want)
	}
}

// Nine updates of which three have mostly positive signs: scikit-learn's MeanShift, with the
// parameters of the official SignGuard code (JianXu95/SignGuard, signguard.py), has the first four
// in one cluster and the other five in another, whose mean after clipping this is.
//
//hansa:verifies source aggregator/signguard
func TestSignGuardOfTheAuthors(t *testing.T) {
	of := oneRound(
		fl.Vector{1, 3, 2, -1, 3, 3, 3, 3, -1, 0, 1, 0, 0, 2, 0, 2, 1, 2, 2, -1},
		fl.Vector{0, 3, 3, -1, 3, 0, 2, 2, 3, 3, 3, 0, 1, 3, 0, 3, 0, 2, -1, 0},
		fl.Vector{1, 1, 0, 3, 2, 0, 3, 2, -1, -1, -1, -1, 2, -1, 0, 3, 2, 0, 2, 1},
		fl.Vector{-3, 0, 1, 1, 4, 4, 0, 1, -4, -2, 4, 4, -4, 0, 0, 2, -3, 0, -1, -3},
		fl.Vector{3, 2, -3, 2, 0, -3, 1, 0, 0, -1, 4, -3, 4, -3, 3, 4, -3, 3, -4, -1},
		fl.Vector{0, 2, -3, -4, -2, 4, -2, 0, -4, 3, 4, -2, 3, -1, -2, -1, -3, 4, -4, -1},
		fl.Vector{1, 0, -4, 4, 3, 4, -3, -1, -1, -2, -4, 3, 2, -4, -3, -1, 4, 3, -3, 4},
		fl.Vector{-2, -2, 4, -4, -4, 3, -2, 1, -1, -2, -1, 0, -3, -4, 4, 2, -1, 0, 4, 2},
		fl.Vector{1, -4, -4, 1, 1, -1, 0, 0, 3, -1, 0, 1, 2, 1, 1, 1, -4, -4, -2, -2})
	want := fl.Vector{0.55914808, -0.4333877, -1.85161202, -0.24661008, -0.43080884, 1.25334239,
		-1.09418217, 0.0208327, -0.51578877, -0.57007616, 0.62154727, -0.22576524, 1.48993227,
		-2.03837442, 0.65919253, 0.9958414, -1.43324925, 1.0441204, -1.65575087, 0.30840368}
	got := of.follow(t, built(t, SignGuard, map[string]any{"share": 1.0}))[0]
	if d := got.Distance(want); d > 5e-8 {
		t.Errorf("%v, want %v", got, want)
	}
}
