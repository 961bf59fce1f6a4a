package page

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/chart"
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
	// Continuous integration requires it; a machine with only Go has none.
	t.Skip("chromium is missing, without which the page is not tested in a browser; CI=true requires it")
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
	// Files, not pipes: processes that the browser leaves behind for a while would hold a pipe open.
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

// Every table lies within the window, or in a box that a reader can scroll from one end to the
// other; the page itself never scrolls sideways. testdata/tables.js measures it.
func TestWideTablesScroll(t *testing.T) {
	script, err := os.ReadFile("testdata/tables.js")
	if err != nil {
		t.Fatal(err)
	}
	text := bytes.Replace(written(t, furnished(example(shape{4, 8, 3, 10}))), []byte("</html>"),
		[]byte("<script>"+string(script)+"</script></html>"), 1)
	check(t, text, "1400")
	check(t, text, "1000")
}

// Beneath curves stands which methods measure something else than the others, in the words of
// charts on paper: in the condition in which they do, for every metric.
func TestCurvesSayWhatIsNotComparable(t *testing.T) {
	p := example(shape{4, 2, 3, 10})
	for i := range p.Input.Cells {
		c := &p.Input.Cells[i]
		for _, key := range []string{"loss", "accuracy"} {
			c.Measures = append(c.Measures, study.Measure{Pick: study.Pick{Name: key}, Key: key})
		}
		file := "a.npy"
		if c.Method == "FedAVOT" && c.Point[0].Label == "k = 1" {
			file = "b.npy"
		}
		c.Picks = map[string]study.Pick{"dataset": {Name: "features",
			Params: map[string]any{"test": file, "rows": int64(3)}}}
	}
	const note = `not comparable: FedAVOT: other test data: test = "b.npy" instead of "a.npy"`
	still, err := chart.Curves(p.Input, chart.Options{})
	if err != nil || !strings.HasSuffix(still.Note, "; "+note) {
		t.Errorf("the chart on paper is noted %q, %v", still.Note, err)
	}
	want, err := json.Marshal([]string{
		"mean ± s.d. over 3 seeds",
		"mean ± s.d. over 3 seeds; " + note,
		"mean ± s.d. over 3 seeds; " + note,
		"mean ± s.d. over 3 seeds",
	})
	if err != nil {
		t.Fatal(err)
	}
	text := bytes.Replace(written(t, p), []byte("</html>"), fmt.Appendf(nil,
		`<pre id="verdict"></pre><script>
const place = document.getElementById("curves-here"), got = [];
const say = () => got.push(place.children[0].querySelector(".note").textContent);
const set = (name, value) => {
  const select = place.children[0].querySelector("select[name=" + name + "]");
  select.value = value;
  select.dispatchEvent(new Event("change"));
  say();
};
say();
set("at", "1");
set("metric", "1");
set("at", "0");
const want = %s;
verdict.textContent = JSON.stringify(JSON.stringify(got) === JSON.stringify(want) ? [] : got);
</script></html>`, want), 1)
	check(t, text, "1240")
}
