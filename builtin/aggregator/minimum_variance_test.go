package aggregator

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/stats"
)

// squareOver returns the mean of Σw² of an aggregator over a law.
func squareOver(t *testing.T, a fl.Aggregator, p fl.Vector, law *fl.Law) (sum float64) {
	t.Helper()
	n := len(p)
	unit := make([]fl.Vector, n)
	for i := range unit {
		unit[i] = make(fl.Vector, n)
		unit[i][i] = 1
	}
	r := roundOf(&fl.Roster{N: n, Importance: p}, law, make(fl.Vector, n), unit, law.Sets[0])
	for j, cohort := range law.Sets {
		next, err := paramsOf(a, again(r, unit, cohort))
		if err != nil {
			t.Fatal(err)
		}
		sum += law.Q[j] * next.Dot(next)
	}
	return sum
}

// On a feasible instance the mean of the aggregate over all cohorts is Σ pᵢ θᵢ, for any uploads.
//
//hansa:verifies unbiased aggregator/minimum-variance
func TestMinimumVarianceIsUnbiased(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 2))
	for range 30 {
		law := pairs(6)
		params := models(rng, 6, 4)
		r := roundOf(&fl.Roster{N: 6, Importance: feasible}, law, make(fl.Vector, 4), params, law.Sets[0])
		got := meanOver(t, build(t, MinimumVariance, nil), r, params)
		if d := got.Distance(weighted(feasible, params)); d > 1e-8 {
			t.Errorf("E[θ̂] is %g away from Σ pθ", d)
		}
		if notes := r.Notes.List(); len(notes) > 0 {
			t.Errorf("a feasible instance has notes: %v", notes)
		}
	}
}

// Theorem: of all convex weights with the same p̃ it has the least E‖w‖²: never more than FedAVOT,
// whether p is attainable or not; no less than Σ p̃²/π, what weights of any sign need; and less
// where on_infeasible chooses p̃ by variance, at the same total variation from p.
//
//hansa:verifies theorem aggregator/minimum-variance
func TestTheoremMinimumVariance(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 3))
	law := pairs(6)
	saved := 0.0
	for k := range 60 {
		p := fl.Vector(nil)
		switch k {
		case 0:
			p = feasible
		case 1:
			p = infeasible
		default:
			p = make(fl.Vector, 6)
			for i := range p {
				p[i] = math.Exp(rng.NormFloat64())
			}
			p.Scale(1 / p.Sum())
		}
		given := map[string]any{"epsilon": 1e-11}
		plan, _ := realised(t, build(t, MinimumVariance, given), p, law)
		entropic, _ := realised(t, build(t, FedAVOT, given), p, law)
		free := map[string]any{"epsilon": 1e-11, "on_infeasible": "least-variance"}
		end, _ := realised(t, build(t, MinimumVariance, free), p, law)
		if d := distance(end, p) - distance(entropic, p); d > 1e-8 {
			t.Errorf("%v: TV(p̃, p) is %g above that of FedAVOT", p, d)
		}
		if d := distance(plan, entropic); d > 1e-7 {
			t.Errorf("%v: the two plans realise importances that are %g apart", p, d)
		}
		least := squareOver(t, build(t, MinimumVariance, given), p, law)
		other := squareOver(t, build(t, FedAVOT, given), p, law)
		bound := 0.0
		for i, x := range plan {
			bound += x * x / law.Inclusion[i]
		}
		if least > other+1e-8 || least < bound-1e-8 {
			t.Errorf("%v: E‖w‖² is %v, of the entropic plan %v, Σ p̃²/π %v", p, least, other, bound)
		}
		if by := squareOver(t, build(t, MinimumVariance, free), p, law); by > least+1e-8 {
			t.Errorf("%v: E‖w‖² is %v where it chooses, %v for the nearest importance", p, by, least)
		}
		saved = max(saved, 1-least/other)
	}
	if saved < 1e-3 { // entropy is a good guide to variance, and not the same
		t.Errorf("the plan saves %v of the variance at most", saved)
	}
}

// Theorem: with a bias b its total variation from p is b beyond the deficiency, and its variance
// that of the frontier there.
//
//hansa:verifies theorem aggregator/minimum-variance
func TestTheoremBiasIsOnTheFrontier(t *testing.T) {
	law := pairs(6)
	for _, p := range []fl.Vector{feasible, infeasible} {
		m := ot.Masked{P: p, Q: law.Q, Sets: law.Sets}
		least := m.Feasibility().Deficiency
		frontier := m.Frontier(100, 1e-5, 1e-11, 10_000)
		for _, b := range []float64{0.01, 0.03, 0.06} {
			given := map[string]any{"bias": b, "epsilon": 1e-11}
			got, _ := realised(t, build(t, MinimumVariance, given), p, law)
			if d := distance(p, got); math.Abs(d-least-b) > 1e-8 {
				t.Errorf("bias %v: TV(p̃, p) = %v, the deficiency is %v", b, d, least)
			}
			variance := squareOver(t, build(t, MinimumVariance, given), p, law)
			for _, pt := range frontier.Points { // above all tangents, and on one of them nearly
				if d := variance + 4*pt.Bound*(least+b-pt.TV) - pt.Variance; d < -1e-7 {
					t.Errorf("bias %v: variance %v is %g below the frontier", b, variance, -d)
				}
			}
		}
	}
}

// Weights are those of a generic solver of quadratic programs in rational arithmetic, to 1e-8.
//
//hansa:verifies golden aggregator/minimum-variance
func TestGoldenMinimumVariance(t *testing.T) {
	text, err := os.ReadFile("../../framework/ot/testdata/least_variance.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			Name   string
			Inputs struct {
				P, Q fl.Vector
				Sets [][]int
			}
			Expected struct{ Weights []fl.Vector }
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, c := range file.Cases {
		n := len(c.Inputs.P)
		law := &fl.Law{Exact: true, Sets: c.Inputs.Sets, Q: c.Inputs.Q}
		law.Inclusion = stats.Inclusion(law.Sets, law.Q, n)
		unit := make([]fl.Vector, n)
		for i := range unit {
			unit[i] = make(fl.Vector, n)
			unit[i][i] = 1
		}
		a := build(t, MinimumVariance, map[string]any{"epsilon": 1e-12})
		r := roundOf(&fl.Roster{N: n, Importance: c.Inputs.P}, law, make(fl.Vector, n), unit, law.Sets[0])
		for j, cohort := range law.Sets {
			next, err := paramsOf(a, again(r, unit, cohort))
			if err != nil {
				t.Fatal(err)
			}
			for k, want := range c.Expected.Weights[j] {
				if got := next[cohort[k]]; math.Abs(got-want) > 1e-8 {
					t.Errorf("%s: client %d has %v in cohort %v, want %v", c.Name, cohort[k], got, cohort, want)
				}
			}
		}
	}
	if len(file.Cases) < 6 {
		t.Errorf("%d cases", len(file.Cases))
	}
}

// Learnt weights tend to p over rounds, without a law as with one, and with less variance than that
// of FedAVOT's learning at its step.
func TestMinimumVarianceIsLearnt(t *testing.T) {
	const rounds = 20_000
	sets := stats.Subsets(6, 2)
	square := map[string]float64{}
	for name, a := range map[string]fl.Aggregator{
		"unknown":          build(t, MinimumVariance, nil),
		"known, but learn": build(t, MinimumVariance, map[string]any{"learn": true}),
		"fedavot":          build(t, FedAVOT, nil),
	} {
		var law *fl.Law
		if strings.HasPrefix(name, "known") {
			law = pairs(6)
		}
		unit := models(rand.New(rand.NewPCG(1, 1)), 6, 6)
		for i := range unit {
			clear(unit[i])
			unit[i][i] = 1
		}
		r := roundOf(&fl.Roster{N: 6, Importance: feasible}, law, make(fl.Vector, 6), unit, []int{0, 1})
		rng := rand.New(rand.NewPCG(5, 6))
		mean := make(fl.Vector, 6)
		for range rounds {
			next, err := paramsOf(a, again(r, unit, sets[rng.IntN(len(sets))]))
			if err != nil {
				t.Fatal(err)
			}
			mean.AddScaled(1./rounds, next)
			square[name] += next.Dot(next) / rounds
		}
		if d := distance(feasible, mean); d > 1e-3 {
			t.Errorf("%s: the weights are %g from p in total variation", name, d)
		}
	}
	least := squareOver(t, build(t, MinimumVariance, nil), feasible, pairs(6))
	t.Logf("least %v, %v", least, square)
	if square["unknown"] > 1.1*least || square["unknown"] > square["fedavot"] {
		t.Errorf("E‖w‖² is %v, at least %v", square, least)
	}
}

// What cannot be planned is an error, once.
func TestMinimumVarianceRefuses(t *testing.T) {
	law := pairs(6)
	unit := []fl.Vector{{1}, {1}, {1}, {1}, {1}, {1}}
	for want, c := range map[string]struct {
		given map[string]any
		law   *fl.Law
	}{
		"no weights realise p: clients 0, 1 hold 0.900": {map[string]any{"on_infeasible": "error"}, law},
		"bias = 0.1 is planned for, which takes":        {map[string]any{"bias": 0.1}, nil},
	} {
		a := build(t, MinimumVariance, c.given)
		r := roundOf(&fl.Roster{N: 6, Importance: infeasible}, c.law, fl.Vector{0}, unit, []int{0, 1})
		if _, err := a.Aggregate(r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v", err)
		}
	}
	p := fl.NewParams(map[string]any{"bias": 0.1, "learn": true}, fl.Setting{Clients: 6, Law: true}, nil)
	if _, err := MinimumVariance.New(p); err == nil && len(p.Finish()) == 0 {
		t.Error("bias and learn are accepted together")
	}
}
