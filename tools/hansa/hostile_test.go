package main

import (
	"os"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/render"
)

// What a stored run or the error of a strategy says is shown by commands and not obeyed.
func TestCommandsShowHostileTextAndDoNotObeyIt(t *testing.T) {
	t.Chdir(t.TempDir())
	try(t, exitOK, "new", "aggregator", "mine")
	source, err := os.ReadFile("mine/mine.go")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(source), "\tw := r.Scratch", "\tif m.beta > 0.85 {\n"+
		"\t\treturn fl.Outcome{}, errors.New(\"\\x1b[2J\\u202epwned\\x1b]0;x\\a\")\n\t}\n\tw := r.Scratch", 1)
	if err := os.WriteFile("mine/mine.go", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	harmless := func(what, text string) {
		t.Helper()
		if text != study.Printable(text) {
			t.Errorf("%s prints %q", what, text)
		}
	}
	printed, said := try(t, exitFailed, "run", "mine/mine.toml", "--unexamined", "--seeds", "2",
		"--set", "rounds=2")
	harmless("run", printed+said)
	if !strings.Contains(printed, `\u001b[2J\u202epwned`) {
		t.Errorf("the error is not told:\n%s", printed)
	}
	run := store.Run{Dir: "runs/mine"}
	plan, err := run.LoadPlan()
	if err != nil {
		t.Fatal(err)
	}
	plan.Title = "\x1b[2Jtitle\u202e"
	for i := range plan.Cells {
		plan.Cells[i].Method = "=\u2066" + plan.Cells[i].Method + "\x1b[1A\u009b"
	}
	plan.Report.Baseline = "=\u2066FedAvg\x1b[1A\u009b"
	plan.Command += " \x1b[2J"
	if err := run.SavePlan(plan); err != nil {
		t.Fatal(err)
	}
	for _, format := range render.FormatNames() {
		for _, command := range []string{"table", "compare"} {
			printed, said := try(t, exitOK, command, "mine", "--format", format)
			harmless(command+" --format "+format, printed+said)
		}
	}
	for _, args := range [][]string{{"status", "mine"}, {"status", "mine", "--all"}, {"runs"},
		{"runs", "--format", "json"}, {"diff", "mine", "mine"}, {"report", "mine"},
		{"export", "mine", "--to", "csv", "-o", "-"}, {"export", "mine", "--to", "jsonl", "-o", "-"},
		{"plot", "mine", "bars"}} {
		var out, told strings.Builder
		hansa(t.Context(), &out, &told, args)
		harmless(strings.Join(args, " "), out.String()+told.String())
	}
	for name, text := range contents(t, ".") {
		if strings.HasSuffix(name, ".html") || strings.HasSuffix(name, ".svg") {
			harmless(name, text)
		}
	}
}
