package aggregator

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/privacy"
)

// secureSums are the aggregators of sums in a ring.
var secureSums = []fl.AggregatorEntry{DPDDGauss, DPSkellam}

// Without noise, and with 32 bits, five rounds agree with the clipped sums that NumPy computes, to
// what rounding may lose: √d·C/sm for each client.
//
//hansa:verifies golden aggregator/dp-ddgauss aggregator/dp-skellam
func TestGoldenSecureSum(t *testing.T) {
	for _, e := range secureSums {
		for _, name := range []string{"dp-fedavg", "dp-fedavg blocks"} {
			_, h, want := robustCaseOf(t, "privacy", name)
			h.Given["bits"], h.Given["clients"] = int64(32), int64(12)
			got, notes := h.release(t, built(t, e, h.Given), 0)
			d := privacy.Distributed{Clients: 12, Dim: 8, Bits: 32, Range: 4, Bias: math.Exp(-0.5)}
			most := 0.0
			for k := range got {
				most += float64(len(h.Cohorts[k])) * math.Sqrt(8) * 1.2 / d.Scale() / 8
				if off := got[k].Distance(want[k]); off > most {
					t.Errorf("%s, %s: round %d is %v away, more than %v", e.Name, name, k, off, most)
				}
			}
			if most > 1e-6 || notes.Observations()[1].Mean != 0 {
				t.Errorf("%s: a bound of %v; %v", e.Name, most, notes.Observations())
			}
		}
	}
}

// Without noise and with a radius beyond all updates a secure sum is the plain mean within what
// rounding may lose, and tends to it as bits are added; both laws are the same to the bit.
//
//hansa:verifies equivalence aggregator/dp-ddgauss aggregator/dp-skellam
func TestSecureSumReducesToTheMean(t *testing.T) {
	h := eights(t)
	want := h.follow(t, built(t, FedAvg, map[string]any{"weights": "uniform"}))
	last := math.Inf(1)
	for _, bits := range []int64{12, 18, 24, 30} {
		given := map[string]any{"noise": 0.0, "clip": 8.0, "denominator": 8.0, "bits": bits}
		got, notes := h.release(t, built(t, DPDDGauss, given), 5)
		other, _ := h.release(t, built(t, DPSkellam, given), 5)
		d := privacy.Distributed{Clients: 8, Dim: 8, Bits: int(bits), Range: 4}
		each, worst := 8*math.Sqrt(8)*8/d.Scale()/8, 0.0
		for k := range got {
			off := got[k].Distance(want[k])
			if worst = max(worst, off); off > each*float64(k+1) {
				t.Errorf("%d bits: round %d is %v away, more than %v", bits, k, off,
					each*float64(k+1))
			}
			if !slices.Equal(got[k], other[k]) {
				t.Errorf("%d bits: the laws differ without noise", bits)
			}
		}
		if worst >= last/8 || notes.Observations()[1].Mean != 0 {
			t.Errorf("%d bits: %v away, after %v; %v", bits, worst, last, notes.Observations())
		}
		last = worst
	}
}

// zeros is a round of clients whose update is 0, which is never rounded.
func zeros(clients, size int) *lossHistory {
	h := &lossHistory{Start: make(fl.Vector, size), Cohorts: [][]int{nil}, Deltas: [][]fl.Vector{nil}}
	for i := range clients {
		h.Cohorts[0] = append(h.Cohorts[0], i)
		h.Deltas[0] = append(h.Deltas[0], make(fl.Vector, size))
	}
	return h
}

// The noise of a sum has the variance (zC/m)² for a cohort of any size, within five standard
// deviations over 32,768 coordinates; an empty cohort has none, and no two clients have the same.
//
//hansa:verifies theorem aggregator/dp-ddgauss aggregator/dp-skellam
func TestNoiseOfSharesIsExact(t *testing.T) {
	const n = 32_768
	given := map[string]any{"noise": 1.3, "clip": 1.5, "denominator": 8.0}
	want := math.Pow(1.3*1.5/8, 2)
	for _, e := range secureSums {
		for _, clients := range []int{0, 1, 3, 8} {
			got, _ := zeros(clients, n).release(t, built(t, e, given), 3)
			v := got[0].Dot(got[0]) / n
			if clients == 0 {
				if v != 0 {
					t.Errorf("%s: an empty cohort has noise of variance %v", e.Name, v)
				}
				continue
			}
			if math.Abs(v/want-1) > 5*math.Sqrt(2.0/n) {
				t.Errorf("%s: %d clients have noise of variance %v, want %v", e.Name, clients, v, want)
			}
		}
	}
}

// Few bits of a ring that holds half a standard deviation wrap around where clients agree, which is
// observed, and the sum is then another one; with a range of 8 nothing does.
//
//hansa:verifies theorem aggregator/dp-ddgauss aggregator/dp-skellam
func TestWrapAroundIsSeen(t *testing.T) {
	h := zeros(8, 64)
	for k := range h.Deltas[0] {
		h.Deltas[0][k].Fill(0.1)
	}
	for _, e := range secureSums {
		given := map[string]any{"noise": 0.2, "denominator": 8.0, "bits": int64(8), "range": 8.0}
		good, notes := h.release(t, built(t, e, given), 3)
		if x := notes.Observations()[1]; x.Mean != 0 {
			t.Errorf("%s: %+v", e.Name, x)
		}
		given["range"] = 0.5
		bad, notes := h.release(t, built(t, e, given), 3)
		x := notes.Observations()[1]
		if x.Name != "share of coordinates that wrapped around" || x.Mean < 0.3 || x.Mean > 0.9 {
			t.Errorf("%s: %+v", e.Name, x)
		}
		if near, far := good[0].Distance(h.Deltas[0][0]), bad[0].Distance(h.Deltas[0][0]); near > 0.5 ||
			far < 2*near {
			t.Errorf("%s: %v away, and %v where the sum wraps around", e.Name, near, far)
		}
	}
}

// Rounding has no bias: the mean over 4,000 rounds of a client, with few bits and no noise, is its
// update within five standard deviations of what rounding adds, where rounding is not repeated.
//
//hansa:verifies unbiased aggregator/dp-ddgauss aggregator/dp-skellam
func TestRoundingIsUnbiased(t *testing.T) {
	const draws = 4000
	update := fl.Vector{0.3, -0.11, 0.02, 0.5, 0, -0.7, 0.2, 0.123}
	h := &lossHistory{Start: make(fl.Vector, 8), Cohorts: [][]int{{0}}, Deltas: [][]fl.Vector{{update}}}
	given := map[string]any{"noise": 0.0, "denominator": 1.0, "bits": int64(6), "bias": 0.0}
	grain := 1 / privacy.Distributed{Clients: 1, Dim: 8, Bits: 6, Range: 4}.Scale()
	for _, e := range secureSums {
		a, mean := built(t, e, given), make(fl.Vector, 8)
		for seed := range draws {
			got, _ := h.release(t, a, uint64(seed))
			mean.AddScaled(1.0/draws, got[0])
		}
		if off := mean.Distance(update); off > 5*math.Sqrt(8*grain*grain/4/draws) {
			t.Errorf("%s: the mean is %v away, of a grain of %v", e.Name, off, grain)
		}
	}
}

// What a client sends moves the sum of integers by Δ₂ at most, and another client in its place by
// 2Δ₂, in 500 random cohorts.
//
//hansa:verifies theorem aggregator/dp-ddgauss aggregator/dp-skellam
func TestSensitivityOfIntegers(t *testing.T) {
	const size = 16
	rng := rand.New(rand.NewPCG(8, 1))
	given := map[string]any{"noise": 0.0, "denominator": 4.0, "bits": int64(9), "clip": 0.8}
	d := privacy.Distributed{Clients: 4, Dim: size, Bits: 9, Range: 4, Bias: math.Exp(-0.5)}
	for _, e := range secureSums {
		a, most, out := built(t, e, given), 0.0, 0.0
		for trial := range 500 {
			h := zeros(3, size)
			for k := range h.Deltas[0] {
				h.Deltas[0][k].AddNoise(math.Exp(rng.NormFloat64()), rng)
			}
			sum := func() fl.Vector {
				all, _ := h.release(t, a, uint64(trial))
				all[0].Scale(4 * d.Scale() / 0.8)
				return all[0]
			}
			first := sum()
			h.Deltas[0][2].Scale(-1) // the client draws the same numbers
			most = max(most, first.Distance(sum()))
			h.Cohorts[0], h.Deltas[0] = h.Cohorts[0][:2], h.Deltas[0][:2]
			out = max(out, first.Distance(sum()))
		}
		if norm := d.Norm(); most > 2*norm || most < 1.5*norm || out > norm || out < 0.8*norm {
			t.Errorf("%s: the sum moves by %v and %v of Δ₂ = %v", e.Name, most, out, norm)
		}
	}
}

// Updates in another order make the same models, to the bit: each client draws from its own stream.
//
//hansa:verifies invariance aggregator/dp-ddgauss aggregator/dp-skellam
func TestSecureSumHasNoOrder(t *testing.T) {
	for _, e := range secureSums {
		h, given := eights(t), map[string]any{"denominator": 8.0, "clip": 1.2}
		want, _ := h.release(t, built(t, e, given), 1)
		for k := range h.Cohorts {
			h.Deltas[k], h.Cohorts[k] = reversed(h.Deltas[k]), slices.Clone(h.Cohorts[k])
			slices.Reverse(h.Cohorts[k])
		}
		got, _ := h.release(t, built(t, e, given), 1)
		for k := range got {
			if !slices.Equal(got[k], want[k]) {
				t.Errorf("%s: round %d is %v away", e.Name, k, got[k].Distance(want[k]))
			}
		}
	}
}

// A cohort that is larger than shares allow for is refused, and so are too few bits.
func TestSecureSumRefuses(t *testing.T) {
	for _, given := range []map[string]any{
		{"denominator": 2.0},
		{"denominator": 2.0, "clients": int64(1000), "bits": int64(2)},
	} {
		h := zeros(3, 8)
		r := &fl.Round{State: fl.NewStore(), Notes: new(fl.Notes), Global: h.Start,
			RNG: rand.New(rand.NewPCG(1, 1))}
		for k, i := range h.Cohorts[0] {
			r.Updates = append(r.Updates, fl.Update{Client: i, Params: h.Deltas[0][k]})
		}
		if _, err := built(t, DPDDGauss, given).Aggregate(r); err == nil {
			t.Errorf("%v was accepted", given)
		}
	}
	if bits := DPSkellam.Traits.(fl.AggregatorTraits).Coded(
		fl.NewResolved(map[string]any{"bits": int64(12)}), 1000); bits != 12*1024 {
		t.Errorf("%d bits", bits)
	}
}

// BenchmarkSecureSum adds ten updates of 400,000 parameters, without noise and with that of clients.
func BenchmarkSecureSum(b *testing.B) {
	const size, clients = 400_000, 10
	r := &fl.Round{State: fl.NewStore(), Notes: new(fl.Notes), Global: make(fl.Vector, size)}
	for i := range clients {
		d := make(fl.Vector, size)
		d.AddNoise(0.01, rand.New(rand.NewPCG(1, uint64(i))))
		r.Updates = append(r.Updates, fl.Update{Client: i, Params: d})
	}
	for _, c := range []struct {
		name  string
		entry fl.AggregatorEntry
		noise float64
	}{{"none", DPSkellam, 0}, {"skellam", DPSkellam, 1}, {"ddgauss", DPDDGauss, 1}} {
		b.Run(c.name, func(b *testing.B) {
			p := fl.NewParams(map[string]any{"noise": c.noise, "denominator": 10.0},
				fl.Setting{Rounds: 10}, nil)
			a, err := c.entry.New(p)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(8 * size * clients)
			for k := 0; b.Loop(); k++ {
				r.Recycle()
				r.RNG = rand.New(rand.NewPCG(2, uint64(k)))
				if _, err := a.Aggregate(r); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
		})
	}
}
