package builtin

import (
	"context"
	"math"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/registry/contract"
)

// leaning enrols clients by their first covariate: logit eᵢ = −0.7 + κXᵢ₁.
type leaning struct{ kappa float64 }

func (l leaning) Enroll(e *fl.EnrollmentInput) []bool {
	in := make([]bool, e.Roster.N)
	for i := range in {
		e.Probability[i] = sigmoid(-0.7 + l.kappa*e.Roster.Covariates.Row(i)[0])
		in[i] = e.RNG.Float64() < e.Probability[i]
	}
	return in
}

// drifting has clients come by their second covariate and a context: logit sᵢᵗ = −1 + 0.8Xᵢ₂ +
// 0.8Zᵢᵗ, Z an autoregression with a persistence of 0.8.
type drifting struct{}

func (drifting) Available(r *fl.AvailabilityInput) []int {
	n := r.Roster.N
	z, begun := r.State.Matrix("z", n, 1), r.State.Vector("begun", 1)
	r.Context, r.Inclusion = z, r.State.Vector("chance", n)
	var set []int
	for i := range n {
		fresh := r.RNG.NormFloat64()
		if begun[0] > 0 {
			fresh = 0.8*z.Row(i)[0] + 0.6*fresh
		}
		z.Row(i)[0] = fresh
		r.Inclusion[i] = sigmoid(-1 + 0.8*r.Roster.Covariates.Row(i)[1] + 0.8*fresh)
		if r.RNG.Float64() < r.Inclusion[i] {
			set = append(set, i)
		}
	}
	begun[0] = 1
	return set
}

func (drifting) Law(*fl.Roster) (fl.Law, bool) { return fl.Law{}, false }

func sigmoid(t float64) float64 { return 1 / (1 + math.Exp(-t)) }

// selective composes a method in a population whose selection has two stages.
func selective(t *testing.T, clients, rounds int, method study.Pick, e fl.Enrollment) *engine.Setup {
	t.Helper()
	s, _, problems := menu(t).Compose(study.Cell{
		Method: "x", Seed: 1, DataSeed: 0, Clients: clients, Rounds: rounds, Every: 5,
		Disclose: string(fl.DiscloseFull), Oracle: true,
		Picks: map[string]study.Pick{
			"dataset": {Name: "population-logistic", Params: map[string]any{
				"test_samples_per_client": int64(0)}},
			"partition":  {Name: "natural"},
			"importance": {Name: "uniform"},
			"model":      {Name: "logistic", Params: map[string]any{"bias": false, "l2": 0.01}},
			"local": {Name: "sgd", Params: map[string]any{
				"steps": int64(5), "lr": 0.3}},
			"availability": {Name: "always"},
			"selection":    {Name: "all"},
			"aggregator":   method,
		},
		Measures: []study.Measure{{Pick: study.Pick{Name: "suboptimality"}, Key: "suboptimality"},
			{Pick: study.Pick{Name: "distance"}, Key: "distance"}},
	})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	s.Enrollment, s.Availability = e, drifting{}
	return &s
}

func hajek(name string, more map[string]any) study.Pick {
	params := map[string]any{"normalisation": "hajek"}
	for key, v := range more {
		params[key] = v
	}
	return study.Pick{Name: name, Params: params}
}

// The paper's experiment, of which its text has no numbers: with 2000 clients the loss of the
// population, in excess of the least, by how strongly enrolment depends on what clients are like.
// Estimated propensities may beat the true ones: they compensate for the realised enrolment.
func TestTwoStageSelection(t *testing.T) {
	memo := engine.NewMemo(10)
	excess := func(kappa float64, method study.Pick) float64 {
		s := selective(t, 2000, 150, method, leaning{kappa})
		result, err := engine.Run(context.Background(), s, engine.Options{Memo: memo})
		if err != nil {
			t.Fatal(err)
		}
		values, mean := result.Series[0].Values, 0.0
		for _, x := range values[len(values)-6:] {
			mean += x / 6
		}
		return 1000 * mean
	}
	for _, kappa := range []float64{0, 1, 2} {
		naive := excess(kappa, study.Pick{Name: "naive"})
		round := excess(kappa, hajek("round-ipw", nil))
		calibrated := excess(kappa, hajek("calibrated", nil))
		fedipw := excess(kappa, hajek("fedipw", nil))
		oracle := excess(kappa, hajek("oracle-ipw", nil))
		t.Logf("κ = %v: naive %.3g, round-only %.3g, calibrated %.3g, FedIPW %.3g, oracle %.3g (×1e-3)",
			kappa, naive, round, calibrated, fedipw, oracle)
		if naive < 5 || naive > 100 {
			t.Errorf("κ = %v: naive %v", kappa, naive)
		}
		if kappa == 0 { // enrolment is uniform: correcting participation suffices
			if naive < 5*round || round > 3*fedipw || fedipw > 3*round {
				t.Errorf("κ = 0: naive %v, round-only %v, FedIPW %v", naive, round, fedipw)
			}
			continue
		}
		if naive < 1.5*round || round < 5*fedipw || fedipw > 2*oracle || oracle > 3 ||
			calibrated > 2*fedipw || fedipw > 3*calibrated {
			t.Errorf("κ = %v: the order is another", kappa)
		}
		if kappa == 1 {
			rough := excess(kappa, hajek("calibrated", map[string]any{"moment_noise": 1.0}))
			if t.Logf("moments off by a standard deviation: %.3g", rough); rough < round {
				t.Errorf("moments off by a standard deviation do better than none: %v", rough)
			}
		}
	}
}

// What is trained profits from a calibration that knows how wrong its moments are: by pairs of runs
// with the same draws, the distance from the optimum is nowhere significantly larger, and it is
// smaller where moments are off by a standard deviation or more.
func TestCalibrationThatKnowsItsNoiseTrainsNoWorse(t *testing.T) {
	memo := engine.NewMemo(10)
	for _, sigma := range []float64{0.05, 0.3, 1, 3} {
		const seeds = 8
		var mean, square float64
		for seed := range uint64(seeds) {
			distance := func(aware bool) float64 {
				s := selective(t, 500, 60, hajek("calibrated", map[string]any{
					"moment_noise": sigma, "noise_aware": aware}), leaning{1})
				s.Seed = seed
				result, err := engine.Run(context.Background(), s, engine.Options{Memo: memo})
				if err != nil {
					t.Fatal(err)
				}
				values := result.Series[1].Values
				return values[len(values)-1]
			}
			worse := distance(true) - distance(false)
			mean, square = mean+worse/seeds, square+worse*worse/seeds
		}
		score := mean / math.Sqrt((square-mean*mean)/(seeds-1))
		t.Logf("σ = %v: farther by %.3g, t = %.2f", sigma, mean, score)
		if score > 2 || sigma >= 1 && score > -2 {
			t.Errorf("σ = %v: noise_aware is farther by %v, t = %v", sigma, mean, score)
		}
	}
}

// A cell of selection in two stages has the same bits with any number of workers, twice, and
// resumed after any round, whatever aggregates.
func TestSelectiveCellsAreExact(t *testing.T) {
	for _, method := range []study.Pick{
		{Name: "naive"}, hajek("oracle-ipw", nil),
		hajek("round-ipw", map[string]any{"refit": int64(2), "window": int64(4), "burn_in": int64(2)}),
		hajek("fedipw", map[string]any{"refit": int64(1), "burn_in": int64(1), "last": true}),
		hajek("calibrated", map[string]any{"moment_noise": 0.1, "include_current": false}),
	} {
		s := selective(t, 30, 9, method, leaning{1})
		for _, v := range contract.Cell(s, engine.Options{}) {
			t.Errorf("%s: %v", method.Name, v)
		}
	}
}
