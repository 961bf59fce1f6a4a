package console

import (
	"strings"
	"testing"
)

// A character that is written in two parts is one.
func TestCharactersWrittenInParts(t *testing.T) {
	var b strings.Builder
	w := &safeWriter{to: &b}
	for _, part := range []string{"a\xe2", "\x80\xae", "b\xce", "\xb8", Bold + "c" + off, "\x1b[2J"} {
		if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
			t.Errorf("%d of %d bytes: %v", n, len(part), err)
		}
	}
	if want := `a\u202ebθ` + Bold + "c" + off + `\u001b[2J`; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}
