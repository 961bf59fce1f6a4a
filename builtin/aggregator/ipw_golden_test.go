package aggregator

import (
	"encoding/json"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

func marked(marks []int) []int {
	var set []int
	for i, m := range marks {
		if m == 1 {
			set = append(set, i)
		}
	}
	return set
}

// One round of every estimator, with propensities as NumPy was given them.
//
//hansa:verifies golden aggregator/naive aggregator/oracle-ipw aggregator/fedipw
func TestGoldenEstimators(t *testing.T) {
	var in struct {
		Updates      []fl.Vector
		Enrolled     []int
		Participates []int
		E, S         fl.Vector
		EHat         fl.Vector `json:"e_hat"`
		SHat         fl.Vector `json:"s_hat"`
		Floor        float64   `json:"clip_floor"`
		Calibration  fl.Vector `json:"calibration_weights"`
	}
	var want map[string]json.RawMessage
	c := golden(t, "fedipw", "one_round_estimators", &in, &want)
	n, cohort := len(in.Updates), marked(in.Participates)
	pop := &fl.Roster{N: n, Importance: uniformly(n), Enrolled: make([]bool, n)}
	for _, i := range marked(in.Enrolled) {
		pop.Enrolled[i] = true
	}
	burnt := []any{"burn_in", int64(0), "floor", 0.0}
	for name, method := range map[string]struct {
		entry fl.AggregatorEntry
		given map[string]any
	}{
		"naive":                {Naive, nil},
		"oracle_ht":            {OracleIPW, normalised("ht")},
		"fedipw_ht":            {FedIPW, normalised("ht", burnt...)},
		"fedipw_hajek":         {FedIPW, normalised("hajek", burnt...)},
		"fedipw_clipped_ht":    {FedIPW, normalised("ht", "burn_in", int64(0), "floor", in.Floor)},
		"round_only_ht":        {RoundIPW, normalised("ht", burnt...)},
		"round_only_hajek":     {RoundIPW, normalised("hajek", burnt...)},
		"aggregate_calibrated": {Calibrated, normalised("ht", burnt...)},
	} {
		r := roundOf(pop, nil, make(fl.Vector, 3), in.Updates, cohort)
		knowing(r, in.SHat)
		r.Oracle = &fl.Oracle{Enrollment: in.E, Inclusion: in.S}
		copy(r.State.Vector("enrolment", n+1), append(in.EHat.Clone(), 1))
		copy(r.State.Vector("calibration", n+1), append(in.Calibration.Clone(), 1))
		got, err := paramsOf(build(t, method.entry, method.given), r)
		if err != nil {
			t.Fatal(name, err)
		}
		var expected fl.Vector
		if err := json.Unmarshal(want[name], &expected); err != nil {
			t.Fatal(name, err)
		}
		c.equal(t, name, got, expected)
	}
}

// Means over all that can happen, by enumeration, against those that NumPy enumerated.
//
//hansa:verifies golden aggregator/naive
func TestGoldenExpectations(t *testing.T) {
	var in struct{ E, S, Updates fl.Vector }
	var want struct {
		Naive    float64 `json:"naive_given_nonempty"`
		HT       float64
		Round    float64 `json:"round_only_ht_over_expected_enrolled"`
		NonEmpty float64 `json:"probability_nonempty"`
	}
	c := golden(t, "fedipw", "expectations_by_enumeration", &in, &want)
	var local []fl.Vector
	for _, delta := range in.Updates {
		local = append(local, fl.Vector{delta})
	}
	n, pi := len(local), product(in.E, in.S)
	mean := func(e fl.AggregatorEntry, given map[string]any, claimed fl.Vector) float64 {
		r := roundOf(&fl.Roster{N: n, Importance: uniformly(n)}, nil, fl.Vector{0}, nil, nil)
		r.Oracle = &fl.Oracle{Enrollment: claimed, Inclusion: in.S}
		a, sum := build(t, e, given), fl.Vector{0}
		patterns(pi, anySet, func(set []int, q float64) {
			sum.AddScaled(q, updateOf(t, a, r, local, set))
		})
		return sum[0]
	}
	everyone := fl.Vector{1, 1, 1, 1}
	got := fl.Vector{
		mean(Naive, nil, nil) / want.NonEmpty,
		mean(OracleIPW, normalised("ht"), in.E),
		// Over N; the reference divides by the number of clients that enrol on average.
		mean(OracleIPW, normalised("ht"), everyone) * float64(n) / in.E.Sum(),
	}
	c.equal(t, "means", got, fl.Vector{want.Naive, want.HT, want.Round})
}
