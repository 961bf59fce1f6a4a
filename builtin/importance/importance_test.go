package importance

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// weigh returns p of n clients, client i with i + 1 samples.
func weigh(t *testing.T, e fl.ImportanceEntry, given map[string]any, n int) fl.Vector {
	t.Helper()
	p := fl.NewParams(given, fl.Setting{Clients: n}, nil)
	c, err := e.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatalf("%s: %v, %v", e.Name, err, problems)
	}
	pop := &fl.Roster{N: n, Samples: make([]int, n)}
	for i := range pop.Samples {
		pop.Samples[i] = i + 1
	}
	return c.Weights(pop)
}

// given are the parameters of an importance with a direction.
func given(direction, name string, value float64) map[string]any {
	params := map[string]any{"direction": direction}
	if name != "" {
		params[name] = value
	}
	return params
}

// apart returns the largest difference of two vectors relative to the second, or NaN.
func apart(got, want fl.Vector) float64 {
	if len(got) != len(want) {
		return math.NaN()
	}
	most := 0.0
	for i, w := range want {
		if got[i] != w {
			most = max(most, math.Abs(got[i]-w)/math.Abs(w))
		}
	}
	return most
}

// Weights of four clients are those of closed forms.
//
//hansa:verifies theorem importance/uniform importance/samples importance/linear
//hansa:verifies theorem importance/power
func TestClosedFormsOfFourClients(t *testing.T) {
	e1, e2, e3 := math.Exp(-1), math.Exp(-2), math.Exp(-3)
	z := 1 + e1 + e2 + e3
	for _, c := range []struct {
		entry fl.ImportanceEntry
		given map[string]any
		want  fl.Vector
	}{
		{Uniform, nil, fl.Vector{.25, .25, .25, .25}},
		{Samples, nil, fl.Vector{.1, .2, .3, .4}},
		{Linear, nil, fl.Vector{.4, .3, .2, .1}},
		{Linear, given("increasing", "", 0), fl.Vector{.1, .2, .3, .4}},
		{Power, nil, fl.Vector{.4, .3, .2, .1}},
		{Power, given("decreasing", "exponent", 2), fl.Vector{16. / 30, 9. / 30, 4. / 30, 1. / 30}},
		{Power, given("increasing", "exponent", 3), fl.Vector{.01, .08, .27, .64}},
		{Power, given("increasing", "exponent", 0), fl.Vector{.25, .25, .25, .25}},
		{Exponential, given("decreasing", "scale", 1), fl.Vector{1 / z, e1 / z, e2 / z, e3 / z}},
		{Exponential, given("increasing", "scale", 1), fl.Vector{e3 / z, e2 / z, e1 / z, 1 / z}},
		{Exponential, given("decreasing", "scale", 1/math.Ln2), fl.Vector{8. / 15, 4. / 15, 2. / 15, 1. / 15}},
		{List, map[string]any{"weights": []any{6.0, int64(0), 3.0, 1.0}}, fl.Vector{.6, 0, .3, .1}},
	} {
		got := weigh(t, c.entry, c.given, 4)
		if !(apart(got, c.want) <= 1e-15) {
			t.Errorf("%s %v: %v, want %v", c.entry.Name, c.given, got, c.want)
		}
	}
}

// The exponential of the paper is exp(−i/10) unless the experiment says otherwise.
//
//hansa:verifies theorem importance/exponential
func TestExponentialOfThePaper(t *testing.T) {
	p := weigh(t, Exponential, nil, 100)
	if got := p[20] / p[0]; math.Abs(got-math.Exp(-2)) > 1e-15 {
		t.Errorf("p₂₁/p₁ = %v, want e⁻²", got)
	}
}

// directed are the importances that have a direction, at several parameters.
func directed(visit func(e fl.ImportanceEntry, name string, value float64)) {
	visit(Linear, "", 0)
	for _, exponent := range []float64{0, 0.8, 4, 100} {
		visit(Power, "exponent", exponent)
	}
	for _, scale := range []float64{1e-300, 1e-3, 10, 1e6, 1e300} {
		visit(Exponential, "scale", scale)
	}
}

// One direction is the other one read backwards.
func TestDirectionsMirrorEachOther(t *testing.T) {
	directed(func(e fl.ImportanceEntry, name string, value float64) {
		down := weigh(t, e, given("decreasing", name, value), 1000)
		up := weigh(t, e, given("increasing", name, value), 1000)
		slices.Reverse(up)
		if !(apart(up, down) <= 1e-13) {
			t.Errorf("%s %s = %v: up and down differ by %g", e.Name, name, value, apart(up, down))
		}
		if slices.IsSorted(down) && down[0] != down[999] {
			t.Errorf("%s %s = %v: decreasing increases", e.Name, name, value)
		}
	})
}

// Exponent 0 is uniform and exponent 1 is linear, bit for bit: a prior of either kind is
// recognised as uniform by its equal weights.
//
//hansa:verifies equivalence importance/power
func TestPowersMeetTheirNeighbours(t *testing.T) {
	for _, n := range []int{1, 2, 7, 49, 1000} {
		zero, one := map[string]any{"exponent": 0.0}, map[string]any{"exponent": 1.0}
		if got := weigh(t, Power, zero, n); !slices.Equal(got, weigh(t, Uniform, nil, n)) {
			t.Errorf("N = %d: exponent 0 is not uniform: %v", n, got[0])
		}
		if got := weigh(t, Power, one, n); !slices.Equal(got, weigh(t, Linear, nil, n)) {
			t.Errorf("N = %d: exponent 1 is not linear: %v", n, got[0])
		}
	}
}

// A million clients neither overflow nor underflow, whatever the parameters: p sums to 1,
// and what a client counts relative to the first is what the formula says.
func TestAMillionClients(t *testing.T) {
	const n = 1_000_000
	directed(func(e fl.ImportanceEntry, name string, value float64) {
		what := fmt.Sprintf("%s %s = %v", e.Name, name, value)
		p := weigh(t, e, given("decreasing", name, value), n)
		if sum := p.Sum(); !(math.Abs(sum-1) <= 1e-12) {
			t.Errorf("%s: sums to %v", what, sum)
		}
		for i := 1; i < n; i++ {
			if !(p[i] >= 0 && p[i] <= p[i-1]) {
				t.Fatalf("%s: p rises or is no number: %v, %v at client %d", what, p[i-1], p[i], i)
			}
		}
		for _, i := range []int{1, 5, n / 2, n - 1} {
			rank := float64(n-i) / n
			want := map[string]float64{"": rank, "exponent": math.Pow(rank, value),
				"scale": math.Exp(-float64(i) / value)}[name]
			if got := p[i] / p[0]; math.Abs(got-want) > 1e-13*want {
				t.Errorf("%s: client %d counts %v of the first, want %v", what, i, got, want)
			}
		}
	})
}

// A list keeps its proportions however large or small its numbers are.
//
//hansa:verifies theorem importance/list
func TestListsOfAnySize(t *testing.T) {
	tiny := math.SmallestNonzeroFloat64
	for _, c := range []struct{ list, want fl.Vector }{
		{fl.Vector{1e308, 1e308, 1e308, 1e308}, fl.Vector{.25, .25, .25, .25}},
		{fl.Vector{math.MaxFloat64, math.MaxFloat64 / 4}, fl.Vector{.8, .2}},
		{fl.Vector{tiny, 0, 3 * tiny}, fl.Vector{.25, 0, .75}},
		{fl.Vector{1e300, 1e-300}, fl.Vector{1, 0}},
		{fl.Vector{7}, fl.Vector{1}},
	} {
		var weights []any
		for _, x := range c.list {
			weights = append(weights, x)
		}
		got := weigh(t, List, map[string]any{"weights": weights}, len(c.list))
		if !(apart(got, c.want) <= 1e-15) {
			t.Errorf("list %v: %v, want %v", c.list, got, c.want)
		}
	}
}

// A list that does not fit the population is refused when it is read.
func TestListsThatDoNotFit(t *testing.T) {
	for _, c := range []struct {
		weights []any
		want    string
	}{
		{[]any{1.0, 2.0}, "weights: 2 weights for 3 clients"},
		{[]any{1.0, 2.0, 3.0, 4.0}, "weights: 4 weights for 3 clients"},
		{[]any{0.0, 0.0, 0.0}, "weights: all of them are 0"},
		{[]any{1.0, -1.0, 3.0}, "weights[1]: -1 is outside [0, +Inf)"},
		{[]any{1.0, math.Inf(1), 3.0}, "weights[1]: +Inf is outside [0, +Inf)"},
	} {
		p := fl.NewParams(map[string]any{"weights": c.weights}, fl.Setting{Clients: 3}, nil)
		_, err := List.New(p)
		problems := p.Finish()
		if err != nil || len(problems) == 0 || problems[0].Message != c.want {
			t.Errorf("%v: %v, %v; want %q", c.weights, err, problems, c.want)
		}
	}
}
