package render

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/reportstest"
)

// TestTextKeepsToItsWidth: no line is wider than asked for, none ends in a space, and
// the rules of a part are as wide as its widest line at least.
func TestTextKeepsToItsWidth(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	list := reportstest.Examples()
	for range 20 {
		list = append(list, reportstest.Random(rng))
	}
	for _, x := range list {
		for _, limit := range []int{80, 100, 160} {
			for _, color := range []bool{false, true} {
				text := string(reportstest.Written(t, reportstest.Tables(t, x.Input), onTerminal(limit, color)))
				for line := range strings.Lines(text) {
					line = strings.TrimSuffix(line, "\n")
					if width(line) > limit {
						t.Errorf("%s at %d: %d columns in %q", x.Name, limit, width(line), line)
					}
					if strings.HasSuffix(line, " ") {
						t.Errorf("%s at %d: trailing space in %q", x.Name, limit, line)
					}
				}
			}
		}
	}
}

// TestTextFoldsLongHeads: a label that leaves no room for numbers goes on below.
func TestTextFoldsLongHeads(t *testing.T) {
	x := reportstest.NewExample("long", "", reportstest.Loss, reportstest.Upload)
	long := strings.Repeat("a rule of a long name ", 6) + "联邦平均"
	x.Add(study.Cell{Method: "short", Role: "upper-bound"}, []float64{1, 2, 3, 4, 6}, reportstest.All(5, 1e9))
	x.Add(study.Cell{Method: long}, []float64{1, 2, 3, 4, 6}, reportstest.All(5, 1e9))
	x.Add(study.Cell{Method: long + ", changed", Parent: long}, []float64{1, 2, 3, 4, 7},
		reportstest.All(5, 1e9))
	text := string(reportstest.Written(t, reportstest.Tables(t, x.Input), onTerminal(80, false)))
	for line := range strings.Lines(text) {
		if width(strings.TrimSuffix(line, "\n")) > 80 {
			t.Errorf("more than 80 columns in %q", line)
		}
	}
	parts, rule := 2, strings.Repeat("┈", 60) // above the second row, not where its head goes on
	if strings.Count(text, "联邦平均") != parts || strings.Count(text, rule) != parts ||
		strings.Count(text, "name") != parts*6 {
		t.Errorf("got\n%s", text)
	}
}

// TestTextSaysTheSameAtAnyWidth: stacking in parts loses no entry.
func TestTextSaysTheSameAtAnyWidth(t *testing.T) {
	for _, x := range reportstest.Examples() {
		list := reportstest.Tables(t, x.Input)
		wide := strings.Fields(string(reportstest.Written(t, list, onTerminal(0, false))))
		for _, limit := range []int{1, 40, 80, 120} {
			narrow := map[string]int{}
			text := string(reportstest.Written(t, list, onTerminal(limit, false)))
			for word := range strings.FieldsSeq(text) {
				narrow[word]++
			}
			for _, word := range wide {
				if rule := strings.Trim(word, "━─┈") == ""; !rule && narrow[word] == 0 {
					t.Errorf("%s at %d: %q is lost", x.Name, limit, word)
				}
				narrow[word]--
			}
		}
	}
}

// TestTextIgnoresTheLocale: where the locale counts ± as two columns wide, the table is the
// same.
func TestTextIgnoresTheLocale(t *testing.T) {
	for _, x := range reportstest.Examples() {
		list := reportstest.Tables(t, x.Input)
		want := string(reportstest.Written(t, list, onTerminal(80, false)))
		twwidth.SetEastAsian(true)
		got := string(reportstest.Written(t, list, onTerminal(80, false)))
		twwidth.SetEastAsian(false)
		if got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// TestDecimalPointsLineUp in every column of text.
func TestDecimalPointsLineUp(t *testing.T) {
	x := reportstest.NewExample("align", "", reportstest.Loss)
	for i, scale := range []float64{1, 10, 1000, 0.01} {
		v := []float64{scale, 1.5 * scale, 2 * scale, 1.2 * scale, 1.1 * scale}
		x.Add(study.Cell{Method: string(rune('a' + i))}, v)
	}
	text := string(reportstest.Written(t, reportstest.Tables(t, x.Input), onTerminal(0, false)))
	point, plus := -1, -1
	for line := range strings.Lines(text) {
		before, _, ok := strings.Cut(line, " ± ")
		if !ok || strings.Contains(line, "seeds") {
			continue
		}
		if plus >= 0 && width(before) != plus {
			t.Errorf("± at %d and %d in\n%s", plus, width(before), text)
		}
		plus = width(before)
		if i := strings.IndexByte(before, '.'); i >= 0 {
			if point >= 0 && i != point {
				t.Errorf("points at %d and %d in\n%s", point, i, text)
			}
			point = i
		}
	}
	if point < 0 || plus < 0 {
		t.Fatalf("nothing to compare in\n%s", text)
	}
}

func TestColorIsBold(t *testing.T) {
	list := reportstest.Tables(t, reportstest.Figure().Input)
	color := string(reportstest.Written(t, list, onTerminal(0, true)))
	plain := string(reportstest.Written(t, list, onTerminal(0, false)))
	if !strings.Contains(color, boldOn) || strings.Contains(color, bestMark) {
		t.Error("in colour the best is bold")
	}
	if strings.Contains(plain, "\x1b") || !strings.Contains(plain, bestMark) {
		t.Error("without colour the best has a mark")
	}
	if strings.Count(color, boldOn) != strings.Count(color, boldOff) {
		t.Error("bold is not ended")
	}
}

// errFull is what a full disk says.
var errFull = errors.New("no space left")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrorsAreReturned(t *testing.T) {
	list := reportstest.Tables(t, reportstest.Figure().Input)
	if err := Text(full{}, list, TextOptions{}); !errors.Is(err, errFull) {
		t.Errorf("Text: %v", err)
	}
	if err := Markdown(full{}, list); !errors.Is(err, errFull) {
		t.Errorf("Markdown: %v", err)
	}
	if err := LaTeX(full{}, list); !errors.Is(err, errFull) {
		t.Errorf("LaTeX: %v", err)
	}
	if err := CSV(full{}, list); !errors.Is(err, errFull) {
		t.Errorf("CSV: %v", err)
	}
	if err := JSON(full{}, list); !errors.Is(err, errFull) {
		t.Errorf("JSON: %v", err)
	}
}
