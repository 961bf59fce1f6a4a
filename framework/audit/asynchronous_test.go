package audit_test

import (
	"math"
	"testing"
)

// Weights of an asynchronous server are those of the updates that arrive: client i, which needs dᵢ
// seconds, in a share ∝ 1/dᵢ of the rounds. A discount counts those that are old less, and
// staleness goes with dᵢ, so that p̃ moves further from p; (1 + τ)^(−a) with a large leaves the
// fastest client alone.
func TestAsynchronousServersAreAudited(t *testing.T) {
	seconds := []float64{30, 10, 20, 5}
	of := func(aggregator string) []float64 {
		f := examine(t, "clients = 4\ndataset = { name = \"quadratics\", minima = [-3, -1, 1, 3] }\n"+
			"importance = \"uniform\"\nlocal = { lr = 0.005 }\navailability = \"always\"\n"+
			"completion = { name = \"durations\", seconds = [30, 10, 20, 5], concurrency = 4, "+
			"take = 1 }\n"+aggregator)
		if f.Effective == nil {
			t.Fatal(f.Why)
		}
		return f.Effective.P
	}
	var sum float64
	for _, d := range seconds {
		sum += 1 / d
	}
	arrivals := of("aggregator = { name = \"fedbuff\", discount = \"constant\" }\n")
	discounted := of("aggregator = { name = \"fedbuff\", discount_a = 1 }\n")
	fastest := of("aggregator = { name = \"fedbuff\", discount_a = 60 }\n")
	for i, d := range seconds {
		if want := 1 / d / sum; math.Abs(arrivals[i]-want) > 0.005 {
			t.Errorf("client %d: weight %v, want %v", i, arrivals[i], want)
		}
	}
	if !(discounted[0] < 0.8*arrivals[0] && discounted[3] > 1.05*arrivals[3]) || fastest[3] < 0.999 {
		t.Errorf("weights %v, with a discount %v, with a large one %v", arrivals, discounted, fastest)
	}
}
