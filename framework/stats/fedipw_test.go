package stats

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A fedipwCase is one case of testdata/fedipw.json; each has inputs of its own.
type fedipwCase struct {
	Name             string
	Inputs, Expected json.RawMessage
	Tol              tolerance
}

// fedipw decodes inputs and expectations of a case.
func fedipw(t *testing.T, name string, inputs, expected any) tolerance {
	t.Helper()
	for _, c := range readGolden[fedipwCase](t, "fedipw", 5) {
		if c.Name != name {
			continue
		}
		if err := json.Unmarshal(c.Inputs, inputs); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(c.Expected, expected); err != nil {
			t.Fatal(err)
		}
		return c.Tol
	}
	t.Fatalf("there is no case %s", name)
	return tolerance{}
}

// marked lists the clients with a mark.
func marked(marks []int) []int {
	var set []int
	for i, m := range marks {
		if m == 1 {
			set = append(set, i)
		}
	}
	return set
}

// equal returns n shares of x.
func equal(n int, x float64) tensor.Vector {
	v := make(tensor.Vector, n)
	v.Fill(x)
	return v
}

func TestFedIPWOneRound(t *testing.T) {
	var in struct {
		Updates      []tensor.Vector
		Population   int `json:"population_size"`
		Enrolled     []int
		Participates []int
		E, S         tensor.Vector
		EHat         tensor.Vector `json:"e_hat"`
		SHat         tensor.Vector `json:"s_hat"`
		Floor        float64       `json:"clip_floor"`
		Calibrated   tensor.Vector `json:"calibration_weights"`
	}
	var want map[string]json.RawMessage
	tol := fedipw(t, "one_round_estimators", &in, &want)
	set := marked(in.Participates)
	e, s := at(in.E, set), at(in.S, set)
	eHat, sHat := at(in.EHat, set), at(in.SHat, set)
	all := equal(len(set), 1/float64(in.Population))
	enrolled := equal(len(set), 1/float64(len(marked(in.Enrolled))))
	for name, c := range map[string]struct {
		p     Propensities
		share tensor.Vector
		hajek bool
	}{
		"naive":                {Propensities{Came: equal(len(set), 1)}, all, true},
		"oracle_ht":            {Propensities{Enrolled: e, Came: s}, all, false},
		"fedipw_ht":            {Propensities{Enrolled: eHat, Came: sHat}, all, false},
		"fedipw_hajek":         {Propensities{Enrolled: eHat, Came: sHat}, all, true},
		"fedipw_clipped_ht":    {Propensities{eHat, sHat, in.Floor}, all, false},
		"round_only_ht":        {Propensities{Came: sHat}, enrolled, false},
		"round_only_hajek":     {Propensities{Came: sHat}, enrolled, true},
		"aggregate_calibrated": {Propensities{Came: sHat}, at(in.Calibrated, set), false},
	} {
		dst, update := make(tensor.Vector, len(set)), make(tensor.Vector, 3)
		inverse := c.p.HorvitzThompson(dst, c.share)
		if c.hajek {
			inverse = c.p.Hajek(dst, c.share)
		}
		for k, i := range set {
			update.AddScaled(dst[k], in.Updates[i])
		}
		var expected tensor.Vector
		if err := json.Unmarshal(want[name], &expected); err != nil {
			t.Fatal(name, err)
		}
		tol.all(t, name, update, expected)
		if name == "fedipw_ht" {
			tol.one(t, "effective size", inverse.Effective, number(t, want["ess_fedipw"]))
		}
	}
	residual := ResidualError(product(in.E, in.S), product(in.EHat, in.SHat))
	tol.one(t, "ε", residual.Epsilon, number(t, want["epsilon_residual_weight_error"]))
	tolerance{1e-14, 0}.one(t, "scale-free ε", residual.ScaleFree, 0)
}

func number(t *testing.T, text json.RawMessage) (x float64) {
	t.Helper()
	if err := json.Unmarshal(text, &x); err != nil {
		t.Fatal(err)
	}
	return x
}

func TestFedIPWExpectations(t *testing.T) {
	var in struct{ E, S, Updates tensor.Vector }
	var want struct {
		Naive     float64 `json:"naive_given_nonempty"`
		HT        float64
		RoundOnly float64 `json:"round_only_ht_over_expected_enrolled"`
		Target    float64
		NonEmpty  float64 `json:"probability_nonempty"`
	}
	tol := fedipw(t, "expectations_by_enumeration", &in, &want)
	pi, n := product(in.E, in.S), len(in.E)
	_, nonEmpty := Attendance(pi)
	tol.one(t, "probability of a non-empty cohort", nonEmpty, want.NonEmpty)
	for name, c := range map[string]struct {
		enrolled tensor.Vector
		share    float64
		want     float64
	}{
		"two-stage":  {in.E, 1 / float64(n), want.HT},
		"round-only": {equal(n, 1), 1 / in.E.Sum(), want.RoundOnly},
	} {
		got := mean(pi, in.Updates, func(dst tensor.Vector, set []int) {
			p := Propensities{Enrolled: at(c.enrolled, set), Came: at(in.S, set)}
			p.HorvitzThompson(dst, equal(len(set), c.share))
		})
		tol.one(t, name, got, c.want)
	}
	naive := mean(pi, in.Updates, func(dst tensor.Vector, set []int) {
		p := Propensities{Came: equal(len(set), 1)}
		p.Hajek(dst, equal(len(set), 1))
	})
	tol.one(t, "naive", naive/nonEmpty, want.Naive)
	tol.one(t, "target", want.HT, want.Target)
}

// TestTheoremSharpness is Proposition E.1: of two clients with (μ/2)(θ ± a)², weights that are off
// by ε lead to a suboptimality of exactly ε²G²/(2μ).
func TestTheoremSharpness(t *testing.T) {
	for _, name := range []string{"two_client_sharpness_eps_0.1", "two_client_sharpness_eps_0.5"} {
		var in struct{ Mu, A, Epsilon float64 }
		var want struct {
			Rho           tensor.Vector `json:"relative_weights"`
			Theta         float64       `json:"misspecified_minimiser"`
			Suboptimality float64
		}
		tol := fedipw(t, name, &in, &want)
		err := ResidualError(want.Rho, tensor.Vector{1, 1})
		tol.one(t, "ε", err.Epsilon, in.Epsilon)
		tol.one(t, "scale-free ε", err.ScaleFree, in.Epsilon)
		value := func(at float64) float64 {
			return in.Mu / 4 * ((at-in.A)*(at-in.A) + (at+in.A)*(at+in.A))
		}
		theta := in.A * (want.Rho[0] - want.Rho[1]) / want.Rho.Sum()
		tol.one(t, "θ", theta, want.Theta)
		tol.one(t, "suboptimality", value(theta)-value(0), want.Suboptimality)
		tol.one(t, "ε²G²/2μ", math.Pow(err.Epsilon*in.Mu*in.A, 2)/(2*in.Mu), want.Suboptimality)
	}
}

// A federation is the mean of clients' logistic losses with weights, and a ridge.
type federation struct {
	A    [][]tensor.Vector
	Y    []tensor.Vector
	L2   float64
	w    tensor.Vector // sums to 1
	last tensor.Vector // where the last gradient was
}

// each calls visit for every sample, with its weight and its score.
func (f *federation) each(theta tensor.Vector, visit func(a tensor.Vector, y, w, s float64)) {
	for i, samples := range f.A {
		for k, a := range samples {
			visit(a, f.Y[i][k], f.w[i]/float64(len(samples)), a.Dot(theta))
		}
	}
}

func (f *federation) Value(theta tensor.Vector) float64 {
	sum := f.L2 / 2 * theta.Dot(theta)
	f.each(theta, func(_ tensor.Vector, y, w, s float64) {
		sum += w * (max(s, 0) + math.Log1p(math.Exp(-math.Abs(s))) - y*s)
	})
	return sum
}

func (f *federation) Gradient(dst, theta tensor.Vector) {
	clear(dst)
	dst.AddScaled(f.L2, theta)
	f.last = theta.Clone()
	f.each(theta, func(a tensor.Vector, y, w, s float64) {
		dst.AddScaled(w*(1/(1+math.Exp(-s))-y), a)
	})
}

func (f *federation) Curve(dst, v tensor.Vector) {
	clear(dst)
	dst.AddScaled(f.L2, v)
	f.each(f.last, func(a tensor.Vector, _, w, s float64) {
		p := 1 / (1 + math.Exp(-s))
		dst.AddScaled(w*p*(1-p)*a.Dot(v), a)
	})
}

// TestFedIPWLimits: what each method aims at, and how far from the population's optimum that is.
func TestFedIPWLimits(t *testing.T) {
	var f federation
	var in struct {
		X        []tensor.Vector `json:"client_covariates"`
		E        tensor.Vector   `json:"enrollment_probability"`
		S        tensor.Vector   `json:"participation_probability"`
		Enrolled []int
		Target   tensor.Vector `json:"target_moments"`
	}
	var want struct {
		Theta      map[string]tensor.Vector
		Loss       map[string]float64 `json:"population_loss"`
		Excess     map[string]float64 `json:"excess_loss"`
		Calibrated tensor.Vector      `json:"calibration_weights"`
	}
	fedipw(t, "population_optimum_and_objective_mismatch", &f, &want)
	tol := fedipw(t, "population_optimum_and_objective_mismatch", &in, &want)
	n, set := len(in.X), marked(in.Enrolled)
	var rows []tensor.Vector
	calibrated, unweighted := make(tensor.Vector, n), make(tensor.Vector, n)
	for _, i := range set {
		rows = append(rows, in.X[i])
		unweighted[i] = 1
	}
	w := make(tensor.Vector, len(set))
	if c := (&Moments{X: matrix(rows), Target: in.Target}).Quadratic(w); !c.Converged {
		t.Fatalf("%+v", c)
	}
	for k, i := range set {
		calibrated[i] = w[k]
	}
	tol.all(t, "calibrated", calibrated, want.Calibrated)
	all := federation{A: f.A, Y: f.Y, L2: f.L2, w: equal(n, 1/float64(n))}
	for name, weights := range map[string]tensor.Vector{
		"population":          equal(n, 1),
		"naive_expected":      product(in.E, in.S),
		"round_only_expected": in.E,
		"calibrated_enrolled": calibrated,
		"unweighted_enrolled": unweighted,
	} {
		f.w = weights.Clone()
		f.w.Scale(1 / f.w.Sum())
		best := Minimise(&f, make(tensor.Vector, 2), 1e-12, 100)
		tol.all(t, name, best.X, want.Theta[name])
		loss := all.Value(best.X)
		tol.one(t, name+": loss", loss, want.Loss[name])
		tol.one(t, name+": excess", loss-want.Loss["population"], want.Excess[name])
	}
}
