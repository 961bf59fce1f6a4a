package page

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/reports/chart"
)

// The same page gives the same bytes, whatever the order of maps.
func TestReproducible(t *testing.T) {
	first := written(t, furnished(example(shape{4, 2, 3, 60})))
	for range 5 {
		if !bytes.Equal(first, written(t, furnished(example(shape{4, 2, 3, 60})))) {
			t.Fatal("two pages of the same run differ")
		}
	}
}

// The page makes no requests: it has no address but the namespace of SVG, which scripts name, and
// its policy forbids requests.
func TestSelfContained(t *testing.T) {
	text := string(written(t, furnished(example(shape{4, 2, 3, 60}))))
	for _, url := range regexp.MustCompile(`(?i)(?:[a-z]+:)?//[a-z0-9.-]+\.[a-z]{2,}[^\s"'<)]*`).FindAllString(text, -1) {
		if url != "http://www.w3.org/2000/svg" {
			t.Errorf("the page has the address %s", url)
		}
	}
	for _, pattern := range []string{`(?i)<link`, `(?i)<img`, `(?i)<iframe`, `(?i)@import`,
		`(?i)\bsrc=`, `url\((?:[^#])`, `\bfetch\(`, `XMLHttpRequest`} {
		if found := regexp.MustCompile(pattern).FindString(text); found != "" {
			t.Errorf("the page has %q", found)
		}
	}
	if !strings.Contains(text, `content="default-src 'none';`) {
		t.Error("the page does not forbid requests")
	}
}

// Labels stay labels: the page has two scripts and no element that a label brings.
func TestEscapes(t *testing.T) {
	text := string(written(t, furnished(example(shape{4, 2, 3, 60}))))
	if n := strings.Count(text, "<script"); n != 2 {
		t.Errorf("%d scripts, not 2", n)
	}
	for _, bad := range []string{"alert(1)</script>", "<b>zz", `"a" 'b'`} {
		if i := strings.Index(text, bad); i >= 0 {
			t.Errorf("not escaped: %s", text[max(0, i-80):i+40])
		}
	}
	data := regexp.MustCompile(`(?s)id="data">(.*?)</script>`).FindStringSubmatch(text)
	var f struct{ Entries []entry }
	if data == nil || json.Unmarshal([]byte(data[1]), &f) != nil {
		t.Fatal("the data of the page are no JSON")
	}
	if f.Entries[2].Label != hostile {
		t.Errorf("the label %q was written as %q", hostile, f.Entries[2].Label)
	}
}

// tags are what HTML lets one leave the end of away, and what has none.
var (
	open   = []string{"p", "td", "th", "tr", "thead", "tbody", "dt", "dd"}
	lonely = []string{"meta"}
)

// Every element that must be closed is closed where it must be.
func TestElementsNest(t *testing.T) {
	text := string(written(t, furnished(example(shape{4, 2, 3, 60}))))
	text = regexp.MustCompile(`(?s)(<script[^>]*>).*?</script>|(<style>).*?</style>`).ReplaceAllString(text, "")
	var stack []string
	is := func(name string, list []string) bool {
		for _, x := range list {
			if x == name {
				return true
			}
		}
		return false
	}
	for _, m := range regexp.MustCompile(`<(/?)([a-z0-9]+)((?:"[^"]*"|[^>"])*?)(/?)>`).FindAllStringSubmatch(text, -1) {
		name := m[2]
		if is(name, open) || is(name, lonely) || m[4] == "/" {
			continue
		}
		if m[1] == "" {
			stack = append(stack, name)
			continue
		}
		if len(stack) == 0 || stack[len(stack)-1] != name {
			t.Fatalf("</%s> closes %v", name, stack)
		}
		stack = stack[:len(stack)-1]
	}
	if len(stack) > 0 {
		t.Errorf("never closed: %v", stack)
	}
}

// A page of eleven methods, five seeds and 2,000 rounds is no larger than the issue allows, and so
// is one of as many clients as are listed.
func TestSize(t *testing.T) {
	p := example(shape{11, 1, 5, 2000})
	p.Input.Report.Baseline = ""
	if n := len(written(t, p)); n > 150_000 {
		t.Errorf("%d bytes", n)
	}
	if n := len(written(t, example(shape{10, 10, 10, 1000}))); n > 1_500_000 {
		t.Errorf("%d bytes for 1,000 cells", n)
	}
}

// Without a result there is a page all the same: it says what is missing.
func TestNothingRun(t *testing.T) {
	p := example(shape{3, 1, 2, 10})
	clear(p.Input.Results)
	p.Gaps = []Gap{{Cell: "mean", Command: "hansa run example.toml"}}
	text := string(written(t, p))
	for _, want := range []string{"not run yet", "nothing was run yet"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// Packed numbers are read within half a step of their range, and NaN as a gap.
func TestPack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, wide := range []float64{0, 1e-9, 1, 12, 600} {
		values := make([]float64, 100)
		low, high := math.Inf(1), 0.0
		for i := range values {
			values[i] = math.Exp(wide * rng.Float64())
			low, high = min(low, values[i]), max(high, values[i])
		}
		values[7], values[9] = math.NaN(), math.Inf(1)
		p := pack(values)
		for i, x := range values {
			k := strings.IndexByte(alphabet, p.Data[2*i])<<6 |
				strings.IndexByte(alphabet, p.Data[2*i+1])
			if k == gap || !finite(x) {
				if k != gap || finite(x) {
					t.Errorf("%g is packed as step %d", x, k)
				}
				continue
			}
			got, step := p.Low+float64(k)/(gap-1)*(p.High-p.Low), (p.High-p.Low)/(gap-1)
			if p.Log {
				x = math.Log10(x)
			}
			if math.Abs(got-x) > 0.51*step+1e-12*math.Abs(x) {
				t.Errorf("%g was read as %g, in steps of %g", x, got, step)
			}
		}
	}
	huge := pack([]float64{-math.MaxFloat64, 0, math.MaxFloat64})
	if json.Valid([]byte(huge.Data)) || len(huge.Data) != 6 || huge.Data[:2] != "AA" {
		t.Errorf("the largest numbers are packed as %q", huge.Data)
	}
	if got, err := json.Marshal(numbers{1, math.NaN(), 1e-300, -0.25}); err != nil ||
		string(got) != "[1,null,1e-300,-0.25]" {
		t.Errorf("few numbers are written %s, %v", got, err)
	}
}

// Curves are thinned to first and last and what lies evenly between.
func TestPlaces(t *testing.T) {
	for _, c := range []struct{ n, most int }{{0, 5}, {1, 5}, {5, 5}, {2001, 101}, {6, 5}} {
		list := places(c.n, c.most)
		if len(list) != min(c.n, c.most) {
			t.Fatalf("%d of %d places: %v", len(list), c.n, list)
		}
		for i := 1; i < len(list); i++ {
			if list[i] <= list[i-1] {
				t.Errorf("places %v do not ascend", list)
			}
		}
		if c.n > 0 && (list[0] != 0 || list[len(list)-1] != c.n-1) {
			t.Errorf("places %v leave out an end of %d", list, c.n)
		}
	}
}

// Of many clients some are left out, those of bubbles with all of their classes, and it is said.
func TestManyClients(t *testing.T) {
	counts := make([][]int, 1000)
	for i := range counts {
		counts[i] = []int{1, 0, i}
	}
	c := chartOf(chart.Partition([]chart.ClientCounts{{Samples: counts}}), "partition",
		func(chart.Entry) int { return 0 })
	m := c.Panels[0].Marks[0]
	if n := len(m.X); n != 2*250-1 {
		t.Errorf("%d bubbles", n)
	}
	for _, x := range m.X {
		if int(x)%4 != 0 {
			t.Fatalf("client %g is drawn", x)
		}
	}
	if !strings.Contains(c.Note, "every 4th client") {
		t.Errorf("the note is %q", c.Note)
	}
	if c.Panels[0].X.Names != nil {
		t.Error("numbers are written as names")
	}
}

// Files of scripts and styles are as short as those of Go.
func TestScriptsAreShort(t *testing.T) {
	files, err := filepath.Glob("*.[jch][st]*")
	if err != nil || len(files) < 6 {
		t.Fatalf("found %v, %v", files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "\n"); n > 400 {
			t.Errorf("%s has %d lines, at most 400", name, n)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if n := len([]rune(line)); n > 120 && filepath.Ext(name) != ".html" {
				t.Errorf("%s:%d: %d columns, at most 120", name, i+1, n)
			}
		}
	}
}
