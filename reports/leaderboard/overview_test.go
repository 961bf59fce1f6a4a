package leaderboard

import (
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/reports/reportstest"
)

// Of several tasks the first page begins with all methods on all tasks, counted as the conditions
// of the tasks have them, and pages of methods have a row for each task.
func TestTasksAreTogether(t *testing.T) {
	b := several()
	s := newSite(b)
	if err := s.compare(); err != nil {
		t.Fatal(err)
	}
	s.gatherMethods()
	for _, m := range s.Methods {
		var best, better, worse, compared, conditions int
		for _, g := range s.Groups {
			of := m.Of(g)
			if of == nil {
				t.Fatalf("%s has nothing in %s", m.Label, g.Title)
			}
			best, compared, conditions = best+of.Best, compared+of.Compared, conditions+len(of.Rows)
			better, worse = better+len(of.Better), worse+len(of.Worse)
			if up := strings.HasPrefix(of.Shade(), "up"); up != (len(of.Better) > len(of.Worse)) {
				t.Errorf("%s has the shade %q, better in %d, worse in %d", m.Label, of.Shade(),
					len(of.Better), len(of.Worse))
			}
		}
		if best != len(m.Best) || better != len(m.Better) || worse != len(m.Worse) ||
			compared != m.Compared || conditions != m.Conditions {
			t.Errorf("%s: %d, %d, %d, %d, %d", m.Label, best, better, worse, compared, conditions)
		}
	}
	if good := s.method("good").Of(s.Groups[1]); len(good.Better) != 2 || good.Shade() != "up4" {
		t.Errorf("%+v", good)
	}
	if s.Methods[0].Of(new(group)) != nil {
		t.Error("a method has something in an unknown group")
	}
	texts := siteOf(t, b)
	index := texts[firstPage]
	if at := strings.Index(index, `id="methods"`); at < 0 || at > strings.Index(index, `id="g0"`) ||
		strings.Count(index, `id="methods"`) != 1 {
		t.Error("the table of methods is not before the tasks")
	}
	if n := strings.Count(texts["method-good.html"], "2 of 2: <a"); n != 2 {
		t.Errorf("%d tasks have links to the conditions in which it is better", n)
	}
}

// Titles are without what all of them begin with.
func TestShortTitles(t *testing.T) {
	for _, c := range []struct{ titles, short []string }{
		{[]string{"Leaderboard: MNIST", "Leaderboard: digits: drawn"}, []string{"MNIST", "digits: drawn"}},
		{[]string{"A: B: x", "A: B: y"}, []string{"x", "y"}},
		{[]string{"A: B: x", "A: C: y"}, []string{"B: x", "C: y"}},
		{[]string{"A: x", "B: x"}, []string{"A: x", "B: x"}},
		{[]string{"A: x", "A"}, []string{"A: x", "A"}},
		{[]string{"A: x"}, []string{"A: x"}},
		{nil, nil},
	} {
		s := &site{}
		for _, title := range c.titles {
			s.Groups = append(s.Groups, &group{Title: title})
		}
		s.shorten()
		var short []string
		for _, g := range s.Groups {
			short = append(short, g.Short)
		}
		if !slices.Equal(short, c.short) {
			t.Errorf("%q became %q", c.titles, short)
		}
	}
}

// What all conditions have in common is a fact of the task, and no part of their names.
func TestConditionsAreCalledByWhatDiffers(t *testing.T) {
	for conditions, want := range map[int]string{1: "laptop, α = 1", 2: "α = 1"} {
		b := example(conditions)
		for i := range b.Runs[0].Cells {
			c := &b.Runs[0].Cells[i]
			c.Point = append(reportstest.At("size", "laptop"), c.Point...)
		}
		s := newSite(b)
		if err := s.compare(); err != nil {
			t.Fatal(err)
		}
		g := s.Groups[0]
		if got := g.Conditions[0].Short; got != want {
			t.Errorf("of %d conditions the first is called %q, want %q", conditions, got, want)
		}
		size := fact{"size", "laptop"}
		for _, facts := range [][]fact{g.Setting, g.Conditions[0].Setting} {
			if slices.Contains(facts, size) != (conditions > 1) {
				t.Errorf("of %d conditions the facts are %v", conditions, facts)
			}
		}
	}
}
