package table

import (
	"slices"
	"testing"
)

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
		if got := mergeRanges(c.texts); got != c.want {
			t.Errorf("%q became %q, want %q", c.texts, got, c.want)
		}
	}
	var remarks []remark
	for seed, list := range []string{"(1, 4)", "(0, 2, 3, 5, 6, …)"} {
		remarks = append(remarks, remark{uint64(seed), "clients " + list + " stay"})
	}
	if got := mergeRemarks(remarks); len(got) != 1 || got[0].text != "clients stay" {
		t.Errorf("%+v", got)
	}
}

func TestMerge(t *testing.T) {
	for _, c := range []struct {
		name    string
		remarks []remark
		want    []string // text and share of 3 seeds
	}{
		{"none", nil, nil},
		{"the same", []remark{{1, "a 0.5"}, {2, "a 0.5"}, {3, "a 0.5"}},
			[]string{"a 0.5 (all 3 seeds)"}},
		{"some", []remark{{1, "a"}, {3, "a"}}, []string{"a (2 of 3 seeds)"}},
		{"numbers differ",
			[]remark{{1, "at 3e-4 of -2"}, {2, "at 1e-5 of -4"}, {3, "at 2e-5 of -2"}},
			[]string{"at 1e-5 to 3e-4 of -4 to -2 (all 3 seeds)"}},
		{"words differ", []remark{{1, "a 1"}, {2, "b 1"}},
			[]string{"a 1 (1 of 3 seeds)", "b 1 (1 of 3 seeds)"}},
		{"two of one seed", []remark{{1, "no 3"}, {1, "no 4"}, {2, "no 7"}},
			[]string{"no 3 to 7 (2 of 3 seeds)", "no 4 (1 of 3 seeds)"}},
		{"huge", []remark{{1, "1e999"}, {2, "5"}}, []string{"5 to 1e999 (2 of 3 seeds)"}},
	} {
		var got []string
		for _, m := range mergeRemarks(c.remarks) {
			got = append(got, inWords(m.text+m.share(3)))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if got := (mergedRemark{seeds: []uint64{7}}).share(1); got != "" {
		t.Errorf("share of a single seed: %q", got)
	}
}
