package leaderboard

import (
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
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
