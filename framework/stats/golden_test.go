package stats

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A golden is one case of testdata/availability.json.
type golden struct {
	Name   string
	Inputs struct {
		R                       tensor.Vector
		K                       int
		B                       tensor.Vector
		Rise                    tensor.Vector `json:"p_off_to_on"`
		Fall                    tensor.Vector `json:"p_on_to_off"`
		Start                   tensor.Vector `json:"start_on_probability"`
		Base, Amplitude, Period float64
		Phase                   tensor.Vector
	}
	Expected struct {
		Sets            [][]int
		Q               tensor.Vector
		Inclusion       tensor.Vector
		Pairs           []tensor.Vector `json:"pairwise_inclusion"`
		Acceptance      float64         `json:"acceptance_probability"`
		Empty           float64         `json:"empty_probability"`
		Given           tensor.Vector   `json:"q_given_nonempty"`
		Surrogate       tensor.Vector   `json:"uniform_average_surrogate_given_nonempty"`
		Stationary      tensor.Vector   `json:"stationary_on"`
		OnByRound       []tensor.Vector `json:"on_probability_rounds_0_to_5"`
		Autocorrelation []tensor.Vector `json:"autocorrelation_lags_0_to_3"`
		Day             []tensor.Vector `json:"on_probability_by_round"`
		Mean            tensor.Vector   `json:"mean_over_period"`
	}
	Tol tolerance
}

func TestGolden(t *testing.T) {
	examine := map[string]func(*testing.T, *golden){
		"wor_n5_k2":            successiveGolden,
		"wor_n6_k3":            successiveGolden,
		"wor_extreme":          successiveGolden,
		"wor_with_zero_weight": successiveGolden,
		"wor_k1":               successiveGolden,
		"wor_k_equals_n":       successiveGolden,
		"wor_uniform_n6_k3":    successiveGolden,
		"with_replacement_conditioned_on_distinct_n5_k2": conditionalGolden,
		"independent_bernoulli_n4":                       bernoulliGolden,
		"markov_on_off":                                  chainGolden,
		"diurnal_cosine":                                 diurnalGolden,
	}
	for _, g := range readGolden[golden](t, "availability", len(examine)) {
		t.Run(g.Name, func(t *testing.T) {
			check := examine[g.Name]
			if check == nil {
				t.Fatal("no test has this case")
			}
			check(t, &g)
		})
	}
}

// readGolden returns the cases of a file of golden vectors, of which there are so many.
func readGolden[T any](t *testing.T, name string, cases int) []T {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []T }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) != cases {
		t.Fatalf("%s has %d cases, want %d", name, len(file.Cases), cases)
	}
	return file.Cases
}

func successiveGolden(t *testing.T, g *golden) {
	r, k, n := g.Inputs.R, g.Inputs.K, len(g.Inputs.R)
	sets := Subsets(n, k)
	if !reflect.DeepEqual(sets, g.Expected.Sets) {
		t.Fatalf("sets are %v, want %v", sets, g.Expected.Sets)
	}
	q := SuccessiveLaw(r, k)
	g.Tol.all(t, "q", q, g.Expected.Q)
	g.Tol.all(t, "q by clocks", lawByClocks(r, k), g.Expected.Q)
	g.Tol.all(t, "inclusion by listing", Inclusion(sets, q, n), g.Expected.Inclusion)
	pi := make(tensor.Vector, n)
	SuccessiveInclusion(pi, r, k)
	g.Tol.all(t, "inclusion by quadrature", pi, g.Expected.Inclusion)
	pairs := PairInclusion(sets, q, n)
	for i, want := range g.Expected.Pairs {
		g.Tol.all(t, "pair inclusion", pairs.Row(i), want)
	}
	if g.Name == "wor_uniform_n6_k3" {
		one, two := UniformInclusion(n, k)
		g.Tol.all(t, "uniform inclusion", tensor.Vector{one, two}, g.Expected.Pairs[0][:2])
	}
}

func conditionalGolden(t *testing.T, g *golden) {
	r, k, n := g.Inputs.R, g.Inputs.K, len(g.Inputs.R)
	sets := Subsets(n, k)
	if !reflect.DeepEqual(sets, g.Expected.Sets) {
		t.Fatalf("sets are %v, want %v", sets, g.Expected.Sets)
	}
	g.Tol.all(t, "q", ConditionalLaw(r, k), g.Expected.Q)
	pi := make(tensor.Vector, n)
	ConditionalInclusion(pi, r, k)
	g.Tol.all(t, "inclusion", pi, Inclusion(sets, g.Expected.Q, n))
	g.Tol.one(t, "acceptance", ConditionalAcceptance(r, k), g.Expected.Acceptance)
}

func bernoulliGolden(t *testing.T, g *golden) {
	b, n := g.Inputs.B, len(g.Inputs.B)
	sets, q, empty := BernoulliLaw(b)
	if !reflect.DeepEqual(sets, g.Expected.Sets[1:]) {
		t.Fatalf("sets are %v, want %v", sets, g.Expected.Sets[1:])
	}
	g.Tol.all(t, "q given a non-empty cohort", q, g.Expected.Given[1:])
	g.Tol.one(t, "empty", empty, g.Expected.Empty)
	surrogate := make(tensor.Vector, n)
	BernoulliSurrogate(surrogate, b)
	g.Tol.all(t, "surrogate", surrogate, g.Expected.Surrogate)
	_, nonEmpty := Attendance(b)
	q.Scale(nonEmpty)
	g.Tol.all(t, "q", q, g.Expected.Q[1:])
	g.Tol.all(t, "inclusion", Inclusion(sets, q, n), g.Expected.Inclusion)
}

func chainGolden(t *testing.T, g *golden) {
	for i, rise := range g.Inputs.Rise {
		c := Chain{Rise: rise, Fall: g.Inputs.Fall[i]}
		g.Tol.all(t, "stationary", tensor.Vector{c.Stationary()}, g.Expected.Stationary[i:i+1])
		for round, want := range g.Expected.OnByRound {
			g.Tol.all(t, "on", tensor.Vector{c.After(g.Inputs.Start[i], round)}, want[i:i+1])
		}
		for lag, want := range g.Expected.Autocorrelation {
			g.Tol.all(t, "autocorrelation", tensor.Vector{c.Autocorrelation(lag)}, want[i:i+1])
		}
	}
}

func diurnalGolden(t *testing.T, g *golden) {
	d := Diurnal{Base: g.Inputs.Base, Amplitude: g.Inputs.Amplitude, Period: g.Inputs.Period}
	mean := make(tensor.Vector, len(g.Inputs.Phase))
	for round, want := range g.Expected.Day {
		got := make(tensor.Vector, len(want))
		for i, phase := range g.Inputs.Phase {
			got[i] = d.At(round, phase)
		}
		g.Tol.all(t, "on", got, want)
		mean.AddScaled(1/g.Inputs.Period, got)
	}
	g.Tol.all(t, "mean", mean, g.Expected.Mean)
}
