package table_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
)

// Every row says which of its parameters were chosen, of how many settings, and whether a better
// one may lie beyond; one that was not tuned beside others that were is marked.
func TestRowsSayWhatWasChosen(t *testing.T) {
	x := reportstest.NewExample("tuned", "Tuned", engine.Series{Key: "accuracy", Higher: true})
	for _, label := range []string{"FedAvg", "FedProx", "FedAVOT"} {
		x.Add(study.Cell{Method: label}, []float64{1, 2, 3})
	}
	in := x.Input
	methods := []string{in.Cells[0].Method}
	for i := range in.Cells {
		if m := in.Cells[i].Method; !slices.Contains(methods, m) {
			methods = append(methods, m)
		}
	}
	in.Tuning = &store.Tuning{Tune: study.Tune{Budget: 20, By: "accuracy", Seeds: []uint64{100, 101},
		Search: "grid", Share: 0.2}}
	for i := range in.Cells {
		c := &in.Cells[i]
		if c.Parent != "" || in.Tuning.Choice(c) != nil {
			continue
		}
		one := store.Choice{Method: c.Method, Point: c.Point}
		if c.Method != methods[1] {
			one.Paths, one.Values = []string{"local.lr", "local.mu"}, study.Values{0.0316, int64(1)}
			one.Tried, one.Edges = 20, nil
		}
		if c.Method == methods[0] {
			one.Edges = []string{"local.mu"}
		}
		in.Tuning.Chosen = append(in.Tuning.Chosen, one)
	}
	tables, err := table.Build(in)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, n := range tables[0].Notes {
		all = append(all, n.Text)
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{
		"parameters were chosen before by accuracy on validation samples, 20 % of each client's " +
			"training samples, with seeds 100, 101: the best mean at the end of a grid search of " +
			"20 settings per method",
		"tuned: lr = 0.0316, mu = 1, the best of 20 settings; mu: the least or the largest value " +
			"that was tried, a better one may lie beyond",
		"not tuned, beside methods that are",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the notes lack %q:\n%s", want, text)
		}
	}
	in.Tuning = &store.Tuning{Tune: in.Tuning.Tune, Open: true}
	if tables, err = table.Build(in); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(tables[0].Notes, func(n table.Note) bool {
		return n.Text == "the trials of [tune] have not ended: parameters are not chosen yet"
	}) {
		t.Errorf("%v", tables[0].Notes)
	}
}

// The notes tell how many settings were added to those of the file, and where methods got other
// numbers of them.
func TestNotesTellOfSettingsThatWereAdded(t *testing.T) {
	for _, c := range []struct {
		added []string // the method of each
		want  string
	}{
		{[]string{"FedAvg", "FedAvg", "FedProx", "FedProx"}, "2 settings per method were added, " +
			"the same number for each, because a chosen value was the least or the largest that was tried"},
		{[]string{"FedAvg", "FedProx", "FedProx"}, "1 to 2 settings were added per method, " +
			"because a chosen value was the least or the largest that was tried: the budgets differ"},
	} {
		x := reportstest.NewExample("tuned", "Tuned", engine.Series{Key: "accuracy", Higher: true})
		tuning := &store.Tuning{Tune: study.Tune{Budget: 3, By: "accuracy", Search: "grid"}}
		for _, label := range []string{"FedAvg", "FedProx"} {
			x.Add(study.Cell{Method: label}, []float64{1, 2, 3})
			tuning.Chosen = append(tuning.Chosen, store.Choice{Method: label, Tried: 3,
				Paths: []string{"local.lr"}, Values: study.Values{0.1}})
		}
		for _, label := range c.added {
			tuning.Added = append(tuning.Added, store.Extra{Method: label, Values: study.Values{1.0}})
		}
		in := x.Input
		in.Tuning = tuning
		tables, err := table.Build(in)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(tables[0].Notes, func(n table.Note) bool { return n.Text == c.want }) {
			t.Errorf("no note says %q: %v", c.want, tables[0].Notes)
		}
	}
}

// The notes tell at which points settings were chosen apart, and over which there is one.
func TestNotesTellWhereOneSettingHolds(t *testing.T) {
	const apart, worst = ", at each point of participation by itself", "a setting is worth, in " +
		"every seed, the worst that it is worth at any point of heterogeneity: there is one " +
		"setting for all of them"
	point := func(participation, heterogeneity string) []study.Coordinate {
		return []study.Coordinate{{Axis: "participation", Label: participation},
			{Axis: "heterogeneity", Label: heterogeneity}}
	}
	tuning := &store.Tuning{Tune: study.Tune{Budget: 3, By: "accuracy", Search: "grid"}}
	for _, p := range []string{"always", "cyclic"} {
		tuning.Chosen = append(tuning.Chosen,
			store.Choice{Method: "FedAvg", Point: point(p, "IID"), Paths: []string{"local.lr"}},
			store.Choice{Method: "FedAvg", Point: point(p, "α = 0.1"), Paths: []string{"local.lr"}})
	}
	both := strings.Join(table.TuningTexts(tuning), "; ")
	if want := ", at each point of participation and heterogeneity by itself"; !strings.HasSuffix(both, want) {
		t.Errorf("%q does not end in %q", both, want)
	}
	tuning.Across = []string{"heterogeneity"}
	for i := range tuning.Chosen {
		tuning.Chosen[i].Point = tuning.Chosen[i].Point[:1]
	}
	one := strings.Join(table.TuningTexts(tuning), "; ")
	if want := apart + "; " + worst; !strings.HasSuffix(one, want) {
		t.Errorf("%q does not end in %q", one, want)
	}
	tuning.Chosen = tuning.Chosen[:1]
	if one = strings.Join(table.TuningTexts(tuning), "; "); strings.Contains(one, "by itself") {
		t.Errorf("%q tells of several points where there is one", one)
	}
}
