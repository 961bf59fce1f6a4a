package console

import (
	"strings"
	"testing"

	"github.com/vbauerster/mpb/v8"
)

// What is written above a bar, such as the answer of a mirror, does not command the terminal.
func TestLinesAboveBarsAreSafe(t *testing.T) {
	var b strings.Builder
	bars := mpb.New(mpb.WithOutput(&b), mpb.WithAutoRefresh())
	file := bars.AddBar(2)
	shown := &bar{bars: bars, bar: file}
	shown.Above("it answers \x1b[2J\n")
	file.Abort(false)
	bars.Wait()
	if !strings.Contains(b.String(), `it answers \u001b[2J`) {
		t.Errorf("%q", b.String())
	}
}
