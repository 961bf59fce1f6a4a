package builtin

import (
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
)

// Feedback with an unbiased code that may lose more than there is has a footnote.
func TestFeedbackThatMayGrowIsNoted(t *testing.T) {
	for given, noted := range map[*study.Pick]bool{
		{Name: "random-k", Params: map[string]any{"k": int64(1), "feedback": "ef"}}: true,
		{Name: "random-k", Params: map[string]any{"k": int64(1)}}:                   false,
		{Name: "random-k", Params: map[string]any{"k": int64(1), "unbiased": false,
			"feedback": "ef"}}: false,
	} {
		_, result := runCompressed(t, compressedBy(2, *given, uniformMean()))
		if got := strings.Contains(strings.Join(result.Notes, "\n"), "ω = 2"); got != noted {
			t.Errorf("%v: %v", given.Params, result.Notes)
		}
	}
}
