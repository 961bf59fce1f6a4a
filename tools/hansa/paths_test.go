package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/reports/render"
)

// faraway has a strategy and two tables under absolute paths, and a method that fails.
const faraway = `title   = "elsewhere"
plugins = ["%[1]s/mine/mine.go"]
seeds   = 2

[setting]
clients      = 4
rounds       = 3
dataset      = { name = "csv", label = "y", classes = 0, numbers = ["x"], held_out = 0.2 }
partition    = "iid"
importance   = "uniform"
model        = "linear"
local        = { name = "sgd", steps = 1, lr = 0.01 }
availability = { name = "k-subset", k = 2 }
metrics      = ["loss"]

[[method]]
label      = "mine"
aggregator = { name = "mine", beta = 0.5 }

[[method]]
label      = "fails"
aggregator = { name = "mine", beta = 0.99 }

[sweep]
"dataset.train_file" = ["%[1]s/a/data.csv", "%[1]s/b/data.csv"]
`

// layElsewhere writes the experiment and what it needs into folders of their own, one of which
// has a space in its name. It returns the experiment and the folder of the rest.
func layElsewhere(t *testing.T) (file, folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "jane doe")
	for _, name := range []string{"a", "b", "work"} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(folder)
	try(t, exitOK, "new", "aggregator", "mine")
	source, err := os.ReadFile("mine/mine.go")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(source), "\tw := r.Scratch",
		"\tif m.beta > 0.9 {\n\t\tpanic(\"too much\")\n\t}\n\tw := r.Scratch", 1)
	var table strings.Builder
	table.WriteString("x,y\n")
	for k := range 40 {
		fmt.Fprintf(&table, "%d,%d\n", k, 2*k%7)
	}
	file = filepath.Join(folder, "work", "elsewhere.toml")
	for name, content := range map[string]string{"mine/mine.go": text,
		"a/data.csv": table.String(), "b/data.csv": table.String() + "3,1\n",
		file: fmt.Sprintf(faraway, folder)} {
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return file, folder
}

// What leaves the machine names no folder of it: tables in all formats, comparisons, pages and
// exports of a run whose experiment, strategy, data and folder have absolute paths.
func TestNothingThatIsPublishedHasAbsolutePaths(t *testing.T) {
	file, folder := layElsewhere(t)
	run := filepath.Join(folder, "work", "it")
	t.Chdir(t.TempDir())
	try(t, exitFailed, "run", file, "--dir", run, "--data", folder)
	clean := func(what, text string) {
		t.Helper()
		for _, path := range []string{folder, filepath.Dir(folder), "jane doe"} {
			if k := strings.Index(text, path); k >= 0 {
				t.Errorf("%s has %s: …%s…", what, path, text[max(0, k-80):min(len(text), k+160)])
				return
			}
		}
	}
	for _, format := range render.FormatNames() {
		printed, _ := try(t, exitOK, "table", run, "--format", format)
		clean("the table as "+format, printed)
		for _, part := range []string{"a/data.csv", "b/data.csv"} {
			if format != "latex" && !strings.Contains(printed, part) {
				t.Errorf("the table as %s does not tell %s:\n%s", format, part, printed)
			}
		}
		if format == "text" && !strings.Contains(printed, "interpreted from mine.go, sha256 ") {
			t.Errorf("the table does not tell the strategy:\n%s", printed)
		}
		printed, _ = try(t, exitOK, "compare", run, "--format", format)
		clean("the comparison as "+format, printed)
	}
	try(t, exitOK, "report", run, "-o", "it.html")
	clean("the page", contents(t, ".")["it.html"])
	try(t, exitOK, "leaderboard", run, "-o", "site")
	for name, text := range contents(t, "site") {
		clean("the site, "+name, name+text)
	}
	try(t, exitOK, "leaderboard", run, "--json", "site.json")
	clean("the file of the site", contents(t, ".")["site.json"])
	for _, to := range exports {
		try(t, exitOK, "export", run, "--to", to, "-o", to)
		for name, text := range contents(t, to) {
			clean("the name of an export to "+to, name)
			clean("the export "+name, text)
		}
	}
}

// A name of two runs, a folder of the current folder and one below runs/, is refused by every
// command that takes a RUN; the path of either, and any name seen from within runs/, is not.
func TestNameOfTwoRunsIsRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("eight.toml", []byte(eight), 0o666); err != nil {
		t.Fatal(err)
	}
	const name = "eight"
	try(t, exitOK, "run", "eight.toml")
	try(t, exitOK, "run", "eight.toml", "--dir", name, "--seeds", "1")
	try(t, exitOK, "run", "eight.toml", "--dir", "other", "--seeds", "1")
	where := filepath.Join("runs", name)
	want := "hansa: " + name + " is the name of two runs: write " +
		filepath.FromSlash("./"+name) + " or " + where + "\n"
	for _, words := range []string{"audit", "cancel", "claims", "collect", "compare", "diff other",
		"export", "export-jobs", "gc", "leaderboard", "plot", "report", "resume", "status", "table", "tune"} {
		args := append(strings.Fields(words), name)
		if words == "plot" {
			args = append(args, "curves")
		}
		if _, said := try(t, exitUsage, args...); said != want {
			t.Errorf("hansa %s says\n%s, want\n%s", strings.Join(args, " "), said, want)
		}
	}
	here, _ := try(t, exitOK, "status", filepath.FromSlash("./"+name))
	there, _ := try(t, exitOK, "status", where)
	slashed, _ := try(t, exitOK, "status", name+string(filepath.Separator))
	if here == there || slashed != here {
		t.Errorf("status of the folder:\n%sof the run:\n%swith a separator:\n%s", here, there, slashed)
	}
	t.Chdir("runs")
	if within, _ := try(t, exitOK, "status", name); within != there {
		t.Errorf("status in runs/:\n%swant\n%s", within, there)
	}
}
