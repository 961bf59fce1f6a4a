package aggregator

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// robustCase returns the history of a case of robust.json, and the models that NumPy computed.
func robustCase(t *testing.T, name string) (goldenCase, *lossHistory, []fl.Vector) {
	t.Helper()
	return robustCaseOf(t, "robust", name)
}

// robustCaseOf is robustCase of another file.
func robustCaseOf(t *testing.T, file, name string) (goldenCase, *lossHistory, []fl.Vector) {
	t.Helper()
	var h lossHistory
	var want struct{ Rounds []fl.Vector }
	c := golden(t, file, name, &h, &want)
	const integers = " f m iterations steps "
	for key, x := range h.Given {
		if n, number := x.(float64); number && strings.Contains(integers, " "+key+" ") {
			h.Given[key] = int64(n)
		}
	}
	return c, &h, want.Rounds
}

// Five rounds of cohorts of seven to twelve clients, one of them an outlier, agree with the
// formulas as NumPy computes them, to 1e-12.
//
//hansa:verifies golden aggregator/coordinate-median aggregator/trimmed-mean aggregator/meamed
//hansa:verifies golden aggregator/krum aggregator/multi-krum aggregator/bulyan aggregator/mda
//hansa:verifies golden aggregator/geometric-median aggregator/norm-clipping
//hansa:verifies golden aggregator/centered-clipping aggregator/rlr
func TestGoldenRobust(t *testing.T) {
	for name, e := range map[string]fl.AggregatorEntry{"coordinate-median": CoordinateMedian,
		"trimmed-mean": TrimmedMean, "meamed": MeaMed, "krum": Krum, "multi-krum": MultiKrum,
		"multi-krum three": MultiKrum, "bulyan": Bulyan, "mda": MDA, "geometric-median": GeometricMedian,
		"geometric-median by samples": GeometricMedian, "norm-clipping": NormClipping,
		"centered-clipping": CenteredClipping, "rlr": RLR} {
		c, h, want := robustCase(t, name)
		got := h.follow(t, built(t, e, h.Given))
		if len(got) != 5 || len(want) != 5 {
			t.Fatalf("%s: %d rounds of %d", name, len(got), len(want))
		}
		for k := range got {
			if strings.HasPrefix(name, "geometric") { // a minimum is found to a residual of 1e-10
				if d := got[k].Distance(want[k]); d > 1e-8 {
					t.Errorf("%s: round %d is %v away", name, k, d)
				}
				continue
			}
			c.equal(t, name, got[k], want[k])
		}
	}
}

// Where no client is taken to be faulty, no threshold is reached and no vote is asked for, robust
// rules are the plain mean, to 1e-13.
//
//hansa:verifies equivalence aggregator/trimmed-mean aggregator/meamed aggregator/multi-krum
//hansa:verifies equivalence aggregator/bulyan aggregator/mda aggregator/norm-clipping
//hansa:verifies equivalence aggregator/centered-clipping aggregator/rlr
func TestRobustRulesReduceToTheMean(t *testing.T) {
	none := map[string]any{"f": int64(0)}
	for _, one := range []struct {
		e     fl.AggregatorEntry
		given map[string]any
	}{{TrimmedMean, none}, {MeaMed, none}, {MultiKrum, none}, {Bulyan, none}, {MDA, none},
		{NormClipping, map[string]any{"threshold": 1e300}},
		{CenteredClipping, map[string]any{"tau": 1e300}},
		{RLR, map[string]any{"votes": 0.0}}} {
		_, h, _ := robustCase(t, "coordinate-median")
		want := h.follow(t, built(t, FedAvg, map[string]any{"weights": "uniform"}))
		for k, got := range h.follow(t, built(t, one.e, one.given)) {
			if d := got.Distance(want[k]); d > 1e-13 {
				t.Errorf("%s: round %d is %v away from the mean", one.e.Name, k, d)
			}
		}
	}
}

// With numbers from the other end the same updates make the same models, to 1e-12.
//
//hansa:verifies invariance aggregator/coordinate-median aggregator/trimmed-mean
//hansa:verifies invariance aggregator/meamed aggregator/krum aggregator/multi-krum
//hansa:verifies invariance aggregator/bulyan aggregator/geometric-median
//hansa:verifies invariance aggregator/norm-clipping aggregator/centered-clipping aggregator/rlr
func TestRobustRulesHaveNoOrder(t *testing.T) {
	for _, e := range []fl.AggregatorEntry{CoordinateMedian, TrimmedMean, MeaMed, Krum, MultiKrum,
		Bulyan, GeometricMedian, NormClipping, CenteredClipping, RLR} {
		_, h, _ := robustCase(t, "coordinate-median")
		want := h.follow(t, built(t, e, nil))
		for k, cohort := range h.Cohorts {
			other := reversed(cohort)
			for j := range other {
				other[j] = len(h.Samples) - 1 - other[j]
			}
			h.Cohorts[k], h.Deltas[k] = other, reversed(h.Deltas[k])
		}
		for k, got := range h.follow(t, built(t, e, nil)) {
			if d := got.Distance(want[k]); d > 1e-12 {
				t.Errorf("%s: round %d is %v away", e.Name, k, d)
			}
		}
	}
}

// attacked returns how far the update of a rule is from the mean of honest updates, in diameters of
// these: of eleven clients so many send the same point, far away.
func attacked(t *testing.T, e fl.AggregatorEntry, given map[string]any, many int, far float64) float64 {
	t.Helper()
	const n, size = 11, 5
	rng := rand.New(rand.NewPCG(3, uint64(many)))
	h := &lossHistory{Start: make(fl.Vector, size), Samples: make([]int, n),
		Importance: make(fl.Vector, n), Losses: []fl.Vector{nil}}
	var cohort []int
	var deltas []fl.Vector
	mean := make(fl.Vector, size)
	for k := range n {
		h.Samples[k], h.Importance[k] = 1, 1/float64(n)
		d := make(fl.Vector, size)
		for i := range d {
			d[i] = far
			if k >= many {
				d[i] = rng.NormFloat64()
			}
		}
		if k >= many {
			mean.AddScaled(1/float64(n-many), d)
		}
		cohort, deltas = append(cohort, k), append(deltas, d)
	}
	diameter := 0.0
	for _, a := range deltas[many:] {
		for _, b := range deltas[many:] {
			diameter = max(diameter, a.Distance(b))
		}
	}
	h.Cohorts, h.Deltas = [][]int{cohort}, [][]fl.Vector{deltas}
	return h.follow(t, built(t, e, given))[0].Distance(mean) / max(diameter, 1)
}

// Of eleven clients so many may send anything, and the update stays within a diameter of the
// others; with the number that is named beside it, it goes wherever they want. With f = 2 trimmed
// mean, MeaMed, MDA and Multi-Krum stand two and not three; medians five and not six. Krum and
// Bulyan stand two, and not eight that agree: those are as many as f = 2 takes for honest.
//
//hansa:verifies breakdown aggregator/coordinate-median aggregator/trimmed-mean
//hansa:verifies breakdown aggregator/meamed aggregator/krum aggregator/multi-krum
//hansa:verifies breakdown aggregator/bulyan aggregator/geometric-median aggregator/mda
func TestBreakdown(t *testing.T) {
	two := map[string]any{"f": int64(2)}
	for _, one := range []struct {
		e              fl.AggregatorEntry
		given          map[string]any
		stands, breaks int
	}{{CoordinateMedian, nil, 5, 6}, {GeometricMedian, nil, 5, 6}, {TrimmedMean, two, 2, 3},
		{MeaMed, two, 2, 3}, {MDA, two, 2, 3}, {MultiKrum, two, 2, 3}, {Krum, two, 2, 8}, {Bulyan, two, 2, 8}} {
		for many := range one.stands + 1 {
			for _, far := range []float64{30, 1e9, -1e200} {
				if off := attacked(t, one.e, one.given, many, far); !(off < 1.5) {
					t.Errorf("%s: %d at %v move it by %v diameters", one.e.Name, many, far, off)
				}
			}
		}
		if off := attacked(t, one.e, one.given, one.breaks, 1e9); off < 1e7 {
			t.Errorf("%s: %d move it by %v diameters only", one.e.Name, one.breaks, off)
		}
	}
}

// One client of n moves a mean of clipped updates by at most 2M/n, and one of centered clipping, at
// τ and L, by at most 2τL/n in the first iteration and as little as that in each one after it.
//
//hansa:verifies theorem aggregator/norm-clipping aggregator/centered-clipping
func TestOneClientMovesClippedMeansLittle(t *testing.T) {
	for _, one := range []struct {
		e     fl.AggregatorEntry
		given map[string]any
	}{{NormClipping, map[string]any{"threshold": 0.7}},
		{CenteredClipping, map[string]any{"tau": 0.7}}} {
		_, h, _ := robustCase(t, "coordinate-median")
		n := len(h.Cohorts[0])
		before := h.follow(t, built(t, one.e, one.given))[0]
		for _, far := range []float64{1, -1e3, 1e12} {
			h.Deltas[0][2].Fill(far)
			moved := h.follow(t, built(t, one.e, one.given))[0].Distance(before)
			if limit := 2 * 0.7 / float64(n); moved > limit*(1+1e-12) || moved == 0 {
				t.Errorf("%s: one client at %v moves it by %v, at most %v", one.e.Name, far, moved,
					limit)
			}
		}
	}
}

// A coordinate in which all updates agree goes as far as the mean, and one in which they do not
// goes back as far.
//
//hansa:verifies theorem aggregator/rlr
func TestRLRGoesBackWhereSignsDisagree(t *testing.T) {
	h := &lossHistory{Start: fl.Vector{0, 0}, Samples: []int{1, 1, 1}, Importance: fl.Vector{1, 0, 0},
		Losses: []fl.Vector{nil}, Cohorts: [][]int{{0, 1, 2}},
		Deltas: [][]fl.Vector{{{1, 1}, {2, 2}, {3, -9}}}}
	got := h.follow(t, built(t, RLR, map[string]any{"votes": 0.9}))[0]
	if math.Abs(got[0]-2) > 1e-15 || math.Abs(got[1]-2) > 1e-15 {
		t.Errorf("%v, want 2 and, of a mean of −2, 2", got)
	}
}

// A cohort that is too small for f leaves the model as it is, and says so; f for which no cohort is
// large enough is refused.
func TestCohortsTooSmallForF(t *testing.T) {
	for _, e := range []fl.AggregatorEntry{TrimmedMean, MeaMed, Krum, MultiKrum, Bulyan, MDA} {
		given := map[string]any{"f": int64(4)} // more than a cohort of seven stands
		r := &fl.Round{State: fl.NewStore(), Notes: new(fl.Notes), Global: fl.Vector{1, 2}}
		for k := range 7 {
			r.Updates = append(r.Updates, fl.Update{Client: k, Params: fl.Vector{9, float64(k)}})
		}
		out, err := built(t, e, given).Aggregate(r)
		if err != nil || out.Params.Distance(r.Global) != 0 || len(r.Notes.List()) != 1 {
			t.Errorf("%s: %v, %v, %q", e.Name, out.Params, err, r.Notes.List())
		}
		p := fl.NewParams(given, fl.Setting{Clients: 8, Rounds: 1}, nil)
		if _, err := e.New(p); err != nil || len(p.Finish()) != 1 {
			t.Errorf("%s: f = 4 of eight clients is accepted: %v", e.Name, err)
		}
	}
}

// The set that is averaged has the least diameter of all sets of n − f, for every f, and is the
// first of those, by client.
//
//hansa:verifies theorem aggregator/mda
func TestMDAHasTheLeastDiameter(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		n := 3 + rng.IntN(8)
		f := rng.IntN((n-1)/2 + 1)
		r := &fl.Round{State: fl.NewStore(), Notes: new(fl.Notes), Global: make(fl.Vector, 2)}
		for k := range n { // on a grid, so that diameters tie
			r.Updates = append(r.Updates, fl.Update{Client: k,
				Params: fl.Vector{float64(rng.IntN(4)), float64(rng.IntN(4))}})
		}
		best, want := math.Inf(1), 0
		for set := range 1 << n {
			if bits.OnesCount(uint(set)) != n-f {
				continue
			}
			diameter := 0.0
			for i := range n {
				for j := range i {
					if set>>i&1 == 1 && set>>j&1 == 1 {
						diameter = max(diameter,
							r.Updates[i].Params.Distance(r.Updates[j].Params))
					}
				}
			}
			first := bits.Reverse(uint(set)) > bits.Reverse(uint(want))
			if diameter < best || diameter == best && first {
				best, want = diameter, set
			}
		}
		out, err := built(t, MDA, map[string]any{"f": int64(f)}).Aggregate(r)
		if err != nil {
			t.Fatal(err)
		}
		for k, w := range out.Weights {
			if (w > 0) != (want>>k&1 == 1) {
				t.Fatalf("f = %d of %d: weights %v, want the set %b", f, n, out.Weights, want)
			}
		}
	}
}
