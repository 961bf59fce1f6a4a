package fl_test

import (
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A text is any but the empty one; without a default it must be given.
func TestText(t *testing.T) {
	for _, c := range []struct {
		given   any // nil: nothing
		def     string
		want    string
		problem string
	}{
		{nil, "none", "none", ""},
		{"a/b.gz", "none", "a/b.gz", ""},
		{"a/b.gz", "", "a/b.gz", ""},
		{"", "none", "none", "path: is empty"},
		{nil, "", "", "path: is required"},
		{int64(3), "", "", "path: want a string, have 3"},
	} {
		given := map[string]any{}
		if c.given != nil {
			given["path"] = c.given
		}
		p := fl.NewParams(given, fl.Setting{Clients: 1}, nil)
		got := p.Text("path", c.def, "where it lies")
		problems := p.Finish()
		if len(problems) == 0 && c.problem != "" || len(problems) > 0 && problems[0].Message != c.problem {
			t.Errorf("%v, by default %q: %v, want %q", c.given, c.def, problems, c.problem)
		}
		if got != c.want || c.problem == "" && p.Resolved()["path"] != c.want {
			t.Errorf("%v, by default %q: %q, resolved %v", c.given, c.def, got, p.Resolved())
		}
	}
}

// A subset is what is listed, or all options.
func TestSubset(t *testing.T) {
	for _, c := range []struct {
		given   any // nil: nothing
		want    []string
		problem string
	}{
		{nil, []string{"ink", "neon"}, ""},
		{[]any{"neon"}, []string{"neon"}, ""},
		{[]any{"neon", "ink"}, []string{"neon", "ink"}, ""},
		{[]any{}, nil, "domains: is empty"},
		{[]any{"ink", "nein"}, []string{"ink", "nein"}, `domains[1]: there is no "nein"`},
		{[]any{"ink", "ink"}, []string{"ink", "ink"}, `domains[1]: "ink" is named twice`},
		{"ink", nil, `domains: want a list of strings, have the string "ink"`},
	} {
		given := map[string]any{}
		if c.given != nil {
			given["domains"] = c.given
		}
		p := fl.NewParams(given, fl.Setting{Clients: 1}, nil)
		got := p.Subset("domains", "those to use", "ink", "neon")
		problems := p.Finish()
		if len(problems) == 0 && c.problem != "" || len(problems) > 0 && problems[0].Message != c.problem {
			t.Errorf("%v: %v, want %q", c.given, problems, c.problem)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.given, got, c.want)
		}
	}
}
