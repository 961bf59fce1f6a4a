package console

import (
	"testing"

	"github.com/hansa-fl/hansa/framework/session/view"
)

// A table of where a method stands has even columns, and notes below it that fit the terminal.
func TestStandingIsPrinted(t *testing.T) {
	s := &view.Standing{Title: "Board — where mine stands, by accuracy (%) ↑ · 5 seeds",
		Rows: [][]string{{"condition", "mean", "95 % CI", "rank", "confidence set", "best mean"},
			{"IID, always", "75.6", "[74.1, 77.2]", "2 of 37", "1 to 30", "FedAdam"},
			{"α = 0.3, Bernoulli", "—", "", "", "", "failed"}},
		Notes: []string{"confidence set: the ranks that the method may have, at 95 %: by paired t " +
			"tests over seeds"}}
	const want = `Board — where mine stands, by accuracy (%) ↑ · 5 seeds
condition            mean   95 % CI        rank      confidence set   best mean
IID, always          75.6   [74.1, 77.2]   2 of 37   1 to 30          FedAdam
α = 0.3, Bernoulli   —                                                failed
confidence set: the ranks that the method may have, at 95 %: by paired t tests
over seeds
`
	if got := Standing(s, 80); got != want {
		t.Errorf("it is\n%s\nwant\n%s", got, want)
	}
}
