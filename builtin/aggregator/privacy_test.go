package aggregator

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/privacy"
)

// twoBlocks is the layout of the golden vectors.
var twoBlocks = fl.Layout{Blocks: []fl.Block{{Name: fl.Weight, Rows: 2, Cols: 2},
	{Name: fl.Bias, Rows: 2, Cols: 1, Offset: 4}}}

// release returns what a private aggregator makes of a history, with its noise from streams of a
// seed; and what it observed.
func (h *lossHistory) release(t *testing.T, a fl.Aggregator, seed uint64) ([]fl.Vector, *fl.Notes) {
	t.Helper()
	r := &fl.Round{State: fl.NewStore(), Notes: new(fl.Notes), Layout: twoBlocks}
	var all []fl.Vector
	theta := h.Start
	for round, cohort := range h.Cohorts {
		r.Recycle()
		r.T, r.Global, r.Updates = round, theta, nil
		r.RNG = fl.NewStream(seed, "server").At(round, 0).Rand()
		for k, i := range cohort {
			m := theta.Clone()
			m.Add(h.Deltas[round][k])
			r.Updates = append(r.Updates, fl.Update{Client: i, Params: m})
		}
		out, err := a.Aggregate(r)
		if err != nil {
			t.Fatal(err)
		}
		theta = out.Params.Clone()
		all = append(all, theta)
	}
	return all, r.Notes
}

// Five rounds of cohorts of different sizes, one of them empty, agree with the formulas as NumPy
// computes them without noise, to 1e-12: flat, by block, adaptive, and prefix sums with momentum.
//
//hansa:verifies golden aggregator/dp-fedavg aggregator/dp-ftrl
func TestGoldenPrivate(t *testing.T) {
	for name, e := range map[string]fl.AggregatorEntry{"dp-fedavg": DPFedAvg,
		"dp-fedavg blocks": DPFedAvg, "dp-fedavg adaptive": DPFedAvg, "dp-ftrl": DPFTRL,
		"dp-ftrl momentum": DPFTRL} {
		c, h, want := robustCaseOf(t, "privacy", name)
		got, _ := h.release(t, built(t, e, h.Given), 0)
		if len(got) != 5 || len(want) != 5 {
			t.Fatalf("%s: %d rounds of %d", name, len(got), len(want))
		}
		for k := range got {
			c.equal(t, name, got[k], want[k])
		}
	}
}

// eights is a history of cohorts of eight clients.
func eights(t *testing.T) *lossHistory {
	_, h, _ := robustCaseOf(t, "privacy", "dp-fedavg")
	for k := range h.Cohorts {
		h.Cohorts[k], h.Deltas[k] = []int{0, 1, 2, 3, 4, 6, 9, 11}, nil
		rng := rand.New(rand.NewPCG(5, uint64(k)))
		for range h.Cohorts[k] {
			d := make(fl.Vector, len(h.Start))
			d.AddNoise(0.7, rng)
			h.Deltas[k] = append(h.Deltas[k], d)
		}
	}
	return h
}

// Without noise, with a radius beyond all updates and cohorts as large as the denominator, the
// noisy sum of a round is the plain mean, and with a shorter radius norm-clipping, both to the bit;
// prefix sums are the same to 1e-12.
//
//hansa:verifies equivalence aggregator/dp-fedavg aggregator/dp-ftrl
func TestPrivateRulesReduceToTheMean(t *testing.T) {
	h := eights(t)
	for _, radius := range []float64{1e300, 1.5} {
		want := h.follow(t, built(t, FedAvg, map[string]any{"weights": "uniform"}))
		if radius == 1.5 {
			want = h.follow(t, built(t, NormClipping, map[string]any{"threshold": radius}))
		}
		given := map[string]any{"noise": 0.0, "clip": radius, "denominator": 8.0}
		got, _ := h.release(t, built(t, DPFedAvg, given), 0)
		sums, _ := h.release(t, built(t, DPFTRL, given), 0)
		for k := range want {
			if !slices.Equal(got[k], want[k]) {
				t.Errorf("radius %v: round %d of dp-fedavg is %v away", radius, k,
					got[k].Distance(want[k]))
			}
			if d := sums[k].Distance(want[k]); d > 1e-12 {
				t.Errorf("radius %v: round %d of dp-ftrl is %v away", radius, k, d)
			}
		}
	}
}

// A client moves the sum by at most C, and another client in its place by at most 2C, flat and by
// block: 2000 random cohorts and replacements, among them the pairs that attain the bounds.
//
//hansa:verifies theorem aggregator/dp-fedavg aggregator/dp-ftrl
func TestSensitivityIsTwoRadiiAtMost(t *testing.T) {
	const radius, m, size = 0.8, 4.0, 6
	rng := rand.New(rand.NewPCG(1, 2))
	for _, per := range []string{"all", "block"} {
		most, out := 0.0, 0.0
		for trial := range 2000 {
			h := &lossHistory{Start: make(fl.Vector, size), Cohorts: [][]int{{0, 1, 2}},
				Deltas: [][]fl.Vector{{}}}
			for range 3 {
				d := make(fl.Vector, size)
				d.AddNoise(math.Exp(2*rng.NormFloat64()), rng)
				h.Deltas[0] = append(h.Deltas[0], d)
			}
			sum := func() fl.Vector {
				a := built(t, DPFedAvg, map[string]any{"noise": 0.0, "clip": radius,
					"denominator": m, "per": per})
				all, _ := h.release(t, a, 0)
				all[0].Scale(m)
				return all[0]
			}
			first := sum()
			other := make(fl.Vector, size)
			if other.AddNoise(math.Exp(2*rng.NormFloat64()), rng); trial%10 == 0 {
				other.AddScaled(-9, h.Deltas[0][2])
				copy(other, h.Deltas[0][2])
				other.Scale(-1)
			}
			kept := h.Deltas[0]
			h.Deltas[0] = append(slices.Clone(kept[:2]), other)
			most = max(most, first.Distance(sum()))
			h.Cohorts[0], h.Deltas[0] = []int{0, 1}, kept[:2]
			out = max(out, first.Distance(sum()))
		}
		if most > 2*radius+1e-12 || most < 1.99*radius || out > radius+1e-12 || out < 0.999*radius {
			t.Errorf("per %s: the sum moves by %v of %v when a client is replaced, and by %v of %v "+
				"when it is removed", per, most, 2*radius, out, radius)
		}
	}
}

// The noise of a round is zC/m times the normal numbers of the server's stream of that round, added
// to the sum without noise, to the bit. Its variance over 40,000 coordinates is (zC/m)² within five
// standard deviations, in an empty round, too.
//
//hansa:verifies theorem aggregator/dp-fedavg
func TestNoiseOfASumIsExact(t *testing.T) {
	h := eights(t)
	given := map[string]any{"noise": 0.0, "clip": 1.5, "denominator": 8.0}
	plain, _ := h.release(t, built(t, DPFedAvg, given), 0)
	z, radius, m := 1.3, 1.5, 8.0 // variables: constants would be exact
	given["noise"] = z
	noisy, _ := h.release(t, built(t, DPFedAvg, given), 7)
	plain[0].AddNoise(z*radius/m, fl.NewStream(7, "server").At(0, 0).Rand())
	if !slices.Equal(plain[0], noisy[0]) {
		t.Error("the noise is not that of the stream")
	}
	const n = 40_000
	empty := &lossHistory{Start: make(fl.Vector, n), Cohorts: [][]int{nil}, Deltas: [][]fl.Vector{nil}}
	noise, _ := empty.release(t, built(t, DPFedAvg, given), 3)
	want := math.Pow(z*radius/m, 2)
	got := noise[0].Dot(noise[0]) / n
	if math.Abs(got/want-1) > 5*math.Sqrt(2.0/n) {
		t.Errorf("the variance is %v, want %v", got, want)
	}
}

// The noise of round t is that of the tree, to 1e-12: its variance over 40,000 coordinates is as
// many times (zC/m)² as t has bits, within five standard deviations.
//
//hansa:verifies theorem aggregator/dp-ftrl
func TestNoiseOfPrefixSumsIsThatOfATree(t *testing.T) {
	const n, rounds, scale = 40_000, 9, 0.9 * 1.5 / 8
	h := &lossHistory{Start: make(fl.Vector, n), Cohorts: make([][]int, rounds),
		Deltas: make([][]fl.Vector, rounds)}
	a := built(t, DPFTRL, map[string]any{"noise": 0.9, "clip": 1.5, "denominator": 8.0})
	got, _ := h.release(t, a, 3)
	tree, err := privacy.NewTree(n, scale, func(level, index int) *rand.Rand {
		return fl.NewStream(3, "server").At((index+1)<<level-1, 0).Rand()
	})
	if err != nil {
		t.Fatal(err)
	}
	want := make(fl.Vector, n)
	for k, noise := range got {
		if err := tree.Next(want); err != nil {
			t.Fatal(err)
		}
		if d := noise.Distance(want); d > 1e-10 {
			t.Errorf("round %d: the noise is %v from that of the tree", k+1, d)
		}
		bits := float64(privacy.TreeVariance(k + 1))
		if v := noise.Dot(noise) / n / (scale * scale); math.Abs(v/bits-1) > 5*math.Sqrt(2.0/n) {
			t.Errorf("round %d: a variance of %v nodes, want %v", k+1, v, bits)
		}
	}
}

// Of trees that restart, the noise of all rounds is that of the trees before, each with the noise of
// its last prefix or, completed, of one node, and of the tree in which the round lies, to 1e-10. A
// restart changes nothing of sums without noise, to the bit.
//
//hansa:verifies theorem aggregator/dp-ftrl
func TestNoiseOfTreesThatRestart(t *testing.T) {
	const n, rounds, every, scale = 20_000, 11, 3, 0.9 * 1.5 / 8
	h := &lossHistory{Start: make(fl.Vector, n), Cohorts: make([][]int, rounds),
		Deltas: make([][]fl.Vector, rounds)}
	for _, completes := range []bool{false, true} {
		got, _ := h.release(t, built(t, DPFTRL, map[string]any{"noise": 0.9, "clip": 1.5,
			"denominator": 8.0, "restart": int64(every), "completion": completes}), 3)
		kept := make(fl.Vector, n) // noise of the trees that ended
		var tree *privacy.Tree
		var rng *rand.Rand
		for k, noise := range got {
			rng = fl.NewStream(3, "server").At(k, 0).Rand()
			if k%every == 0 {
				if k > 0 && completes {
					kept.AddNoise(scale, rng)
				} else if k > 0 {
					last := make(fl.Vector, n)
					tree.Noise(last)
					kept.Add(last)
				}
				var err error
				tree, err = privacy.NewTree(n, scale, func(int, int) *rand.Rand { return rng })
				if err != nil {
					t.Fatal(err)
				}
			}
			want := make(fl.Vector, n)
			if err := tree.Next(want); err != nil {
				t.Fatal(err)
			}
			want.Add(kept)
			if d := noise.Distance(want); d > 1e-10 {
				t.Errorf("completion %t, round %d: the noise is %v away", completes, k+1, d)
			}
			nodes := float64(k/every*privacy.TreeVariance(every) + privacy.TreeVariance(k%every+1))
			if completes {
				nodes = float64(k/every + privacy.TreeVariance(k%every+1))
			}
			v := noise.Dot(noise) / n / (scale * scale)
			if math.Abs(v/nodes-1) > 5*math.Sqrt(2.0/n) {
				t.Errorf("round %d: a variance of %v nodes, want %v", k+1, v, nodes)
			}
		}
	}
	few := eights(t)
	given := map[string]any{"noise": 0.0, "denominator": 8.0, "momentum": 0.5}
	want, _ := few.release(t, built(t, DPFTRL, given), 0)
	given["restart"], given["completion"] = int64(2), true
	got, _ := few.release(t, built(t, DPFTRL, given), 0)
	for k := range got {
		if !slices.Equal(got[k], want[k]) {
			t.Errorf("round %d without noise is %v away", k, got[k].Distance(want[k]))
		}
	}
}

// Updates in another order have the same noise and make the same models, to 1e-12.
//
//hansa:verifies invariance aggregator/dp-fedavg aggregator/dp-ftrl
func TestPrivateRulesHaveNoOrder(t *testing.T) {
	for _, e := range []fl.AggregatorEntry{DPFedAvg, DPFTRL} {
		h, given := eights(t), map[string]any{"denominator": 8.0, "clip": 1.2}
		want, _ := h.release(t, built(t, e, given), 1)
		for k := range h.Cohorts {
			h.Deltas[k] = reversed(h.Deltas[k])
		}
		got, _ := h.release(t, built(t, e, given), 1)
		for k := range got {
			if d := got[k].Distance(want[k]); d > 1e-12 {
				t.Errorf("%s: round %d is %v away", e.Name, k, d)
			}
		}
	}
}

// The multipliers of adaptive clipping are those of adaptive_clip_noise_params in
// differential_privacy.py of tensorflow-federated: for z = 1 and 100 clients a count with noise
// 5 and a sum with 1/√(1 − 1/100); both releases together are one with z.
//
//hansa:verifies source aggregator/dp-fedavg
func TestAdaptiveClippingSplitsItsNoise(t *testing.T) {
	for _, c := range []struct{ noise, given, m, sum, count float64 }{
		{1, 0, 100, 1 / math.Sqrt(1-0.01), 5},
		{0.6, 2, 30, 1 / math.Sqrt(1/0.36-1.0/16), 2},
		{1, 0, 10, 1 / math.Sqrt(0.75), 1},
		{0, 3, 100, 0, 0},
	} {
		a := dpFedAvg{clippedSum: clippedSum{noise: c.noise}, count: c.given}
		sum, count := a.split(c.m)
		if math.Abs(sum-c.sum) > 1e-12 || count != c.count {
			t.Errorf("z = %v, m = %v: %v and %v, want %v and %v", c.noise, c.m, sum, count, c.sum,
				c.count)
		}
		if both := 1/(sum*sum) + 1/(4*count*count); c.noise > 0 &&
			math.Abs(both-1/(c.noise*c.noise)) > 1e-12 {
			t.Errorf("z = %v: together %v", c.noise, 1/math.Sqrt(both))
		}
	}
}

// Where norms have one distribution, the radius comes to its γ-quantile, although the count that it
// follows has noise: to 5 % of the mean radius over the last half of 400 rounds of 200 clients.
//
//hansa:verifies fixed-point aggregator/dp-fedavg
func TestRadiusComesToTheQuantile(t *testing.T) {
	const clients, rounds, quantile = 200, 400, 0.7
	h := &lossHistory{Start: make(fl.Vector, 1)}
	rng := rand.New(rand.NewPCG(9, 9))
	for range rounds {
		var cohort []int
		var deltas []fl.Vector
		for i := range clients {
			cohort, deltas = append(cohort, i), append(deltas, fl.Vector{3 * rng.Float64()})
		}
		h.Cohorts, h.Deltas = append(h.Cohorts, cohort), append(h.Deltas, deltas)
	}
	given := map[string]any{"adaptive": true, "quantile": quantile, "denominator": float64(clients),
		"clip": 0.1}
	_, start := (&lossHistory{Start: h.Start, Cohorts: h.Cohorts[:200], Deltas: h.Deltas[:200]}).
		release(t, built(t, DPFedAvg, given), 2)
	_, whole := h.release(t, built(t, DPFedAvg, given), 2)
	mean := 2*whole.Observations()[0].Mean - start.Observations()[0].Mean
	if math.Abs(mean/(3*quantile)-1) > 0.05 {
		t.Errorf("the radius is %v, want %v", mean, 3*quantile)
	}
}

// With momentum the velocity adds up whole prefix sums with their noise, as FTRLOptimizer in
// optimizers.py of google-research/DP-FTRL does: m ← βm + g + n, and p = p₀ − m/α for gradients g.
//
//hansa:verifies source aggregator/dp-ftrl
func TestMomentumActsOnPrefixSums(t *testing.T) {
	h := eights(t)
	given := map[string]any{"denominator": 8.0, "clip": 1e9, "noise": 1e-9}
	sums, _ := h.release(t, built(t, DPFTRL, given), 4)
	given["momentum"], given["server_rate"] = 0.6, 0.5
	got, _ := h.release(t, built(t, DPFTRL, given), 4)
	v := make(fl.Vector, len(h.Start))
	for k := range got {
		v.Scale(0.6)
		v.Add(sums[k])
		v.Sub(h.Start)
		want := h.Start.Clone()
		want.AddScaled(0.5, v)
		if d := got[k].Distance(want); d > 1e-12 {
			t.Errorf("round %d is %v away", k, d)
		}
	}
}

// Without a cohort distribution the denominator is to be given, and an expected size is an integer
// where it is one but for rounding.
func TestDenominatorIsTheExpectedSize(t *testing.T) {
	for _, e := range []fl.AggregatorEntry{DPFedAvg, DPFTRL} {
		p := fl.NewParams(nil, fl.Setting{Clients: 6, Rounds: 3}, nil)
		if _, err := e.New(p); err != nil {
			t.Fatal(err)
		}
		if problems := p.Finish(); len(problems) != 1 || problems[0].Param != "denominator" {
			t.Errorf("%s: %v", e.Name, problems)
		}
	}
	s := clippedSum{}
	if _, err := s.denominator(&fl.Round{}); err == nil {
		t.Error("a server that knows no law divides by an expectation")
	}
	third := fl.Vector{0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3}
	if m, err := s.denominator(&fl.Round{Law: &fl.Law{Inclusion: third}}); m != 3 || err != nil {
		t.Errorf("%v, %v", m, err)
	}
	if m, err := s.denominator(&fl.Round{Law: &fl.Law{Inclusion: third[:1]}}); m != 0.3 || err != nil {
		t.Errorf("%v, %v", m, err)
	}
}
