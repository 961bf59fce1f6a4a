package metric_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/builtin/metric"
	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/framework/fl"
)

// hiddenSelection builds the metric for data with the covariates age and income.
func hiddenSelection(t *testing.T, given map[string]any) (fl.Metric, string) {
	t.Helper()
	p := fl.NewParams(given, fl.Setting{Clients: 8, Shape: fl.Shape{Features: 1, Owned: true,
		Covariates: []string{"age", "income"}}}, nil)
	m, err := metric.Selection.New(p)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, problem := range p.Finish() {
		said = append(said, problem.Message)
	}
	return m, strings.Join(said, "; ")
}

// Without covariates ê is the share of the enrolled, and the ends are those over all 2^R vertices of
// the weights: 1 + z(1/ê − 1), z = Γ or 1/Γ.
//
//hansa:verifies theorem metrics/selection-range
func TestSelectionRangeIsOverAllVertices(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 11))
	for _, gamma := range []float64{1, 1.7, 6} {
		const n, enrolled = 9, 6
		var clients []*fl.Dataset
		for range n {
			clients = append(clients, line(3*rng.NormFloat64()))
		}
		s := snapshot(t, model.Linear, fl.Vector{0, 0}, clients...)
		s.Params = make(fl.Vector, s.Model.Layout().Len())
		s.Roster.Enrolled = make([]bool, n)
		s.Roster.Covariates = fl.NewMatrix(n, 2)
		for i := range enrolled {
			s.Roster.Enrolled[i] = true
		}
		losses := s.ClientLosses()
		low, high := math.Inf(1), math.Inf(-1)
		for corner := range 1 << enrolled {
			sum, total := 0.0, 0.0
			for i := range enrolled {
				z := 1 / gamma
				if corner>>i&1 == 1 {
					z = gamma
				}
				w := 1 + z*(float64(n)/enrolled-1)
				sum, total = sum+w*losses[i], total+w
			}
			low, high = min(low, sum/total), max(high, sum/total)
		}
		f := s.Roster.Importance.Dot(losses)
		in := 0.0
		if low <= f && f <= high {
			in = 100
		}
		for end, want := range map[string]float64{"low": low, "high": high, "inside": in} {
			m, problems := hiddenSelection(t, map[string]any{"gamma": gamma, "end": end,
				"covariates": []any{}})
			if problems != "" {
				t.Fatal(problems)
			}
			if got := measure(t, m, s); math.Abs(got-want) > 1e-11*(1+want) {
				t.Errorf("Γ = %v, %s: %v, over vertices %v", gamma, end, got, want)
			}
		}
	}
}

// A level makes an interval around the estimate, and where all are enrolled it is F, with no error.
// Losses of clients that are not enrolled move no end.
func TestSelectionRangeOfALevel(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 12))
	var clients []*fl.Dataset
	for range 40 {
		clients = append(clients, line(rng.NormFloat64()))
	}
	s := snapshot(t, model.Linear, fl.Vector{0, 0}, clients...)
	s.Params = make(fl.Vector, s.Model.Layout().Len())
	s.Roster.Covariates = fl.NewMatrix(40, 2)
	for k := range s.Roster.Covariates.Data {
		s.Roster.Covariates.Data[k] = rng.NormFloat64()
	}
	ends := func() (list []float64) {
		for _, given := range []map[string]any{{"end": "low", "level": 0.95}, {"end": "low"},
			{"end": "high"}, {"end": "high", "level": 0.95}} {
			m, _ := hiddenSelection(t, given)
			list = append(list, measure(t, m, s))
		}
		return list
	}
	f := s.Objective()
	for _, end := range ends() {
		if math.Abs(end-f) > 1e-12 {
			t.Errorf("all are enrolled: %v, F = %v", end, f)
		}
	}
	s.Roster.Enrolled = make([]bool, 40)
	for i := range 20 {
		s.Roster.Enrolled[i] = true
	}
	got := ends()
	if !(got[0] < got[1] && math.Abs(got[1]-got[2]) < 1e-12 && got[2] < got[3]) ||
		math.Abs(got[0]+got[3]-got[1]-got[2]) > 1e-12 {
		t.Errorf("%v", got)
	}
	for i := range s.Population.Train.Target {
		if i >= 20 {
			s.Population.Train.Target[i] += 100
		}
	}
	s.Reset()
	if !slices.Equal(ends(), got) {
		t.Error("losses of others move the ends")
	}
	m, _ := hiddenSelection(t, map[string]any{"level": 0.95})
	if measure(t, m, s) != 0 {
		t.Error("F is inside an interval that is far from it")
	}
}

// The range for Γ above 1 has no error of sampling, and a level with it is refused.
func TestSelectionRangeHasNoLevelAboveOne(t *testing.T) {
	const want = "level: 0.95 needs gamma = 1: the range for gamma above 1 has no error of sampling"
	_, got := hiddenSelection(t, map[string]any{"level": 0.95, "gamma": 2.0})
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
