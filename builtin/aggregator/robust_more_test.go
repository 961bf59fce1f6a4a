package aggregator

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/framework/fl"
)

// A root is samples that the server holds, for a linear model and half the mean squared error.
type root struct {
	X []fl.Vector
	Y fl.Vector
}

// give gives them to the server of a round, if there are any.
func (h *root) give(t *testing.T, r *fl.Round) {
	t.Helper()
	if len(h.Y) == 0 {
		return
	}
	d := fl.Dataset{X: fl.NewMatrix(len(h.X), len(h.X[0])), Target: h.Y}
	d.Shape.Features = d.X.Cols
	for k, row := range h.X {
		copy(d.X.Row(k), row)
	}
	m, err := model.Linear.New(fl.NewParams(map[string]any{"loss": "half-mse"}, fl.Setting{}, nil))
	if err == nil {
		m, err = m.For(d.Shape)
	}
	if err != nil {
		t.Fatal(err)
	}
	r.Validation, r.Model = &d, m
}

// moreRules are the aggregators of robust_more.json, by case.
func moreRules() map[string]fl.AggregatorEntry {
	return map[string]fl.AggregatorEntry{"caf": CAF, "smea": SMEA, "foolsgold": FoolsGold,
		"foolsgold sharp": FoolsGold, "fltrust": FLTrust, "signguard": SignGuard,
		"signguard narrow": SignGuard, "centered-clipping": CenteredClipping}
}

// Five rounds of cohorts of seven to twelve clients, an outlier and three that resemble each other
// among them, agree with the formulas as NumPy computes them, to 1e-12.
//
//hansa:verifies golden aggregator/caf aggregator/foolsgold aggregator/fltrust
//hansa:verifies golden aggregator/signguard aggregator/centered-clipping aggregator/smea
func TestGoldenRobustMore(t *testing.T) {
	for name, e := range moreRules() {
		c, h, want := robustCaseOf(t, "robust_more", name)
		got := h.follow(t, built(t, e, h.Given))
		if len(got) != 5 || len(want) != 5 {
			t.Fatalf("%s: %d rounds of %d", name, len(got), len(want))
		}
		for k := range got {
			c.equal(t, name, got[k], want[k])
		}
	}
}

// With numbers from the other end the same updates make the same models, to 1e-12.
//
//hansa:verifies invariance aggregator/caf aggregator/foolsgold aggregator/fltrust
//hansa:verifies invariance aggregator/signguard aggregator/smea
func TestMoreRobustRulesHaveNoOrder(t *testing.T) {
	for name, e := range moreRules() {
		_, h, _ := robustCaseOf(t, "robust_more", name)
		want := h.follow(t, built(t, e, h.Given))
		for k, cohort := range h.Cohorts {
			other := reversed(cohort)
			for j := range other {
				other[j] = len(h.Samples) - 1 - other[j]
			}
			h.Cohorts[k], h.Deltas[k] = other, reversed(h.Deltas[k])
		}
		for k, got := range h.follow(t, built(t, e, h.Given)) {
			if d := got.Distance(want[k]); d > 1e-12 {
				t.Errorf("%s: round %d is %v away", name, k, d)
			}
		}
	}
}

// oneRound is a round in which so many clients send these updates.
func oneRound(deltas ...fl.Vector) *lossHistory {
	h := &lossHistory{Start: make(fl.Vector, len(deltas[0])), Losses: []fl.Vector{nil},
		Deltas: [][]fl.Vector{deltas}, Cohorts: [][]int{nil}}
	for k := range deltas {
		h.Samples, h.Cohorts[0] = append(h.Samples, 1), append(h.Cohorts[0], k)
		h.Importance = append(h.Importance, 1/float64(len(deltas)))
	}
	return h
}

// Robust rules are the plain mean where nothing sets clients apart: CAF and SMEA with f = 0;
// FoolsGold where no two updates have a positive cosine; SignGuard where norms and numbers of signs
// are the same; centered clipping without a radius, with momentum or not, in its first round.
//
//hansa:verifies equivalence aggregator/caf aggregator/foolsgold aggregator/signguard
//hansa:verifies equivalence aggregator/smea
func TestMoreRobustRulesReduceToTheMean(t *testing.T) {
	for _, one := range []struct {
		e     fl.AggregatorEntry
		given map[string]any
		of    *lossHistory
	}{
		{CAF, map[string]any{"f": int64(0)}, oneRound(fl.Vector{1, 2, 3}, fl.Vector{9, -9, 1},
			fl.Vector{0, 4, 4})},
		{SMEA, map[string]any{"f": int64(0)}, oneRound(fl.Vector{1, 2, 3}, fl.Vector{9, -9, 1})},
		{FoolsGold, nil, oneRound(fl.Vector{1, 0, 0}, fl.Vector{-2, 5, 0}, fl.Vector{0, -1, 3})},
		{SignGuard, map[string]any{"share": 1.0, "low": 0.0}, oneRound(fl.Vector{1, 2, -2},
			fl.Vector{-2, 1, 2}, fl.Vector{2, -2, 1}, fl.Vector{1, 2, -2})},
		{CenteredClipping, map[string]any{"tau": 1e300, "beta": 0.9}, oneRound(fl.Vector{1, 2},
			fl.Vector{4, -7})},
	} {
		want := one.of.follow(t, built(t, FedAvg, map[string]any{"weights": "uniform"}))[0]
		got := one.of.follow(t, built(t, one.e, one.given))[0]
		if d := got.Distance(want); d > 1e-14 {
			t.Errorf("%s: %v, the mean is %v", one.e.Name, got, want)
		}
	}
}

// Of eleven clients so many may send anything, and the update stays within two diameters of the
// others; with the number that is named beside it, it goes wherever they want: CAF and SMEA with
// f = 2 stand two and not three, SignGuard five and not six.
//
//hansa:verifies breakdown aggregator/caf aggregator/signguard aggregator/smea
func TestMoreBreakdown(t *testing.T) {
	for _, one := range []struct {
		e              fl.AggregatorEntry
		given          map[string]any
		stands, breaks int
	}{{CAF, map[string]any{"f": int64(2)}, 2, 3}, {SMEA, map[string]any{"f": int64(2)}, 2, 3},
		{SignGuard, map[string]any{"share": 1.0}, 5, 6}} {
		for many := range one.stands + 1 {
			for _, far := range []float64{30, 1e9, -1e200} {
				if off := attacked(t, one.e, one.given, many, far); !(off < 2) {
					t.Errorf("%s: %d at %v move it by %v diameters", one.e.Name, many, far, off)
				}
			}
		}
		if off := attacked(t, one.e, one.given, one.breaks, 1e9); off < 1e7 {
			t.Errorf("%s: %d move it by %v diameters only", one.e.Name, one.breaks, off)
		}
	}
}

// Two and up to ten of eleven clients with one update, however long, count nothing, and the model
// moves by no more than the longest honest update; one client alone is not stopped.
//
//hansa:verifies breakdown aggregator/foolsgold
func TestFoolsGoldIsAgainstSybils(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for many := 1; many <= 10; many++ {
		for _, far := range []float64{1, 1e9, -1e200} {
			var all []fl.Vector
			longest := 0.0
			for k := range 11 {
				d := normal(rng, 4)
				d[3] = 0
				if k < many {
					d = fl.Vector{0, 0, 0, far}
				} else {
					longest = max(longest, d.Norm())
				}
				all = append(all, d)
			}
			moved := oneRound(all...).follow(t, built(t, FoolsGold, nil))[0].Norm()
			if many > 1 && !(moved <= longest) {
				t.Errorf("%d at %v move it by %v, honest ones %v at most", many, far, moved,
					longest)
			}
			if many == 1 && math.Abs(far) > 1 && moved < 1e7 {
				t.Errorf("one at %v moves it by %v only", far, moved)
			}
		}
	}
}

// A client that resembles sybils less than they do each other is pardoned: it keeps more weight
// than its cosine alone would leave it. Histories over rounds count, not one round: sybils that
// send opposite updates in the first round and the same ones later are found out by their sums.
//
//hansa:verifies theorem aggregator/foolsgold
func TestFoolsGoldPardonsAndRemembers(t *testing.T) {
	cosine := fl.Matrix{Rows: 3, Cols: 3, Data: fl.Vector{1, 1, 0.9, 1, 1, 0.9, 0.9, 0.9, 1}}
	w := make(fl.Vector, 3)
	trust(w, cosine, 1)
	if w[0] != 0 || w[1] != 0 || w[2] != 1 {
		t.Errorf("weights of two sybils and one like them: %v", w)
	}
	h := oneRound(fl.Vector{1, 0}, fl.Vector{-1, 0.1}, fl.Vector{0, -2})
	h.Cohorts, h.Losses = append(h.Cohorts, []int{0, 1, 2}), append(h.Losses, nil)
	h.Deltas = append(h.Deltas, []fl.Vector{{0, 9}, {2, 8.9}, {0, -2}})
	moved := h.follow(t, built(t, FoolsGold, nil))
	moved[1].Sub(moved[0])
	if want := (fl.Vector{0, -2.0 / 3}); moved[1].Distance(want) > 1e-12 {
		t.Errorf("the second round moves by %v, want %v", moved[1], want)
	}
}

// However many clients send whatever they want, one or all eleven, the model moves by no more than
// the server's own update, and not against it.
//
//hansa:verifies breakdown aggregator/fltrust
//hansa:verifies theorem aggregator/fltrust
func TestFLTrustMovesNoFurtherThanTheServer(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	_, base, _ := robustCaseOf(t, "robust_more", "fltrust")
	given := map[string]any{"steps": int64(2), "lr": 0.05}
	for many := range 12 {
		for _, far := range []float64{-1, 1e9, -1e200} {
			var all []fl.Vector
			for k := range 11 {
				d := normal(rng, len(base.Start))
				if k < many {
					d.Scale(far)
				}
				all = append(all, d)
			}
			h := oneRound(all...)
			h.Root, h.Start = base.Root, base.Start
			moved := h.follow(t, built(t, FLTrust, given))[0]
			moved.Sub(h.Start)
			r := &fl.Round{Global: h.Start}
			h.Root.give(t, r)
			own := built(t, FLTrust, given).(*flTrust).train(r)
			own.Sub(h.Start)
			if moved.Norm() > own.Norm()*(1+1e-12) || moved.Dot(own) < 0 {
				t.Errorf("%d at %v: it moves by %v, the server by %v", many, far, moved, own)
			}
		}
	}
}

// Where clients do what the server does on the same samples, FLTrust is the plain mean, to 1e-12;
// where all updates go against the server's, or are none, the model stays as it is.
//
//hansa:verifies equivalence aggregator/fltrust
func TestFLTrustReducesToTheMean(t *testing.T) {
	_, base, _ := robustCaseOf(t, "robust_more", "fltrust")
	r := &fl.Round{Global: base.Start}
	base.Root.give(t, r)
	given := map[string]any{"steps": int64(4), "lr": 0.05}
	own := built(t, FLTrust, given).(*flTrust).train(r)
	own.Sub(base.Start)
	against, none := own.Clone(), make(fl.Vector, len(own))
	against.Scale(-3)
	for _, one := range [][]fl.Vector{{own, own, own}, {against, none}} {
		h := oneRound(one...)
		h.Root, h.Start = base.Root, base.Start
		got, want := h.follow(t, built(t, FLTrust, given))[0], base.Start
		if len(one) == 3 {
			want = h.follow(t, built(t, FedAvg, map[string]any{"weights": "uniform"}))[0]
		}
		if d := got.Distance(want); d > 1e-12 {
			t.Errorf("%d clients: %v away", len(one), d)
		}
	}
}

// Of n = 40 clients with f = 2, whichever 38 are honest, the result is within a multiple of √λ of
// their mean, λ the largest eigenvalue of their covariance: 1.05·√λ in any number of dimensions.
//
// As long as the variance λ' of an iterate is above 4.5λ, faulty clients lose more weight than
// honest ones: with δ = 2f/n the weights that do not overlap, the means are within
// √(δ/(1−δ))·(√λ' + √λ) of each other, so that Σ cₖτₖ over honest clients is at most
// 38·(λ + (√λ' + √λ)²/9), which is less than half of Σ cₖτₖ > 36λ' over all. So not all iterates
// can be of this kind, and the one of least λ' has at most 4.5λ, which bounds its mean by
// (√4.5 + 1)/3 = 1.05 of √λ.
//
//hansa:verifies theorem aggregator/caf
func TestCAFIsBoundedByTheHonestCovariance(t *testing.T) {
	const n, f = 40, 2
	rng := rand.New(rand.NewPCG(9, 10))
	worst := 0.0
	for range 60 {
		size := 1 + rng.IntN(30)
		var all []fl.Vector
		mean := make(fl.Vector, size)
		for range n - f {
			d := normal(rng, size)
			d[0] *= 3
			all = append(all, d)
			mean.AddScaled(1.0/(n-f), d)
		}
		largest := largestVariance(t, all, mean)
		far := math.Exp(4 * rng.NormFloat64())
		bad := normal(rng, size)
		bad.Scale(far)
		for range f {
			all = append(all, bad)
		}
		got := oneRound(all...).follow(t, built(t, CAF, map[string]any{"f": int64(f)}))[0]
		off := got.Distance(mean) / math.Sqrt(largest)
		worst = max(worst, off)
		if off > 1.05 {
			t.Errorf("at %v in %d dimensions it is %v standard deviations away", far, size, off)
		}
	}
	if worst == 0 {
		t.Error("faulty clients have no effect at all")
	}
}

// Three of eleven clients that send updates of the usual norm with all signs turned around are a
// cluster of their own and count nothing, and the model moves by no more than the median of norms.
//
//hansa:verifies theorem aggregator/signguard
func TestSignGuardKeepsSignsOfMost(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 100 {
		var all []fl.Vector
		for k := range 11 {
			d := make(fl.Vector, 40)
			for i := range d {
				d[i] = rng.NormFloat64() + 0.8
			}
			if k < 3 {
				d.Scale(-1) // of the same norm
			}
			all = append(all, d)
		}
		norms := fl.Vector{}
		for _, d := range all {
			norms = append(norms, d.Norm())
		}
		slices.Sort(norms)
		h := oneRound(all...)
		moved := h.follow(t, built(t, SignGuard, map[string]any{"share": 1.0}))[0]
		if moved.Norm() > norms[5]*(1+1e-12) || moved.Sum() < 20 {
			t.Errorf("it moves by %v of sum %v, the median norm is %v", moved.Norm(), moved.Sum(),
				norms[5])
		}
	}
}
