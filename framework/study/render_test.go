package study

import (
	"errors"
	"strings"
	"testing"
)

// TestRender shows the form of a problem, with colours, and of those that have no line.
func TestRender(t *testing.T) {
	text := "a = 1\r\n\tb = \x1b[2J\n"
	problems := Problems{
		{Pos: Pos{File: "--set"}, Message: "third", Hint: "hint"},
		{Pos: Pos{File: "x.toml", Line: 9, Col: 1, Len: 1, text: &text}, Message: "beyond the end"},
		{Pos: Pos{File: "x.toml", Line: 2, Col: 2, Len: 1, text: &text}, Message: "second", Hint: "hint"},
		{Pos: Pos{File: "x.toml", Line: 1, Col: 5, Len: 1, text: &text}, Message: "first"},
		{Message: "nowhere"},
		{Pos: Pos{File: "x.toml", Line: 2, Col: 2, Len: 1, text: &text}, Message: "second", Hint: "hint"},
	}
	plain := `x.toml:1:5: error: first
    1 | a = 1
      |     ^
x.toml:2:2: error: second
    1 | a = 1
    2 |  b =  [2J
      |  ^ hint
x.toml:9:1: error: beyond the end
error: nowhere
--set: error: third
       hint
5 problems; nothing was run
`
	if got := rendered(t, problems, false); got != plain {
		t.Errorf("got\n%s\nwant\n%s", got, plain)
	}
	colour := rendered(t, problems, true)
	for _, code := range []string{"\x1b[1m", "\x1b[31;1m", "\x1b[34m", "\x1b[0m"} {
		if !strings.Contains(colour, code) {
			t.Errorf("%q is missing", code)
		}
		colour = strings.ReplaceAll(colour, code, "")
	}
	if colour != plain {
		t.Errorf("without its colours\n%s\nwant\n%s", colour, plain)
	}
	one := rendered(t, problems[:1], false)
	if !strings.HasSuffix(one, "\n1 problem; nothing was run\n") {
		t.Error(one)
	}
	want := "x.toml:1:5: first\nx.toml:2:2: second (hint)\nx.toml:9:1: beyond the end\n" +
		"nowhere\n--set: third (hint)"
	if got := problems.Error(); got != want {
		t.Errorf("as an error\n%s\nwant\n%s", got, want)
	}
}

func rendered(t *testing.T, ps Problems, color bool) string {
	t.Helper()
	var b strings.Builder
	if err := ps.Render(&b, color); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestLongLines shows that a caret stands under its character wherever a long line is
// cut.
func TestLongLines(t *testing.T) {
	text := "x = [" + strings.Repeat("é, ", 100) + "@" + strings.Repeat(", ü", 100) + "]"
	runes := []rune(text)
	for col := 1; col <= len(runes); col++ {
		at := Pos{File: "x", Line: 1, Col: col, Len: 1000, text: &text}
		lines := strings.Split(rendered(t, Problems{{Pos: at, Message: "m"}}, false), "\n")
		source, caret := []rune(lines[1]), []rune(lines[2])
		i := strings.IndexRune(string(caret), '^')
		if len(source) > widest+8 || len(caret) > widest+8 {
			t.Fatalf("column %d: %d and %d characters", col, len(source), len(caret))
		}
		if runes[col-1] != ' ' && (i >= len(source) || source[i] != runes[col-1]) {
			t.Fatalf("column %d: the caret misses %q\n%s\n%s", col, runes[col-1], lines[1], lines[2])
		}
	}
}

// TestRenderFails shows that the error of a writer is returned.
func TestRenderFails(t *testing.T) {
	if err := (Problems{{Message: "m"}}).Render(broken{}, false); !errors.Is(err, errBroken) {
		t.Error(err)
	}
}

var errBroken = errors.New("broken pipe")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }

// A place in a text that is not an experiment shows its line, too.
func TestPlacesInOtherTexts(t *testing.T) {
	text := "one\ntwo three\n"
	ps := Problems{{Pos: Pos{File: "x", Line: 2, Col: 5, Len: 5}.In(&text), Message: "wrong"}}
	var b strings.Builder
	if err := ps.Render(&b, false); err != nil {
		t.Fatal(err)
	}
	want := "x:2:5: error: wrong\n    1 | one\n    2 | two three\n      |     ^^^^^\n"
	if got := b.String(); !strings.HasPrefix(got, want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
