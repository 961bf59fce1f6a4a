package reports

import "testing"

// Ranges of ranges span them all, and lists of clients are left out where they differ.
func TestTextsThatDifferInNumbers(t *testing.T) {
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{[]string{"3 of 9 came", "5 of 9 came"}, "3 … 5 of 9 came"},
		{[]string{"3 … 5 of 9 came", "2 of 9 came", "4 … 8 of 9 came"}, "2 … 8 of 9 came"},
		{[]string{"8 of 9 failed", "29 of 93 failed"}, "29 of 93 … 8 of 9 failed"},
		{[]string{"29 of 93 … 8 of 9 failed", "1 of 4 failed"}, "1 of 4 … 8 of 9 failed"},
		{[]string{"3 … 5 of 9 came", "2 of 8 came"}, "2 of 8 … 5 of 9 came"},
		{[]string{"0 of 0 came", "2 of 8 came"}, "0 of 0 … 2 of 8 came"},
		{[]string{"2 clients (1, 4) stay", "2 clients (1, 4) stay"}, "2 clients (1, 4) stay"},
		{[]string{"2 clients (1, 4) stay", "6 clients (0, 1, 2, 3, 4, …) stay"}, "2 … 6 clients stay"},
		{[]string{"at −1e-3 (2 to 4)", "at −1e-2 (2 to 4)"}, "at −1e-3 … 1e-2 (2 to 4)"},
	} {
		if got := spanned(c.texts); got != c.want {
			t.Errorf("%q became %q, want %q", c.texts, got, c.want)
		}
	}
	var remarks []remark
	for seed, list := range []string{"(1, 4)", "(0, 2, 3, 5, 6, …)"} {
		remarks = append(remarks, remark{uint64(seed), "clients " + list + " stay"})
	}
	if got := merge(remarks); len(got) != 1 || got[0].text != "clients stay" {
		t.Errorf("%+v", got)
	}
}
