package aggregator

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// normalised are the parameters of an estimator by inverse probabilities, with others in turn.
func normalised(by string, more ...any) map[string]any {
	given := map[string]any{"normalisation": by}
	for k := 0; k < len(more); k += 2 {
		given[more[k].(string)] = more[k+1]
	}
	return given
}

// uniformly returns n equal weights.
func uniformly(n int) fl.Vector {
	p := make(fl.Vector, n)
	p.Fill(1 / float64(n))
	return p
}

// shares returns n random weights that sum to 1.
func shares(rng *rand.Rand, n int) fl.Vector {
	p := make(fl.Vector, n)
	for i := range p {
		p[i] = 0.2 + rng.Float64()
	}
	p.Scale(1 / p.Sum())
	return p
}

// chances returns n random probabilities between lo and hi.
func chances(rng *rand.Rand, n int, lo, hi float64) fl.Vector {
	v := make(fl.Vector, n)
	for i := range v {
		v[i] = lo + (hi-lo)*rng.Float64()
	}
	return v
}

func product(a, b fl.Vector) fl.Vector {
	v := a.Clone()
	v.Mul(b)
	return v
}

// patterns calls visit for every set of clients that participate independently, with its
// probability.
func patterns(chance fl.Vector, may func(i int) bool, visit func(set []int, q float64)) {
	for mask := range 1 << len(chance) {
		q, set := 1.0, []int(nil)
		for i, pi := range chance {
			switch in := mask>>i&1 == 1; {
			case in && !may(i), !in && may(i) && pi == 1:
				q = 0
			case in:
				q, set = q*pi, append(set, i)
			case may(i):
				q *= 1 - pi
			}
		}
		if q > 0 {
			visit(set, q)
		}
	}
}

func anySet(int) bool { return true }

// updateOf returns what an aggregator adds to θᵗ⁻¹ for a cohort; the engine skips an empty one.
func updateOf(t *testing.T, a fl.Aggregator, r *fl.Round, params []fl.Vector, cohort []int) fl.Vector {
	t.Helper()
	if len(cohort) == 0 {
		return make(fl.Vector, len(r.Global))
	}
	next, err := paramsOf(a, again(r, params, cohort))
	if err != nil {
		t.Fatal(err)
	}
	step := next.Clone()
	step.AddScaled(-1, r.Global)
	return step
}

// deltas returns Σ wᵢ(θᵢ − θ).
func deltas(w fl.Vector, params []fl.Vector, global fl.Vector) fl.Vector {
	sum := weighted(w, params)
	sum.AddScaled(-w.Sum(), global)
	return sum
}

// knowing presets the State of a round so that ŝᵢ is s: the covariate of a client is the logit of
// its probability, and the model of participation has a coefficient of 1.
func knowing(r *fl.Round, s fl.Vector) {
	x := fl.NewMatrix(len(s), 1)
	for i, chance := range s {
		x.Row(i)[0] = math.Log(chance / (1 - chance))
	}
	r.Roster.Covariates = x
	copy(r.State.Vector("model", 2), fl.Vector{1, 0})
	clock := r.State.Vector("clock", clockSize)
	clock[nextFit], clock[enrolment] = 1e9, float64(r.Roster.Enrolment())
}

// Theorem (Proposition 4.1): over all patterns of enrolment and participation, the mean of the
// update by true inverse probabilities is the population's Σ pᵢΔᵢ.
//
//hansa:verifies unbiased aggregator/oracle-ipw
func TestTheoremOracleIPWIsUnbiased(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 41))
	for n := 1; n <= 9; n += 2 {
		for _, p := range []fl.Vector{uniformly(n), shares(rng, n)} {
			e, s := chances(rng, n, 0.1, 1), chances(rng, n, 0.05, 1)
			params, global := models(rng, n, 3), normal(rng, 3)
			r := roundOf(&fl.Roster{N: n, Importance: p}, nil, global, params, nil)
			r.Oracle = &fl.Oracle{Enrollment: e, Inclusion: s}
			a := build(t, OracleIPW, normalised("ht"))
			mean := make(fl.Vector, 3)
			patterns(product(e, s), anySet, func(set []int, q float64) {
				mean.AddScaled(q, updateOf(t, a, r, params, set))
			})
			if d := mean.Distance(deltas(p, params, global)); d > 1e-12 {
				t.Errorf("%d clients: the mean update is %g away", n, d)
			}
		}
	}
}

// Theorem (Corollary 6.2): with participation corrected exactly and enrolment not, the mean over
// participation is that of the enrolled, and over enrolment, each weighted by its importance, it is
// off by Σ pᵢ(eᵢ/ē − 1)Δᵢ; which is 0 where all enrol with the same probability.
//
//hansa:verifies theorem aggregator/round-ipw
func TestTheoremRoundOnlyIsBiasedByEnrolment(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 62))
	const n = 6
	for _, alike := range []bool{false, true} {
		p, s := shares(rng, n), chances(rng, n, 0.2, 0.9)
		e := chances(rng, n, 0.2, 0.9)
		if alike {
			e.Fill(0.6)
		}
		params, global := models(rng, n, 3), normal(rng, 3)
		mean, target := make(fl.Vector, 3), p.Dot(e)
		patterns(e, anySet, func(in []int, q float64) {
			if len(in) == 0 {
				return
			}
			pop := &fl.Roster{N: n, Importance: p, Enrolled: make([]bool, n)}
			own := make(fl.Vector, n)
			for _, i := range in {
				pop.Enrolled[i], own[i] = true, p[i]
			}
			r := roundOf(pop, nil, global, params, nil)
			a := build(t, RoundIPW, normalised("ht", "burn_in", int64(0), "floor", 0.0))
			knowing(r, s)
			given := make(fl.Vector, 3)
			patterns(s, pop.Reaches, func(set []int, q float64) {
				given.AddScaled(q, updateOf(t, a, r, params, set))
			})
			mass := own.Sum()
			own.Scale(1 / mass)
			if d := given.Distance(deltas(own, params, global)); d > 1e-12 {
				t.Errorf("of %v enrolled the mean update is %g away", in, d)
			}
			mean.AddScaled(q*mass/target, given)
		})
		bias := make(fl.Vector, n)
		for i := range bias {
			bias[i] = p[i] * (e[i]/target - 1)
		}
		want := deltas(p, params, global)
		want.Add(deltas(bias, params, global))
		if d := mean.Distance(want); d > 1e-12 {
			t.Errorf("alike: %t: the bias is %g off its formula", alike, d)
		}
		if off := mean.Distance(deltas(p, params, global)); alike != (off < 1e-12) {
			t.Errorf("alike: %t: the bias is %g", alike, off)
		}
	}
}

// Theorem (Proposition E.1): two clients with (μ/2)(θ ± a)² whose enrolment, off by ε, is left out
// of the weights. The mean iterates end at εa, where the population loses ε²G²/(2μ), G = μa.
func TestTheoremSharpnessByTraining(t *testing.T) {
	const mu, a, rate = 2.0, 3.0, 0.2
	for _, epsilon := range []float64{0.1, 0.5, 0.9} {
		e, s := fl.Vector{0.5 * (1 + epsilon), 0.5 * (1 - epsilon)}, fl.Vector{0.7, 0.3}
		r := roundOf(&fl.Roster{N: 2, Importance: uniformly(2)}, nil, fl.Vector{0.3}, nil, nil)
		// A method that corrects participation only assumes full enrolment.
		r.Oracle = &fl.Oracle{Enrollment: fl.Vector{1, 1}, Inclusion: s}
		method := build(t, OracleIPW, normalised("ht"))
		for range 200 {
			theta := r.Global[0]
			local := []fl.Vector{{theta - rate*mu*(theta-a)}, {theta - rate*mu*(theta+a)}}
			step := fl.Vector{0}
			patterns(product(e, s), anySet, func(set []int, q float64) {
				step.AddScaled(q, updateOf(t, method, r, local, set))
			})
			r.Global.Add(step)
		}
		lost, g := mu/2*r.Global[0]*r.Global[0], mu*a
		if want := epsilon * epsilon * g * g / (2 * mu); math.Abs(lost-want) > 1e-12 ||
			math.Abs(r.Global[0]-epsilon*a) > 1e-12 {
			t.Errorf("ε = %v: θ = %v loses %v, want %v", epsilon, r.Global[0], lost, want)
		}
	}
}

// Theorem, equation 17: what the enrolled upload, weighted, has the population's moments. Here they
// upload their covariates, and all of them always come.
//
//hansa:verifies theorem aggregator/calibrated
func TestTheoremCalibrationMeetsItsMoments(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 17))
	const n, k = 60, 3
	for _, distance := range []string{"quadratic", "entropy"} {
		for _, p := range []fl.Vector{uniformly(n), shares(rng, n)} {
			pop := &fl.Roster{N: n, Importance: p, Enrolled: make([]bool, n),
				Covariates: fl.Matrix{Rows: n, Cols: k, Data: normal(rng, n*k)}}
			pop.Moments = make(fl.Vector, k)
			pop.Covariates.AddMulTVec(pop.Moments, p)
			params, cohort := make([]fl.Vector, n), []int(nil)
			for i := range n {
				x := pop.Covariates.Row(i)
				params[i] = append(x.Clone(), 1)
				if pop.Enrolled[i] = x[0] < 0.6 || i%4 == 0; pop.Enrolled[i] {
					cohort = append(cohort, i)
				} else {
					x.Fill(math.NaN())
				}
			}
			for _, by := range []string{"ht", "hajek"} {
				r := roundOf(pop, nil, make(fl.Vector, k+1), params, nil)
				r.T = -1 // before the first round
				a := build(t, Calibrated, normalised(by, "distance", distance))
				got := updateOf(t, a, r, params, cohort)
				if d := got.Distance(append(pop.Moments.Clone(), 1)); d > 1e-10 {
					t.Errorf("%s, %s: moments are %g away", distance, by, d)
				}
			}
		}
	}
}

// Theorem: under full enrolment and full participation, all of them are FedAvg, bit for bit: on
// uniform p its plain mean, on any p its weights by importance.
//
//hansa:verifies equivalence aggregator/naive aggregator/round-ipw aggregator/fedipw
//hansa:verifies equivalence aggregator/oracle-ipw aggregator/calibrated
func TestTheoremWithEveryoneTheyAreFedAvg(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 3, 10, 49} {
		cohort := make([]int, n)
		for i := range cohort {
			cohort[i] = i
		}
		x := fl.Matrix{Rows: n, Cols: 2, Data: normal(rng, 2*n)}
		for _, c := range []struct {
			p         fl.Vector
			ht, hajek string // what fedavg calls the weights
		}{
			{uniformly(n), "uniform", "uniform"},
			{shares(rng, n), "importance", "self-normalised"},
		} {
			pop := &fl.Roster{N: n, Importance: c.p, Covariates: x, Moments: make(fl.Vector, 2)}
			x.AddMulTVec(pop.Moments, c.p)
			for by, weights := range map[string]string{"ht": c.ht, "hajek": c.hajek} {
				for _, e := range []fl.AggregatorEntry{Naive, RoundIPW, FedIPW, OracleIPW, Calibrated} {
					a := build(t, FedAvg, map[string]any{"weights": weights})
					given := normalised(by)
					if e.Name == "naive" {
						if c.ht != "uniform" {
							continue
						}
						given = nil
					}
					b := build(t, e, given)
					same(t, fmt.Sprintf("%s, %s, %d clients", e.Name, by, n), pop, a, b, cohort)
				}
			}
		}
	}
}

// same lets two aggregators play rounds and compares them bit for bit.
func same(t *testing.T, what string, pop *fl.Roster, a, b fl.Aggregator, cohort []int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	global := normal(rng, 7)
	params := models(rng, pop.N, 7)
	one, two := roundOf(pop, nil, global, params, nil), roundOf(pop, nil, global, params, nil)
	one.T, two.T = -1, -1 // before the first round
	ones := make(fl.Vector, pop.N)
	ones.Fill(1)
	two.Oracle = &fl.Oracle{Enrollment: ones, Inclusion: ones}
	for round := range 30 { // burn-in, and fits after it
		params = models(rng, pop.N, 7)
		two.Context = fl.Matrix{Rows: pop.N, Cols: 1, Data: normal(rng, pop.N)}
		x, y := updateOf(t, a, one, params, cohort), updateOf(t, b, two, params, cohort)
		for k := range x {
			if x[k] != y[k] {
				t.Errorf("%s, round %d: element %d is %v, of fedavg %v", what, round+1, k, y[k], x[k])
				return
			}
		}
	}
}

// The server's rate stretches the update, not the weights that it is judged by.
func TestServerRate(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	params, global := models(rng, 4, 3), normal(rng, 3)
	for _, e := range []fl.AggregatorEntry{Naive, OracleIPW} {
		var steps, weights []fl.Vector
		for _, rate := range []float64{1, 0.5} {
			r := roundOf(&fl.Roster{N: 4, Importance: uniformly(4)}, nil, global, params, nil)
			r.Oracle = &fl.Oracle{Enrollment: chances(rand.New(rand.NewPCG(1, 1)), 4, .3, .9),
				Inclusion: uniformly(4)}
			given := map[string]any{"server_rate": rate}
			if e.Name != "naive" {
				given["normalisation"] = "hajek"
			}
			a := build(t, e, given)
			steps = append(steps, updateOf(t, a, r, params, []int{0, 2, 3}))
			weights = append(weights, outcome(t, a, r).Weights.Clone())
		}
		steps[0].Scale(0.5)
		if steps[0].Distance(steps[1]) > 1e-15 || weights[0].Distance(weights[1]) != 0 {
			t.Errorf("%s: steps %v, weights %v", e.Name, steps, weights)
		}
	}
}

// Truncation lowers what is above a quantile of the weights, before they are made to sum to 1.
func TestTruncation(t *testing.T) {
	r := roundOf(&fl.Roster{N: 4, Importance: uniformly(4)}, nil, fl.Vector{0},
		[]fl.Vector{{1}, {1}, {1}, {1}}, []int{0, 1, 2, 3})
	r.Oracle = &fl.Oracle{Enrollment: fl.Vector{1, 1, 1, 1}, Inclusion: fl.Vector{.01, .5, .25, .5}}
	a := build(t, OracleIPW, normalised("ht", "truncate", 0.75))
	out := outcome(t, a, r)
	if want := 0.25 * (4 + 2 + 4 + 2); math.Abs(out.Params[0]-want) > 1e-15 {
		t.Errorf("θ = %v, want %v", out.Params, want)
	}
	if e := stats.Weigh(out.Weights).Effective; math.Abs(e-3.6) > 1e-12 {
		t.Errorf("effective size %v", e)
	}
}
