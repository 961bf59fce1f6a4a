package diurnal

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/builtin/availability"
	"github.com/hansa-fl/hansa/builtin/importance"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/plugins/trial"
	"github.com/hansa-fl/hansa/registry"
)

// play returns how often each of n clients came in each hour of the day, as a share of the days.
func play(t *testing.T, given trial.Values, n, day, days int) [][]float64 {
	t.Helper()
	a := trial.Build(t, Diurnal, given)
	rng := trial.Random(1)
	came := make([][]float64, n)
	for i := range came {
		came[i] = make([]float64, day)
	}
	reach := &fl.Reach{Roster: &fl.Roster{N: n}, RNG: rng, State: fl.NewStore()}
	for reach.T = range day * days {
		reach.Recycle()
		for _, i := range a.Available(reach) {
			came[i][reach.T%day] += 1 / float64(days)
		}
	}
	return came
}

// Over a day every client comes at the rate that is named, and at its peak the named ratio as
// often as at its low; zone z has its peak z/zones of a day later.
func TestRateAndRatio(t *testing.T) {
	const n, day, days, zones = 6, 8, 20_000, 2
	given := trial.Values{"rate": 0.4, "ratio": 4.0, "day": int64(day), "zones": int64(zones)}
	for i, hours := range play(t, given, n, day, days) {
		mean := 0.0
		for _, share := range hours {
			mean += share / day
		}
		if math.Abs(mean-0.4) > 0.005 { // 4 standard deviations
			t.Errorf("client %d comes at a rate of %v", i, mean)
		}
		peak := i * zones / n * day / zones
		low := (peak + day/2) % day
		if ratio := hours[peak] / hours[low]; math.Abs(ratio-4) > 0.3 {
			t.Errorf("client %d: peak over low is %v", i, ratio)
		}
		if slices.Max(hours) > hours[peak]+0.02 || slices.Min(hours) < hours[low]-0.02 {
			t.Errorf("client %d has its peak elsewhere: %v", i, hours)
		}
	}
}

// A day without hours is the availability that is built in, bit for bit.
func TestFlatDay(t *testing.T) {
	flat := trial.Build(t, Diurnal, trial.Values{"rate": 0.3, "ratio": 1.0})
	r := new(registry.Registry)
	if err := r.Importances.Add(importance.Uniform); err != nil {
		t.Fatal(err)
	}
	coin := trial.BuildOf(t, r, availability.Bernoulli, trial.Values{"rate": 0.3})
	roster := &fl.Roster{N: 10}
	for round := range 100 {
		r := fl.Reach{T: round, Roster: roster, RNG: trial.Random(uint64(round)), State: fl.NewStore()}
		s := fl.Reach{T: round, Roster: roster, RNG: trial.Random(uint64(round)), State: fl.NewStore()}
		if a, b := flat.Available(&r), coin.Available(&s); !slices.Equal(a, b) {
			t.Fatalf("round %d: %v, Bernoulli %v", round, a, b)
		}
	}
}

// A mean that the peak cannot bear is refused: cut off at 1, it would be another one.
func TestMeanIsPossible(t *testing.T) {
	got := trial.Refused(t, Diurnal, trial.Values{"rate": 0.7, "ratio": 4.0})
	if !strings.Contains(got, "at the peak") {
		t.Errorf("%s", got)
	}
	trial.Build(t, Diurnal, trial.Values{"rate": 0.625, "ratio": 4.0})
}
