package ot_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// A golden is a case of a file under testdata.
type golden struct {
	Name     string
	Inputs   json.RawMessage
	Expected map[string]any
	Tol      struct{ Abs, Rel float64 }
}

// readGolden returns the cases of a file under testdata.
func readGolden(t *testing.T, file string) []golden {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	var content struct{ Cases []golden }
	if err := json.Unmarshal(text, &content); err != nil {
		t.Fatal(err)
	}
	return content.Cases
}

// inputs decodes the inputs of a case.
func (g golden) inputs(t *testing.T, into any) {
	t.Helper()
	if err := json.Unmarshal(g.Inputs, into); err != nil {
		t.Fatal(err)
	}
}

// check fails unless got, in the form it takes in JSON, is what the case expects of key.
func (g golden) check(t *testing.T, key string, got any) {
	t.Helper()
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var form any
	if err := json.Unmarshal(text, &form); err != nil {
		t.Fatal(err)
	}
	if where := g.differ(form, g.Expected[key]); where != "" {
		t.Errorf("%s: %s%s", g.Name, key, where)
	}
}

// differ returns where got departs from want by more than the tolerance, "" if nowhere.
func (g golden) differ(got, want any) string {
	switch want := want.(type) {
	case float64:
		x, ok := got.(float64)
		if ok && math.Abs(x-want) <= g.Tol.Abs+g.Tol.Rel*math.Abs(want) {
			return ""
		}
	case []any:
		list, ok := got.([]any)
		if ok && len(list) == len(want) {
			for i := range want {
				if at := g.differ(list[i], want[i]); at != "" {
					return fmt.Sprintf("[%d]%s", i, at)
				}
			}
			return ""
		}
	case map[string]any:
		fields, ok := got.(map[string]any)
		if ok && len(fields) == len(want) {
			for name := range want {
				if at := g.differ(fields[name], want[name]); at != "" {
					return "." + name + at
				}
			}
			return ""
		}
	default:
		if got == want {
			return ""
		}
	}
	return fmt.Sprintf(" is %v, want %v", got, want)
}

// A subject is a problem of the golden file with everything the package says of it.
type subject struct {
	ot.Masked
	kappa       float64
	plan        ot.Plan // soft if the case has a κ, else scaled if feasible, else by tiers
	certificate ot.Certificate
}

func newSubject(t *testing.T, g golden) subject {
	t.Helper()
	var in struct {
		P, Q, R tensor.Vector
		Sets    [][]int
		K       int
		Kappa   *float64
	}
	g.inputs(t, &in)
	s := subject{Masked: ot.Masked{P: in.P, Q: in.Q, Sets: in.Sets}}
	if in.K == 2 {
		s.Masked = pairs(in.P, in.R)
	}
	mustCheck(t, s.Masked)
	s.certificate = s.Feasibility()
	switch {
	case in.Kappa != nil:
		s.kappa = *in.Kappa
		s.plan = s.Soften(*in.Kappa, 1e-13, 1000)
	case s.certificate.Feasible:
		s.plan = s.Scale(1e-13, 1000)
	default:
		s.plan = s.TierPlan(1e-13, 1000)
	}
	if !s.plan.Converged {
		t.Errorf("%s: no convergence, residual %g", g.Name, s.plan.Residual)
	}
	return s
}

func TestMaskedGolden(t *testing.T) {
	cases := readGolden(t, "masked_ot.json")
	if len(cases) != 22 {
		t.Errorf("%d cases, want 22", len(cases))
	}
	for _, g := range cases {
		s := newSubject(t, g)
		for key := range g.Expected {
			g.check(t, key, s.answer(t, key))
		}
	}
}

// answer returns what the package says about key, a name of the golden file.
func (s subject) answer(t *testing.T, key string) any {
	t.Helper()
	switch key {
	case "feasible":
		return s.certificate.Feasible
	case "strictly_feasible":
		return slack(s.Masked) > 1e-9
	case "min_hall_slack":
		return slack(s.Masked)
	case "max_flow":
		return s.certificate.Flow
	case "deficiency":
		return s.certificate.Deficiency
	case "hall_set_minimal":
		return s.certificate.Minimal
	case "hall_set_maximal":
		return s.certificate.Maximal
	case "tight_set":
		return s.tightSet()
	case "T", "T_limit":
		return s.transport()
	case "Y_by_set", "Y_by_set_limit", "Y_by_set_positive_q":
		return s.shares()
	case "u_sum_to_one":
		u := s.scaling(0)
		u.Scale(1 / u.Sum())
		return u
	case "u": // its scale is determined, as u = (p/p̃)^λ: that of the first client
		lambda := s.kappa / (1 - s.kappa)
		return s.scaling(lambda*math.Log(s.P[0]/s.plan.Marginal[0]) - s.plan.LogU[0])
	case "row_marginal", "p_tilde":
		return s.plan.Marginal
	case "tiers":
		return s.tiers()
	case "kl_p_ptilde":
		return divergence(s.P, s.plan.Marginal)
	case "tv_p_ptilde":
		return gap(s.P, s.plan.Marginal) / 2
	case "q_tilde_after_row_scaling":
		return s.columns()
	case "ipfp_error_after_20000_sweeps":
		plan := spread(s.Masked, tensor.Vector{1, 1, 1})
		fit(s.Masked, plan, 20000)
		return s.farthest(plan)
	}
	return s.census(t, key)
}

// census answers for the keys that describe the law, and so the instance, alone.
func (s subject) census(t *testing.T, key string) any {
	t.Helper()
	inclusion := make(tensor.Vector, len(s.P))
	var total, logTotal float64
	for j, set := range s.Sets {
		var weight float64
		for _, i := range set {
			inclusion[i] += s.Q[j]
			weight += float64(len(s.P)) / float64(len(set)) * s.P[i]
		}
		total += s.Q[j] * weight
		logTotal += s.Q[j] * math.Log(weight)
	}
	var worst, mass float64
	violators := 0
	for i, p := range s.P {
		worst = math.Max(worst, p/inclusion[i])
		if p > inclusion[i] {
			violators++
			mass += p
		}
	}
	answers := map[string]any{
		"inclusion_probabilities":                inclusion,
		"max_p_over_pi":                          worst,
		"violators":                              violators,
		"violator_mass":                          mass,
		"mean_total_weight_of_scaled_fedavg":     total,
		"mean_log_total_weight_of_scaled_fedavg": logTotal,
	}
	if answers[key] == nil {
		t.Errorf("nothing is known about %s", key)
	}
	return answers[key]
}

// shares returns Y cohort by cohort, without those of q = 0.
func (s subject) shares() [][]float64 {
	var y [][]float64
	for j, set := range s.Sets {
		if s.Q[j] > 0 {
			y = append(y, weights(s.plan.LogU, set))
		}
	}
	return y
}

// transport returns T as rows.
func (s subject) transport() [][]float64 {
	rows := make([][]float64, len(s.P))
	for i := range rows {
		rows[i] = make([]float64, len(s.Q))
	}
	for j, set := range s.Sets {
		for k, y := range weights(s.plan.LogU, set) {
			rows[set[k]][j] = s.Q[j] * y
		}
	}
	return rows
}

// scaling returns u = e^{log u + shift}.
func (s subject) scaling(shift float64) tensor.Vector {
	u := make(tensor.Vector, len(s.P))
	for i, a := range s.plan.LogU {
		u[i] = math.Exp(a + shift)
	}
	return u
}

// tiers returns the tiers in the words of the golden file.
func (s subject) tiers() any {
	type tier struct {
		Clients []int   `json:"clients"`
		Ratio   float64 `json:"ratio"`
	}
	var tiers []tier
	for _, x := range s.Tiers() {
		tiers = append(tiers, tier(x))
	}
	return tiers
}

// farthest returns the largest difference between an entry of T and one of plan.
func (s subject) farthest(plan tensor.Matrix) float64 {
	var most float64
	for i, row := range s.transport() {
		for j, x := range row {
			most = math.Max(most, math.Abs(x-plan.Row(i)[j]))
		}
	}
	return most
}

// columns returns the column sums of the plan after its rows are scaled to p.
func (s subject) columns() tensor.Vector {
	q := make(tensor.Vector, len(s.Q))
	for j, set := range s.Sets {
		for k, y := range weights(s.plan.LogU, set) {
			q[j] += s.Q[j] * y * s.P[set[k]] / s.plan.Marginal[set[k]]
		}
	}
	return q
}

// tightSet returns the proper subset I with p(I) = f(I), if there is one.
func (s subject) tightSet() []int {
	f := reach(s.Masked)
	for subset := 1; subset < len(f)-1; subset++ {
		if math.Abs(f[subset]-mass(s.P, subset)) < 1e-12 {
			return elements(subset)
		}
	}
	return nil
}
