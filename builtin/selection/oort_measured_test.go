package selection_test

import (
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/builtin/selection"
	"github.com/hansa-fl/hansa/framework/fl"
)

// Utilities of twelve rounds with measured durations, stated ones beside them or not, are those of
// NumPy, to 1e-12: durations that are stated count for no client that took part. The pacer moves as
// it does without.
//
//hansa:verifies golden selection/oort
func TestGoldenMeasuredOort(t *testing.T) {
	var cases []struct {
		Samples           []int
		K, Window         int
		Durations         []float64
		Pace, Alpha, Clip float64
		Rounds            []struct {
			Known, Cohort   []int
			U, RMS, Seconds fl.Vector
			Preferred       float64
		}
	}
	readTold(t, "oort.json", &cases)
	paced := 0
	for at, c := range cases {
		given := map[string]any{"k": int64(c.K), "measured": true, "pace": c.Pace, "penalty": c.Alpha,
			"window": int64(c.Window), "clip": c.Clip}
		if len(c.Durations) > 0 {
			list := []any{}
			for _, x := range c.Durations {
				list = append(list, x)
			}
			given["durations"] = list
		}
		n := len(c.Samples)
		s, d := build(t, selection.Oort, given, n), newTelling(sized(c.Samples...))
		for round, want := range c.Rounds {
			u := selection.UtilityOf(s, d.open(round, everyone(n)))
			if !slices.Equal(u.Known, want.Known) || math.Abs(u.Preferred-want.Preferred) > 1e-12 {
				t.Errorf("case %d, round %d: %+v, want %+v", at, round, u, want)
			}
			for k, x := range want.U {
				if math.Abs(u.Of[k]-x) > 1e-12*math.Abs(x) {
					t.Errorf("case %d, round %d: U of %d is %v, want %v", at, round, u.Known[k], u.Of[k], x)
				}
			}
			if want.Preferred > c.Pace {
				paced++
			}
			d.tell(round, want.Cohort, want.RMS, nil)
			for k, i := range want.Cohort {
				told := d.told[i]
				told.Seconds = want.Seconds[k]
				d.told[i] = told
			}
		}
	}
	if paced == 0 {
		t.Error("the pacer never moves")
	}
}

// Where no seconds are known, or all are shorter than T, utilities with measured durations are those
// without a system part, to the bit; clients that never took part are then explored at equal speeds.
//
//hansa:verifies equivalence selection/oort
func TestMeasuredOortWithoutSlowClients(t *testing.T) {
	rms := fl.Vector{9, 1, 3, 2, 1.9, 4}
	utilities := func(seconds float64, given map[string]any) fl.Vector {
		given["k"] = int64(3)
		s, d := build(t, selection.Oort, given, 6), newTelling(people(6))
		d.tell(0, everyone(6), rms, nil)
		for i, told := range d.told {
			told.Seconds = seconds
			d.told[i] = told
		}
		return selection.UtilityOf(s, d.open(1, everyone(6))).Of
	}
	plain := utilities(math.NaN(), map[string]any{})
	for _, seconds := range []float64{math.NaN(), 0, 1} {
		got := utilities(seconds, map[string]any{"measured": true, "pace": 1.0})
		if !slices.Equal(got, plain) {
			t.Errorf("%v seconds: %v, want %v", seconds, got, plain)
		}
	}
	if got := utilities(2, map[string]any{"measured": true, "pace": 1.0}); math.Abs(got[0]-plain[0]/4) >
		1e-12*plain[0] {
		t.Errorf("twice as long as T: %v, want %v/4", got, plain)
	}
	s := build(t, selection.Oort, map[string]any{"k": int64(1), "measured": true, "pace": 1.0}, 4)
	chosen, fresh := make(fl.Vector, 4), newTelling(people(4))
	for draw := range 20_000 {
		in := fresh.open(draw, everyone(4))
		in.T = 0
		chosen[s.Select(in)[0]] += 1. / 20_000
	}
	if chosen.Distance(fl.Vector{0.25, 0.25, 0.25, 0.25}) > 0.02 {
		t.Errorf("explored %v", chosen)
	}
}
