package page

import (
	"bytes"
	"context"
	"encoding/json"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

// chromium returns what runs a page without a window.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("chromium is missing: install chromium")
	}
	t.Skip("chromium is missing: nobody clicks on the page")
	return ""
}

// browse opens a file in a window of a width, without any network, and returns the document as it
// is in the end.
func browse(t *testing.T, file, width string) []byte {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	args := []string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--user-data-dir=" + t.TempDir(), "--host-resolver-rules=MAP * ~NOTFOUND",
		"--window-size=" + width + ",900", "--dump-dom",
		"file://" + file}
	var out, log bytes.Buffer
	cmd := exec.CommandContext(ctx, chromium(t), args...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &log, time.Second
	if err := cmd.Run(); err != nil {
		t.Fatalf("chromium: %v\n%s", err, log.Bytes())
	}
	return out.Bytes()
}

var verdict = regexp.MustCompile(`(?s)<pre id="verdict">(.*?)</pre>`)

// A reader sorts, chooses, hides, points and downloads; testdata/clicks.js says what must come of
// it. The page is as it is but for that script at its end, in wide windows and on telephones.
func TestClicks(t *testing.T) {
	script, err := os.ReadFile("testdata/clicks.js")
	if err != nil {
		t.Fatal(err)
	}
	text := written(t, furnished(example(shape{4, 2, 3, 60})))
	text = bytes.Replace(text, []byte("</html>"),
		[]byte("<script>"+string(script)+"</script></html>"), 1)
	check(t, text, "1240")
	check(t, text, "500")
}

// check opens a page in a window of a width, and reports what its script says is broken.
func check(t *testing.T, text []byte, width string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	m := verdict.FindSubmatch(browse(t, file, width))
	if m == nil {
		t.Fatalf("%s wide: the script did not come to its end", width)
	}
	var said []string
	if err := json.Unmarshal([]byte(html.UnescapeString(string(m[1]))), &said); err != nil {
		t.Fatal(err)
	}
	for _, line := range said {
		t.Errorf("%s wide: %s", width, line)
	}
}

// Without its scripts the page has all of its tables to be read.
func TestWithoutScripts(t *testing.T) {
	text := written(t, furnished(example(shape{4, 2, 3, 60})))
	text = regexp.MustCompile(`(?s)<script.*?</script>`).ReplaceAll(text, nil)
	text = bytes.Replace(text, []byte("</html>"), []byte(`<pre id="verdict"></pre><script>
verdict.textContent = JSON.stringify([...document.querySelectorAll("table")]
  .filter(t => !t.closest("details") && t.innerText.split("\n").length < 2)
  .map(t => "a table is empty: " + t.innerText))</script></html>`), 1)
	check(t, text, "1240")
}
