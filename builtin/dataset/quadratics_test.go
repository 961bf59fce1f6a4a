package dataset_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/builtin/dataset"
	"github.com/hansa-fl/hansa/framework/fl"
)

// Every client has one sample, and the covariate that is given, or none; as many of these as of
// minima.
//
//hansa:verifies theorem dataset/quadratics
func TestQuadraticsHaveCovariates(t *testing.T) {
	minima := []any{-2.0, 0.0, 4.0}
	build := func(given map[string]any) (fl.Source, []fl.Problem) {
		p := fl.NewParams(given, fl.Setting{Clients: 3}, nil)
		q, err := dataset.Quadratics.New(p)
		if err != nil {
			t.Fatal(err)
		}
		return q, p.Finish()
	}
	q, problems := build(map[string]any{"minima": minima})
	if d, _, err := q.Load(&fl.LoadInput{}); err != nil || len(problems) > 0 ||
		q.Shape().Covariates != nil || d.Covariates.Cols != 0 || d.Len() != 3 {
		t.Errorf("%+v, %v, %v", q.Shape(), err, problems)
	}
	q, problems = build(map[string]any{"minima": minima, "covariate": []any{1.5, 2.5, 3.5}})
	if d, _, err := q.Load(&fl.LoadInput{}); err != nil || len(problems) > 0 ||
		len(q.Shape().Covariates) != 1 || len(d.Shape.Covariates) != 1 ||
		!slices.Equal(d.Covariates.Data, []float64{1.5, 2.5, 3.5}) {
		t.Errorf("%+v, %v, %v", q.Shape(), err, problems)
	}
	if _, problems = build(map[string]any{"minima": minima, "covariate": []any{1.0}}); len(problems) !=
		1 || !strings.Contains(problems[0].Message, "1 numbers for 3 clients") {
		t.Errorf("problems %v", problems)
	}
}
