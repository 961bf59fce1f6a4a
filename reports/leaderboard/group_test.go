package leaderboard

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/reportstest"
)

// Where something was tuned, a site says all of how: with one setting for several conditions it is
// not the best mean of each.
func TestSitesSayHowSettingsWereChosen(t *testing.T) {
	b := example(3)
	in := &b.Runs[0].Input
	in.Tuning = &store.Tuning{Tune: study.Tune{Budget: 4, By: "accuracy", Seeds: []uint64{9},
		Search: study.SearchGrid, Share: 0.2, Across: []string{"partition.alpha"}}}
	const want = "settings per method. A setting is worth, in every seed, the worst that it is worth " +
		"at any point of alpha: there is one setting for all of them."
	for name, page := range siteOf(t, b) {
		if strings.HasSuffix(name, ".html") && strings.Contains(page, "chosen before by") &&
			!strings.Contains(page, want) {
			t.Errorf("%s does not say %q", name, want)
		}
	}
	if !strings.Contains(siteOf(t, b)["index.html"], want) {
		t.Errorf("the first page does not say %q", want)
	}
}

// The page of a method says in how many conditions a chosen value lies at an edge of what was tried,
// whether the site has one task or two.
func TestMethodsSayWhereRangesEnd(t *testing.T) {
	for tasks := 1; tasks <= 2; tasks++ {
		b := example(3)
		if tasks == 2 {
			other := example(3).Runs[0]
			other.Name, other.Title = "other", "Another task"
			for i := range other.Cells {
				other.Cells[i].Rounds++
			}
			b.Runs = append(b.Runs, other)
		}
		for k := range b.Runs {
			in := &b.Runs[k].Input
			in.Tuning = &store.Tuning{Tune: study.Tune{Budget: 4, By: "accuracy", Seeds: []uint64{9},
				Search: study.SearchGrid, Share: 0.2}}
			for n := range 2 {
				in.Tuning.Chosen = append(in.Tuning.Chosen, store.Choice{Method: "good", Tried: 4,
					Point: reportstest.At("partition.alpha", fmt.Sprintf("α = %d", n+1)),
					Paths: []string{"local.lr"}, Values: study.Values{0.5}, Edges: []string{"local.lr"}})
			}
		}
		want := fmt.Sprintf("<dt>A chosen value was the least or the largest tried<dd>%d of %d: a "+
			"better one may lie beyond</dl>", 2*tasks, 3*tasks)
		site := siteOf(t, b)
		if strings.Count(site["index.html"], "<li><b>Tuned</b> parameters were chosen before") != 1 {
			t.Error("the first page does not say what tuned parameters are")
		}
		if page := site["method-good.html"]; !strings.Contains(page, want) {
			t.Errorf("%d tasks: the page does not say %q:\n%s", tasks, want,
				page[max(0, strings.Index(page, "<dl>")):])
		}
		if strings.Contains(site["method-fedavg.html"], "the largest tried") {
			t.Error("the page of a method whose values lie inside says it, too")
		}
	}
}
