package metric_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/builtin/metric"
	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/framework/fl"
)

// crowd is a snapshot of clients whose losses are given, and whose one covariate is, too.
func crowd(t *testing.T, losses, age []float64) *fl.Snapshot {
	t.Helper()
	var clients []*fl.Dataset
	for _, loss := range losses {
		clients = append(clients, line(math.Sqrt(loss)))
	}
	s := snapshot(t, model.Linear, fl.Vector{0}, clients...)
	s.Roster.Covariates = fl.Matrix{Rows: len(age), Cols: 1, Data: age}
	return s
}

// grouped builds the metric for data with the covariates age and height.
func grouped(t *testing.T, given map[string]any) fl.Metric {
	t.Helper()
	p := fl.NewParams(given, fl.Setting{Clients: 9, Assigned: true, Shape: fl.Shape{
		Classes: 2, Owned: true, Tested: true, Covariates: []string{"age", "height"}}}, nil)
	m, err := metric.Groups.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatalf("%v: %v, %v", given, err, problems)
	}
	return m
}

// Groups by a covariate are those clients, and their statistics those of plain loops.
//
//hansa:verifies theorem metrics/groups
func TestGroupsOfACovariate(t *testing.T) {
	for _, c := range []struct {
		name              string
		losses, age, p    []float64
		bins              int
		low, high, spread float64
		worst             float64
	}{
		{"halves", []float64{1, 9, 2, 6}, []float64{30, 10, 40, 20}, nil, 2, 7.5, 1.5, 6, 7.5},
		{"by value, few ones", []float64{1, 2, 3, 8}, []float64{0, 0, 0, 1}, nil, 2, 2, 8, 6, 8},
		{"by value, few zeros", []float64{1, 2, 3, 8}, []float64{1, 0, 1, 1}, nil, 2, 2, 4, 2, 4},
		{"by value, whatever the bins", []float64{1, 2, 3, 8}, []float64{1, 0, 1, 1}, nil, 9, 2, 4, 2, 4},
		{"all the same", []float64{1, 2, 3, 8}, []float64{7, 7, 7, 7}, nil, 3, 3.5, 3.5, 0, 3.5},
		{"by importance", []float64{1, 2, 4}, []float64{1, 2, 3}, []float64{.6, .3, .1}, 2, 1, 2.5, 1.5, 2.5},
		{"weighed", []float64{1, 2, 4, 8}, []float64{0, 0, 1, 1}, []float64{.1, .4, .3, .2}, 2,
			1.8, 5.6, 3.8, 5.6},
		{"thirds", []float64{3, 3, 5, 5, 1, 1}, []float64{1, 2, 3, 4, 5, 6}, nil, 3, 3, 1, 4, 5},
		{"nearer above", []float64{1, 2, 3, 4, 5}, []float64{1, 2, 3, 4, 5}, []float64{.3, .3, .1, .1, .2},
			2, 1.5, 4.25, 2.75, 4.25}, // after 0.6 of p, not after 0.3
		{"two as near", []float64{1, 2, 3}, []float64{1, 2, 3}, nil, 2, 1, 2.5, 1.5, 2.5},
		{"counts nothing", []float64{1, 99, 3}, []float64{1, 2, 3}, []float64{.5, 0, .5}, 2, 1, 3, 2, 3},
	} {
		s := crowd(t, c.losses, c.age)
		if c.p != nil {
			s.Roster.Importance = c.p
		}
		for statistic, want := range map[string]float64{
			"low": c.low, "high": c.high, "spread": c.spread, "worst": c.worst, "best": c.worst - c.spread,
		} {
			m := grouped(t, map[string]any{"by": "age", "bins": int64(c.bins), "statistic": statistic})
			if got := measure(t, m, s); !same(got, want) {
				t.Errorf("%s: %s is %v, want %v", c.name, statistic, got, want)
			}
		}
	}
}

// The number is a property of the clients, and not of their order.
func TestGroupsHaveNoOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		n := 2 + rng.IntN(30)
		losses, age := make([]float64, n), make([]float64, n)
		for i := range losses {
			losses[i], age[i] = rng.Float64(), float64(rng.IntN(4))
		}
		m := grouped(t, map[string]any{"by": "age", "bins": int64(2 + rng.IntN(4)), "statistic": "spread"})
		want := measure(t, m, crowd(t, losses, age))
		order := rng.Perm(n)
		var a, b []float64
		for _, i := range order {
			a, b = append(a, losses[i]), append(b, age[i])
		}
		if got := measure(t, m, crowd(t, a, b)); math.Abs(got-want) > 1e-14 {
			t.Fatalf("%v in one order, %v in another", want, got)
		}
	}
}

// Clients that never enrolled are a group, and so are those that did; where all did, there is one.
func TestGroupsOfEnrolment(t *testing.T) {
	s := crowd(t, []float64{1, 2, 4, 9}, []float64{1, 2, 3, 4})
	s.Roster.Enrolled = []bool{true, false, true, false}
	for statistic, want := range map[string]float64{
		"low": 5.5, "high": 2.5, "worst": 5.5, "best": 2.5, "spread": 3,
	} {
		if got := measure(t, grouped(t, map[string]any{"statistic": statistic}), s); !same(got, want) {
			t.Errorf("%s: %v, want %v", statistic, got, want)
		}
	}
	s.Roster.Enrolled = nil
	for statistic, want := range map[string]float64{"low": 4, "high": 4, "spread": 0} {
		if got := measure(t, grouped(t, map[string]any{"statistic": statistic}), s); !same(got, want) {
			t.Errorf("all enrolled, %s: %v, want %v", statistic, got, want)
		}
	}
}

// The worst accuracy is the lowest; on test data, clients without some count nowhere.
func TestGroupsOfTests(t *testing.T) {
	right, wrong := signs([]float64{1, 1}, 0, 0), signs([]float64{1, 1}, 1, 0)
	s := snapshot(t, model.Softmax, fl.Vector{1, -1, 0, 0}, right, wrong, right)
	s.Roster.Enrolled = []bool{true, false, true}
	given := map[string]any{"of": "accuracy"}
	for statistic, want := range map[string]float64{"worst": 50, "best": 100, "spread": 50} {
		given["statistic"] = statistic
		m := grouped(t, given)
		if got := measure(t, m, s); !same(got, want) || m.Unit() != "%" || m.Higher() != (statistic != "spread") {
			t.Errorf("%s: %v %s, higher %t", statistic, got, m.Unit(), m.Higher())
		}
	}
	given = map[string]any{"on": "test", "of": "accuracy", "statistic": "high"}
	if _, err := grouped(t, given).Measure(s); err == nil {
		t.Error("test data that belong to no client are measured by group")
	}
	s.Population.Test, s.Population.TestStart = wrong, []int{0, 2, 2, 2}
	if got := measure(t, grouped(t, given), s); !same(got, 50) {
		t.Errorf("%v %% of the client with test data, want 50", got)
	}
	given["statistic"] = "low" // no client there has test data: the other group is all there is
	if got := measure(t, grouped(t, given), s); !same(got, 50) {
		t.Errorf("%v %% of the only group, want 50", got)
	}
	s.Roster.Importance = fl.Vector{0, .5, .5}
	if _, err := grouped(t, given).Measure(s); err == nil ||
		err.Error() != "no client that counts has samples to measure" {
		t.Errorf("error %v", err)
	}
	every := build(t, metric.Clients, map[string]any{"on": "test", "of": "accuracy"})
	if _, err := every.Measure(s); err == nil || err.Error() != "a client has no test samples" {
		t.Errorf("by client: error %v", err)
	}
}

// A loss that is no number is not hidden in any group.
func TestGroupsHideNothing(t *testing.T) {
	s := crowd(t, []float64{1, math.NaN(), 3}, []float64{1, 2, 3})
	for _, statistic := range []string{"worst", "best", "spread"} {
		m := grouped(t, map[string]any{"by": "age", "statistic": statistic})
		if got := measure(t, m, s); !math.IsNaN(got) {
			t.Errorf("%s: %v", statistic, got)
		}
	}
}

func TestGroupsRefuse(t *testing.T) {
	for want, shape := range map[string]fl.Shape{
		`by: there is no covariate "income"; these data have none`: {},
		`by: there is no covariate "income"; there are age, height`: {
			Covariates: []string{"age", "height"}},
		"": {Covariates: []string{"age", "income"}},
	} {
		p := fl.NewParams(map[string]any{"by": "income"}, fl.Setting{Clients: 3, Shape: shape}, nil)
		if _, err := metric.Groups.New(p); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, q := range p.Finish() {
			got += q.Message
		}
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The residual error of two weights, by hand, and of what is not known.
//
//hansa:verifies theorem metrics/residual
func TestResidual(t *testing.T) {
	s := crowd(t, []float64{1, 2, 3, 4, 5}, make([]float64, 5))
	nan := math.NaN()
	for _, c := range []struct {
		p, rho    []float64
		raw, free float64
	}{
		{[]float64{.2, .2, .2, .2, .2}, []float64{1, 1, 1, 1, 1}, 0, 0},
		{[]float64{.2, .2, .2, .2, .2}, []float64{.5, .5, nan, .5, .5}, .5, 0}, // Corollary 6.2
		{[]float64{.25, .25, .25, .25, 0}, []float64{1.5, .5, nan, nan, 7}, .5, .5},
		{[]float64{.1, .3, .2, .2, .2}, []float64{2, 1, nan, nan, nan}, 1, .6}, // ρ̄ = 1.25
		{[]float64{.5, .5, 0, 0, 0}, []float64{0, 2, nan, nan, nan}, 1, 1},
	} {
		s.Roster.Importance, s.Residual = c.p, c.rho
		for form, want := range map[string]float64{"raw": c.raw, "scale-free": c.free} {
			m := build(t, metric.Residual, map[string]any{"form": form})
			if got := measure(t, m, s); !same(got, want) {
				t.Errorf("ρ = %v: %s %v, want %v", c.rho, form, got, want)
			}
		}
	}
	m := build(t, metric.Residual, nil)
	for _, rho := range [][]float64{nil, slices.Repeat([]float64{nan}, 5)} {
		s.Residual = rho
		if got := measure(t, m, s); !math.IsNaN(got) {
			t.Errorf("ρ = %v: %v", rho, got)
		}
	}
	if !fl.TraitsOf[fl.MetricTraits](metric.Residual).Judges || m.Higher() || m.Unit() != "" {
		t.Error("it judges, less is better, and it has no unit")
	}
}

// Clients that never enrolled count in the objective like others: F and its minimiser are those of
// all clients.
func TestNeverEnrolledClientsCount(t *testing.T) {
	s := snapshot(t, model.Linear, fl.Vector{2}, line(0), line(4))
	s.Roster.Importance = fl.Vector{.25, .75}
	s.Roster.Enrolled = []bool{true, false}
	for _, c := range []struct {
		entry fl.MetricEntry
		want  float64
	}{
		{metric.Objective, 4}, {metric.Distance, 1}, {metric.Suboptimality, 1}, // θ* = 3, F* = 3
	} {
		if got := measure(t, build(t, c.entry, nil), s); !same(got, c.want) {
			t.Errorf("%s: %v, want %v", c.entry.Name, got, c.want)
		}
	}
}
