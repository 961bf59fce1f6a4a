package outage

import (
	"math"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/plugins/trial"
)

// play plays rounds among six clients and shows each.
func play(t *testing.T, given trial.Values, rounds int, visit func(r *fl.AvailabilityInput, here [6]float64)) {
	t.Helper()
	a := trial.Build(t, Outage, given)
	r := &fl.AvailabilityInput{Roster: &fl.Roster{N: 6}, RNG: trial.Random(1), State: fl.NewStore()}
	for r.T = range rounds {
		r.Recycle()
		var here [6]float64
		for _, i := range a.Available(r) {
			here[i] = 1
		}
		visit(r, here)
	}
}

// Regions are up as often, and stay down as long, as the channel says; whose region is down does
// not come, and others come at their rate.
func TestRegions(t *testing.T) {
	const rounds, fail, repair, rate = 200_000, 0.1, 0.2, 0.5
	given := trial.Values{"regions": int64(2), "fail": fail, "repair": repair, "rate": rate}
	up, came, again, last := 0.0, 0.0, 0.0, 0.0
	play(t, given, rounds, func(r *fl.AvailabilityInput, here [6]float64) {
		for i, h := range here {
			if context := r.Context.Data[i]; h > context || r.Inclusion[i] != rate*context {
				t.Fatalf("round %d: client %d: %v came, region %v, chance %v",
					r.T, i, h, context, r.Inclusion[i])
			}
		}
		if r.Context.Data[0] != r.Context.Data[2] || r.Context.Data[3] != r.Context.Data[5] {
			t.Fatalf("round %d: regions %v", r.T, r.Context.Data)
		}
		now := r.Context.Data[5]
		up += now / rounds
		again += last * now / rounds
		came += here[5] / rounds
		last = now
	})
	const u = repair / (fail + repair)
	for what, c := range map[string][2]float64{
		"up": {up, u}, "up twice": {again, u * (1 - fail)}, "came": {came, u * rate},
	} {
		if math.Abs(c[0]-c[1]) > 0.012 { // 5 standard deviations of correlated rounds
			t.Errorf("%s: %v, want %v", what, c[0], c[1])
		}
	}
}

// Two clients of one region come together more often than their rates would have it, of two
// regions they do not.
func TestTogether(t *testing.T) {
	const rounds, u, rate = 200_000, 0.5, 0.6
	given := trial.Values{"regions": int64(2), "fail": 0.3, "repair": 0.3, "rate": rate}
	same, other := 0.0, 0.0
	play(t, given, rounds, func(_ *fl.AvailabilityInput, here [6]float64) {
		same += here[0] * here[1] / rounds
		other += here[0] * here[5] / rounds
	})
	if want := u * rate * rate; math.Abs(same-want) > 0.01 {
		t.Errorf("of one region: %v, want %v", same, want)
	}
	if want := u * u * rate * rate; math.Abs(other-want) > 0.01 {
		t.Errorf("of two regions: %v, want %v", other, want)
	}
}

// More regions than clients are refused.
func TestRegionsHaveClients(t *testing.T) {
	const want = "regions: 11 of 10 clients"
	if got := trial.Refused(t, Outage, trial.Values{"regions": int64(11)}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
