package fl_test

import (
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Covariates are found by their names, all of them by none; what is wrong is said of the name.
func TestCovariates(t *testing.T) {
	list := func(names ...any) map[string]any { return map[string]any{"on": names} }
	three := []string{"age", "income", "region"}
	for _, c := range []struct {
		given   map[string]any
		known   []string
		want    []int
		problem string
	}{
		{nil, three, []int{0, 1, 2}, ""},
		{nil, nil, nil, ""},
		{list(), three, nil, ""},
		{list("region", "age"), three, []int{2, 0}, ""},
		{list("age", "agee"), three, nil, `on[1]: there is no covariate "agee"`},
		{list("age", "age"), three, nil, `on[1]: "age" is named twice`},
		{list("age"), nil, nil, `on[0]: there is no covariate "age"`},
		{map[string]any{"on": "age"}, three, nil, `on: want a list of strings, have the string "age"`},
	} {
		in := fl.Setting{Clients: 1, Shape: fl.Shape{Covariates: c.known}}
		p := fl.NewParams(c.given, in, nil)
		got := p.Covariates("on", "which count")
		problems := p.Finish()
		if len(problems) == 0 && c.problem != "" || len(problems) > 0 && problems[0].Message != c.problem {
			t.Errorf("%v of %v: %v, want %q", c.given, c.known, problems, c.problem)
		}
		if c.problem == "" && !slices.Equal(got, c.want) {
			t.Errorf("%v of %v: %v, want %v", c.given, c.known, got, c.want)
		}
		if len(problems) > 0 && problems[0].Word != "" && !slices.Equal(problems[0].Allowed, c.known) {
			t.Errorf("%v: %v are allowed", c.given, problems[0].Allowed)
		}
	}
	// Where nothing is known of the data, nothing is wrong with a name.
	p := fl.NewParams(list("age"), fl.Setting{}, nil)
	if p.Covariates("on", "which count"); len(p.Finish()) > 0 {
		t.Errorf("%v", p.Finish())
	}
}
