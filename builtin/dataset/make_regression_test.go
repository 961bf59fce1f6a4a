package dataset

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// sklearn is what testdata/make_regression.py wrote.
type sklearn struct {
	Cases []struct {
		Given struct {
			Samples, Features, Informative int
			Noise                          float64
			RandomState                    int64 `json:"random_state"`
		}
		First, Last, Columns, Y []float64
		YSum                    float64 `json:"y_sum"`
		YByPlace                float64 `json:"y_by_place"`
	}
	Optimum struct {
		Minimum float64
		AtZero  float64 `json:"at_zero"`
	}
}

func golden(t *testing.T) (g sklearn) {
	t.Helper()
	b, err := os.ReadFile("testdata/make_regression.json")
	if err == nil {
		err = json.Unmarshal(b, &g)
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Data and coefficients are those of scikit-learn.
//
//hansa:verifies source dataset/make-regression
func TestMakeRegressionIsSklearns(t *testing.T) {
	for _, want := range golden(t).Cases {
		g := want.Given
		t.Run(fmt.Sprint("state ", g.RandomState), func(t *testing.T) {
			given := map[string]any{
				"samples": int64(g.Samples), "features": int64(g.Features), "noise": g.Noise,
				"informative": int64(g.Informative), "random_state": g.RandomState,
			}
			s := build(t, MakeRegression, given, 5)
			train, test := load(t, s, 5, 1)
			if test != nil {
				t.Error("there are test data")
			}
			checkOwned(t, s, train, 5, g.Samples/5)
			columns, byPlace, last := make(fl.Vector, g.Features), 0.0, g.Samples-1
			for r, y := range train.Target {
				place := float64(r+1) / float64(g.Samples)
				columns.AddScaled(place, train.X.Row(r))
				byPlace += place * y
			}
			for k := range columns {
				within(t, "first row", train.X.Row(0)[k], want.First[k], 1e-12)
				within(t, "last row", train.X.Row(last)[k], want.Last[k], 1e-12)
				within(t, "columns by place", columns[k], want.Columns[k], 1e-11)
			}
			for j, y := range append(train.Target[:3:3], train.Target[last-2:]...) {
				within(t, "target", y, want.Y[j], 1e-12)
			}
			within(t, "sum of targets", train.Target.Sum(), want.YSum, 1e-10)
			within(t, "targets by place", byPlace, want.YByPlace, 1e-10)
		})
	}
}

// TestMakeRegressionOptimum checks the objective of the FedAVOT authors' Figure 1(a):
// p ∝ (101−i)^0.8 over 100 clients, at its minimum and at θ = 0.
func TestMakeRegressionOptimum(t *testing.T) {
	const clients = 100
	train, _ := load(t, build(t, MakeRegression, nil, clients), clients, 1)
	n := train.Len() / clients
	w, sum, atZero := make([]float64, train.Len()), 0.0, 0.0
	for i := range clients {
		sum += math.Pow(float64(clients-i), 0.8) * float64(n)
	}
	for r, i := range train.Owner {
		w[r] = math.Pow(float64(clients-i), 0.8) / sum
		atZero += w[r] * train.Target[r] * train.Target[r]
	}
	_, minimum := leastSquares(t, *train, w)
	want := golden(t).Optimum
	within(t, "F at its minimum", minimum, want.Minimum, 1e-12)
	within(t, "F at zero", atZero, want.AtZero, 1e-12)
}

// TestMakeRegressionIgnoresTheSeed: the experiment's seed is not that of the data.
func TestMakeRegressionIgnoresTheSeed(t *testing.T) {
	s := build(t, MakeRegression, nil, 10)
	one, _ := load(t, s, 10, 1)
	two, _ := load(t, s, 10, 2)
	if !reflect.DeepEqual(one, two) {
		t.Error("another seed yields other data")
	}
}

func TestMakeRegressionRefuses(t *testing.T) {
	const want = "samples: 3000 rows do not divide among 7 clients"
	p := fl.NewParams(nil, fl.Setting{Clients: 7}, nil)
	s, err := MakeRegression.New(p)
	if err != nil {
		t.Fatal(err)
	}
	if problems := p.Finish(); len(problems) != 1 || problems[0].Message != want ||
		problems[0].Param != "samples" {
		t.Errorf("problems %v, want %q", problems, want)
	}
	if _, _, err := s.Load(&fl.LoadInput{Clients: 7}); err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
}
