package reportstest

import (
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

// Browse opens a page in a window of a width, without any network, and reports what its script says
// is broken: a list of lines as JSON, in the element verdict that the script adds.
func Browse(t *testing.T, text []byte, width string) {
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

var verdict = regexp.MustCompile(`(?s)<pre id="verdict">(.*?)</pre>`)

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
	// Continuous integration requires it; a machine with only Go has none.
	t.Skip("chromium is missing, without which the page is not tested in a browser; CI=true " +
		"requires it")
	return ""
}

// browse opens a file in a window of a width, without any network, and returns the document as it
// is in the end.
func browse(t *testing.T, file, width string) []byte {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	args := []string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--user-data-dir=" + t.TempDir(), "--host-resolver-rules=MAP * ~NOTFOUND",
		"--window-size=" + width + ",900", "--dump-dom",
		"file://" + file}
	// Files, not pipes: processes that the browser leaves behind would hold a pipe open.
	out, log := filepath.Join(t.TempDir(), "dom.html"), filepath.Join(t.TempDir(), "log.txt")
	cmd := exec.CommandContext(ctx, chromium(t), args...)
	cmd.Stdout, cmd.Stderr = created(t, out), created(t, log)
	if err := cmd.Run(); err != nil {
		t.Fatalf("chromium: %v\n%s", err, read(t, log))
	}
	return read(t, out)
}

func created(t *testing.T, file string) *os.File {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
