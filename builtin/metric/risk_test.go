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

// risky builds the metric for data with the covariate age.
func risky(t *testing.T, given map[string]any) fl.ObjectiveMetric {
	t.Helper()
	p := fl.NewParams(given, fl.Setting{Clients: 9, Solvable: true, Shape: fl.Shape{Features: 1,
		Owned: true, Covariates: []string{"age"}}}, nil)
	m, err := metric.Risk.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatalf("%v: %v, %v", given, err, problems)
	}
	return m.(fl.ObjectiveMetric)
}

// The excess over the least risk is that over what a search finds, for parabolas fᵢ = (θ − aᵢ)² of one
// parameter: of the worst share, the worst client, and the worst of two groups.
//
//hansa:verifies theorem metrics/risk
func TestRiskIsAboveItsLeast(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 25))
	for range 20 {
		n := 3 + rng.IntN(6)
		var clients []*fl.Dataset
		p, age := make(fl.Vector, n), make([]float64, n)
		a := make(fl.Vector, n)
		for i := range n {
			a[i], p[i], age[i] = 3*rng.NormFloat64(), 0.1+rng.Float64(), float64(i)
			clients = append(clients, line(a[i]))
		}
		p.Scale(1 / p.Sum())
		for _, c := range []struct {
			given map[string]any
			of    func(f fl.Vector) float64
		}{
			{map[string]any{"objective": "worst-client"}, func(f fl.Vector) float64 {
				return slices.Max(f)
			}},
			{map[string]any{"share": 0.4}, func(f fl.Vector) float64 {
				least := math.Inf(1)
				for _, eta := range f {
					sum := eta
					for i, x := range f {
						sum += p[i] * max(0, x-eta) / 0.4
					}
					least = min(least, sum)
				}
				return least
			}},
		} {
			c.given["form"] = "excess"
			s := snapshot(t, model.Linear, fl.Vector{0, 0}, clients...)
			s.Params = make(fl.Vector, s.Model.Layout().Len())
			copy(s.Roster.Importance, p)
			s.Roster.Covariates = fl.Matrix{Rows: n, Cols: 1, Data: age}
			m := risky(t, c.given)
			at := func(theta float64) float64 {
				s.Params[0] = theta
				s.Reset()
				return c.of(s.ClientLosses())
			}
			low, high := slices.Min(a), slices.Max(a)
			for range 200 { // it is convex
				if third := (high - low) / 3; at(low+third) < at(high-third) {
					high -= third
				} else {
					low += third
				}
			}
			least, theta := at(low), rng.NormFloat64()
			want := at(theta) - least
			if got := measure(t, m, s); math.Abs(got-want) > 1e-7*(1+want) {
				t.Errorf("%v: %v, by search %v", c.given, got, want)
			}
		}
	}
}

// The worst of two groups is the larger of their means, and the least of it is where they are equal
// or one of them is least.
func TestRiskOfGroups(t *testing.T) {
	s := snapshot(t, model.Linear, fl.Vector{0}, line(0), line(0), line(4), line(4))
	s.Params = make(fl.Vector, s.Model.Layout().Len())
	s.Roster.Covariates = fl.Matrix{Rows: 4, Cols: 1, Data: []float64{1, 2, 3, 4}}
	m := risky(t, map[string]any{"objective": "worst-group", "by": "age", "form": "value"})
	if got := measure(t, m, s); math.Abs(got-16*scaleOf(t, s)) > 1e-9 {
		t.Errorf("at 0: %v", got)
	}
	best, err := m.Least(s)
	if err != nil || math.Abs(best.Params.Sum()-2) > 1e-6 {
		t.Errorf("%+v, %v", best, err)
	}
}

// scaleOf returns what the model's loss has before a square.
func scaleOf(t *testing.T, s *fl.Snapshot) float64 {
	t.Helper()
	return s.ClientLosses()[3] / 16
}
