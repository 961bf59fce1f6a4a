package render

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/export"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
)

// hostile are texts that command a terminal, turn round what is read, or are formulas.
var hostile = []string{"\x1b[2J", "\x1b]0;title\a", "\u202efdp.exe", "\u2066a\u2069", "\u200fb",
	"\u009b31m", "\x7f", "a\r\nb", "\tc", "=1+2", "@SUM(A1)", "+cmd|' /C calc'!A0", "-2+3", "＝1",
	"\ufeffd", "\U000e0041", "</script><script>", `"},`, "\\u202e", "'", "\xff"}

// attacked is an example whose texts are hostile, drawn at random.
func attacked(rng *rand.Rand) *reportstest.Example {
	text := func(prefix string) string {
		s := hostile[rng.IntN(len(hostile))] + prefix + hostile[rng.IntN(len(hostile))]
		if rng.IntN(2) == 0 {
			return prefix + s
		}
		return s
	}
	x := reportstest.NewExample("hostile", text("title"), reportstest.Loss)
	first := text("first")
	for _, label := range []string{text("one"), text("two")} {
		for k, method := range []string{first, first + ", " + text("child")} {
			c := study.Cell{Method: method, Point: reportstest.At("axis", label)}
			if k > 0 {
				c.Parent = first
			}
			x.Add(c, reportstest.Around(uint64(k), 5, 3, 1, 0.5))
		}
	}
	for _, id := range x.IDs {
		x.Results[id].Notes = []string{text("a note")}
	}
	delete(x.Results, x.IDs[1])
	x.Failures[x.IDs[1]] = text("failed")
	x.Command, x.Origin = text("hansa table"), text("hansa run")
	x.References = []study.Reference{{Row: first, Col: "loss", Value: 1, Source: text("§")},
		{Claim: text("claim"), Source: text("abstract")}}
	x.Report.Baseline = first
	return x
}

// Whatever texts a stored run has, no writer lets a terminal, a spreadsheet or a reader be
// commanded by them.
func TestNoWriterLetsHostileTextThrough(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 40 {
		x := attacked(rng)
		lists := [][]table.Table{reportstest.Tables(t, x.Input), reportstest.Compared(t, x.Input, table.ComparisonOptions{}).Tables()}
		for _, list := range lists {
			for name, render := range map[string]func(io.Writer, []table.Table) error{
				"text": onTerminal(0, false), "narrow text": onTerminal(60, false),
				"Markdown": Markdown, "LaTeX": LaTeX, "HTML": HTML, "CSV": CSV, "JSON": JSON,
			} {
				harmless(t, name, reportstest.Written(t, list, render))
			}
		}
		for name, write := range map[string]func(io.Writer, infer.Input) error{
			"tidy CSV": export.TidyCSV, "JSON lines": export.TidyJSONL} {
			var b bytes.Buffer
			if err := write(&b, x.Input); err != nil {
				t.Fatal(err)
			}
			harmless(t, name, b.Bytes())
		}
		put := func(name string, content []byte) error {
			harmless(t, "the name of a file", []byte(name))
			if strings.HasSuffix(name, ".csv") {
				harmless(t, "CSV "+name, content)
			}
			return nil
		}
		if err := export.Arrays(x.Input, put); err != nil {
			t.Fatal(err)
		}
		if err := export.Events(x.Input, put); err != nil {
			t.Fatal(err)
		}
	}
}

// harmless fails on characters that are hidden, and on formulas in CSV and broken JSON.
func harmless(t *testing.T, name string, text []byte) {
	t.Helper()
	for _, r := range string(text) {
		if r != '\n' && r != '\t' && study.Hidden(r) {
			t.Fatalf("%s has %U:\n%q", name, r, text)
		}
	}
	switch {
	case name == "JSON" && !json.Valid(text):
		t.Errorf("JSON that is none:\n%s", text)
	case strings.Contains(name, "CSV"):
		records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, record := range records {
			for _, field := range record {
				if csvText(t, field) != field {
					t.Errorf("%s has the cell %q", name, field)
				}
			}
		}
	}
}
