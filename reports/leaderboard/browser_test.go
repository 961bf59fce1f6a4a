package leaderboard

import (
	"os"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/reports/reportstest"
)

// A reader sorts and searches; testdata/clicks.js says what must come of it.
func TestClicks(t *testing.T) {
	texts := siteOf(t, example(7))
	clicked(t, texts["index.html"], "1240")
	clicked(t, texts["index.html"], "500")
	clicked(t, texts["condition-made-alpha-2.html"], "1240")
}

// clicked opens a page with the script of a reader at its end.
func clicked(t *testing.T, text, width string) {
	t.Helper()
	script, err := os.ReadFile("testdata/clicks.js")
	if err != nil {
		t.Fatal(err)
	}
	text = strings.Replace(text, "</html>", "<script>"+string(script)+"</script></html>", 1)
	reportstest.Browse(t, []byte(text), width)
}
