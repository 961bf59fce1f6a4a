package verdict_test

import (
	"math"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/verdict"
)

// A gain is tested as the differences in every seed: p of its value is that of a comparison, and p of
// its growth that of the differences of differences.
func TestGainsArePaired(t *testing.T) {
	w := knownStudy()
	judged := func(holds string, at ...string) verdict.Verdict {
		t.Helper()
		return verdict.Judge(&w.Input, []study.Claim{claimed(t, w, holds, at...)})[0]
	}
	value, better := judged("value(noisy - good, loss, >= 0)", "k = 2"),
		judged("better(good, noisy, loss)", "k = 2")
	if value.P != better.P || value.Estimate != -better.Estimate || value.N != 5 {
		t.Errorf("value %+v\nbetter %+v", value, better)
	}
	of := func(method, k string, seed int) float64 {
		for i, c := range w.Cells {
			if c.Method == method && c.Point[0].Label == k && c.Seed == uint64(seed) {
				return float64(w.Results[w.IDs[i]].Series[0].Values[2])
			}
		}
		t.Fatalf("no %s at %s", method, k)
		return 0
	}
	var d []float64
	for seed := range 5 {
		d = append(d, of("noisy", "k = 8", seed)-of("good", "k = 8", seed)-
			(of("noisy", "k = 1", seed)-of("good", "k = 1", seed)))
	}
	mean, sd := infer.MeanSD(d)
	up, down := infer.OneSided(mean, sd, 5)
	v := judged("increases(loss, over = k, of = noisy - good)", "k = 1", "k = 8")
	if math.Abs(v.Estimate-mean) > 1e-12 || math.Abs(v.P-2*min(up, down)) > 1e-12 {
		t.Errorf("got %v, p = %v; want %v, p = %v", v.Estimate, v.P, mean, 2*min(up, down))
	}
	if want := "loss of noisy − good, k = 8 − k = 1"; v.Of != want {
		t.Errorf("of %q, want %q", v.Of, want)
	}
}

// Two gains are compared as the differences of differences, seed by seed: what the runs of a seed
// share cancels out. What is taken from both cancels out, too.
func TestGainsAreCompared(t *testing.T) {
	w := knownStudy()
	judged := func(holds string) verdict.Verdict {
		t.Helper()
		return verdict.Judge(&w.Input, []study.Claim{claimed(t, w, holds, "k = 2")})[0]
	}
	loss := map[string][]float64{}
	for i, c := range w.Cells {
		if r := w.Results[w.IDs[i]]; r != nil && c.Point[0].Label == "k = 2" {
			loss[c.Method] = append(loss[c.Method], float64(r.Series[0].Values[2]))
		}
	}
	var d []float64
	for s := range 5 {
		d = append(d, loss["noisy"][s]-loss["bad"][s]-(loss["growing"][s]-loss["good"][s]))
	}
	mean, sd := infer.MeanSD(d)
	down, up := infer.OneSided(-mean, sd, 5) // of a loss, less is better
	v := judged("better(noisy - bad, growing - good, loss)")
	if math.Abs(v.Estimate-mean) > 1e-12 || math.Abs(v.P-2*min(up, down)) > 1e-12 || v.N != 5 {
		t.Errorf("got %v, p = %v; want %v, p = %v", v.Estimate, v.P, mean, 2*min(up, down))
	}
	shared, plain := judged("better(noisy - bad, growing - bad, loss)"),
		judged("better(noisy, growing, loss)")
	if math.Abs(shared.Estimate-plain.Estimate) > 1e-12 || math.Abs(shared.P-plain.P) > 1e-9 {
		t.Errorf("%+v\n%+v", shared, plain)
	}
	opposite := judged("worse(growing - good, noisy - bad, loss)")
	if opposite.Estimate != v.Estimate || opposite.P != v.P {
		t.Errorf("%+v\n%+v", opposite, v)
	}
}

// Where the report goes across differences in what is measured, methods are compared across them.
func TestClaimsAcrossQuantities(t *testing.T) {
	w := knownStudy()
	c := claimed(t, w, "better(elsewhere, good, loss)")
	v := verdict.Judge(&w.Input, []study.Claim{c})[0]
	if want := "good and elsewhere do not measure the same loss at k = 1: elsewhere: other test " +
		"data: clients = 7 instead of 0"; v.Verdict != verdict.Incomparable || v.Why != want {
		t.Errorf("%s: %s", v.Verdict, v.Why)
	}
	w.Report.Across = true
	if v := verdict.Judge(&w.Input, []study.Claim{c})[0]; v.Verdict != verdict.Holds {
		t.Errorf("across: %s: %s", v.Verdict, v.Why)
	}
}
