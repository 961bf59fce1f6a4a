package leaderboard

import (
	"regexp"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
)

// The same runs give the same bytes.
func TestReproducible(t *testing.T) {
	first := siteOf(t, example(7))
	for range 3 {
		for name, text := range siteOf(t, example(7)) {
			if text != first[name] {
				t.Fatalf("%s differs from what it was", name)
			}
		}
	}
}

// Every link leads to a file of the site or to a place of its page, and every file is linked to.
func TestLinksResolve(t *testing.T) {
	linked(t, siteOf(t, example(7)), 1+7+6)
	linked(t, siteOf(t, several()), 1+2+2+6)
}

func linked(t *testing.T, texts map[string]string, files int) {
	t.Helper()
	reached := map[string]bool{"index.html": true}
	for name, text := range texts {
		if strings.Contains(text, "://") {
			t.Errorf("%s names another place", name)
		}
		for _, m := range regexp.MustCompile(`href="([^"#]*)(?:#([^"]*))?"`).FindAllStringSubmatch(text, -1) {
			to := m[1]
			if to == "" {
				to = name
			}
			reached[to] = true
			if texts[to] == "" {
				t.Errorf("%s links to %s, which is not there", name, to)
			}
			if m[2] != "" && !strings.Contains(texts[to], `id="`+m[2]+`"`) {
				t.Errorf("%s links to %s of %s, which is not there", name, m[2], to)
			}
		}
	}
	for name := range texts {
		if !reached[name] {
			t.Errorf("no page links to %s", name)
		}
	}
	if len(texts) != files {
		t.Errorf("%d files", len(texts))
	}
}

// All of the script is in one element, of at most 30,000 bytes; pages request nothing.
func TestScriptIsSmall(t *testing.T) {
	if n := len(scripts()); n > 30_000 {
		t.Errorf("the script has %d bytes", n)
	}
	for name, text := range siteOf(t, example(2)) {
		if n := strings.Count(text, "<script"); n != 1 {
			t.Errorf("%s has %d scripts", name, n)
		}
		if !strings.Contains(text, "default-src 'none'") {
			t.Errorf("%s does not forbid requests", name)
		}
	}
}

// Labels stay labels.
func TestEscapes(t *testing.T) {
	for name, text := range siteOf(t, example(7)) {
		for _, bad := range []string{"alert(1)</script>", "<b>zz", `"a" 'b'`} {
			if i := strings.Index(text, bad); i >= 0 {
				t.Errorf("%s: not escaped: %s", name, text[max(0, i-80):i+40])
			}
		}
	}
}

// Absolute paths, which name people and workplaces, are on no page.
func TestPathsAreShort(t *testing.T) {
	b := example(2)
	const secret = "/home/absent/work"
	b.Remake = "hansa leaderboard " + secret + "/made"
	b.Command = func(int, *study.Cell) string { return "hansa run " + secret + "/made.toml" }
	b.Audit = func(int, string) string { return "hansa audit " + secret + "/made.toml" }
	for i := range b.Runs[0].Cells {
		for _, slot := range []string{"dataset", "aggregator"} {
			b.Runs[0].Cells[i].Picks[slot].Params["file"] = secret + "/data/x.csv"
		}
	}
	for name, text := range siteOf(t, b) {
		if strings.Contains(text, "absent/work") || !strings.Contains(text, "hansa leaderboard made") {
			t.Errorf("%s names a folder of this machine", name)
		}
	}
}

// Every table has a caption, heads that say of what they are, and a row head in every row.
func TestTablesAreAccessible(t *testing.T) {
	for name, text := range siteOf(t, example(7)) {
		for _, part := range strings.Split(text, "<table")[1:] {
			part, _, _ = strings.Cut(part, "</table>")
			if !strings.Contains(part, "<caption>") {
				t.Errorf("%s: a table has no caption: %.80s", name, part)
			}
			head, body, _ := strings.Cut(part, "<tbody>")
			if n, all := strings.Count(head, `<th scope="col"`), strings.Count(head, "<th"); n+1 != all {
				t.Errorf("%s: %d of %d heads have a scope", name, n, all-1) // thead is one
			}
			if n, rows := strings.Count(body, `<th scope="row"`), strings.Count(body, "<tr"); n != rows {
				t.Errorf("%s: %d of %d rows have a head", name, n, rows)
			}
		}
		for _, mark := range []string{`<html lang="en">`, "<header>", `<main id="main">`, "<footer>",
			"<h1>", "<nav aria-label="} {
			if !strings.Contains(text, mark) {
				t.Errorf("%s has no %s", name, mark)
			}
		}
	}
}
