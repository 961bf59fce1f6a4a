package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/chart"
	"github.com/hansa-fl/hansa/reports/reportstest"
)

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
	reportstest.Browse(t, text, "1240")
	reportstest.Browse(t, text, "500")
}

// Without its scripts the page has all of its tables to be read.
func TestWithoutScripts(t *testing.T) {
	text := written(t, furnished(example(shape{4, 2, 3, 60})))
	text = regexp.MustCompile(`(?s)<script.*?</script>`).ReplaceAll(text, nil)
	text = bytes.Replace(text, []byte("</html>"), []byte(`<pre id="verdict"></pre><script>
verdict.textContent = JSON.stringify([...document.querySelectorAll("table")]
  .filter(t => !t.closest("details") && t.innerText.split("\n").length < 2)
  .map(t => "a table is empty: " + t.innerText))</script></html>`), 1)
	reportstest.Browse(t, text, "1240")
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
	reportstest.Browse(t, text, "1400")
	reportstest.Browse(t, text, "1000")
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
	reportstest.Browse(t, text, "1240")
}
