package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// onFiles is an experiment of two methods and three seeds on files.
const onFiles = `seeds = 3

[setting]
clients      = 4
rounds       = 2
dataset      = %s
partition    = "iid"
importance   = "uniform"
model        = %q
local        = { name = "sgd", steps = 1, lr = 0.01 }
availability = %s
metrics      = ["objective"]

[[method]]
label      = "FedAvg"
aggregator = "fedavg"

[[method]]
label      = "trimmed"
aggregator = { name = "fedavg", weights = "uniform" }
`

// lay writes files below a folder.
func lay(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// told runs a command line, and returns what it prints to standard error and its exit code.
func told(t *testing.T, args ...string) (string, int) {
	t.Helper()
	var out, errOut strings.Builder
	code := hansa(t.Context(), &out, &errOut, args)
	return errOut.String(), code
}

// people is a table of two classes.
const people = "age,pay,town\n30,1,N\n41,2,S\n9,3,S\n28,4,N\n50,5,N\n31,2,S\n"

// A mistake in data files is reported once, with the line of the experiment that names the file and
// the place in it, by check and before anything runs by run: no cell starts.
func TestDataMistakesAreFoundBeforeCellsRun(t *testing.T) {
	const (
		csv = `{ name = "csv", train_file = "p.csv", test_file = "q.csv", label = "town", ` +
			`numbers = ["age", "pay"] }`
		matrix    = `{ name = "trace", trace = "t.csv" }`
		intervals = `{ name = "trace", trace = "t.csv", form = "intervals" }`
		cast      = `{ name = "colour-cast", of = { name = "idx", train_images = "x", ` +
			`train_labels = "y", dims = [1, 2], classes = 2 } }`
	)
	right := map[string]string{"p.csv": people, "q.csv": "pay,age,town\n3,4,N\n",
		"t.csv": "0,1,1,1\n1,0,1,1\n",
		"x":     "\x00\x00\x08\x03\x00\x00\x00\x04\x00\x00\x00\x01\x00\x00\x00\x02\x00\xff\x01\x02\x03\x04\x05\x06",
		"y":     "\x00\x00\x08\x01\x00\x00\x00\x04\x00\x01\x00\x01"}
	for name, c := range map[string]struct {
		dataset, availability string
		change                map[string]string // of files; without content: there is none
		want                  []string          // after file and line
	}{
		"right":            {csv, matrix, nil, nil},
		"right within":     {cast, matrix, nil, nil},
		"a column less":    {csv, matrix, map[string]string{"q.csv": "age,town\n4,N\n"}, []string{`6:66: error: dataset csv: q.csv:1:1: there is no column "pay"`}},
		"a row shortened":  {csv, matrix, map[string]string{"p.csv": people + "7,8\n"}, []string{"6:45: error: dataset csv: p.csv:8:1: wrong number of fields"}},
		"another label":    {csv, matrix, map[string]string{"q.csv": "pay,age,town\n3,4,W\n"}, []string{`6:66: error: dataset csv: q.csv:2: class "W" is none of the training rows'`}},
		"files swapped":    {csv, matrix, map[string]string{"p.csv": right["q.csv"], "q.csv": people}, []string{"6:16: error: dataset csv: p.csv: town has 1 classes, want 2", `6:66: error: dataset csv: q.csv:3: class "S" is none of the training rows'`}},
		"a file missing":   {csv, matrix, map[string]string{"q.csv": ""}, []string{"6:66: error: dataset csv: not found: q.csv"}},
		"devices missing":  {csv, matrix, map[string]string{"t.csv": "0,1\n1,1\n"}, []string{"11:42: error: availability trace: trace t.csv: 4 clients, and 2 devices: reuse = true has several clients follow one"}},
		"dates in a trace": {csv, matrix, map[string]string{"t.csv": "2020-01-31 23:00,0,1,1,1\n"}, []string{"11:42: error: availability trace: t.csv:1: cell 1 is \"2020-01-31 23:00\", want 0, 1 or nothing; where columns before those of devices hold something else, such as dates, skip them: skip = 1"}},
		"form of a trace":  {csv, intervals, nil, []string{"11:42: error: availability trace: t.csv:1: 4 cells, want device,start,end (and 1 more like it)"}},
		"data within data": {cast, matrix, map[string]string{"y": right["y"][:9] + "\x07\x01\x01"}, []string{"6:96: error: dataset idx: y: 7 in row 1 is none of the numbers 0 to 1"}},
		"two at once":      {csv, matrix, map[string]string{"q.csv": "", "t.csv": "0,1\n1\n"}, []string{"6:66: error: dataset csv: not found: q.csv", "11:42: error: availability trace: t.csv:2: 1 cells, want 2 as in line 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HANSA_DATA", "")
			t.Setenv("HOME", t.TempDir())
			t.Setenv("XDG_CACHE_HOME", "")
			t.Chdir(t.TempDir())
			model := "logistic"
			if c.dataset == cast {
				model = "softmax"
			}
			lay(t, ".", map[string]string{"e.toml": fmt.Sprintf(onFiles, c.dataset, model, c.availability)})
			lay(t, ".", right)
			for file, content := range c.change {
				if lay(t, ".", map[string]string{file: content}); content == "" {
					if err := os.Remove(file); err != nil {
						t.Fatal(err)
					}
				}
			}
			for _, args := range [][]string{{"check", "e.toml", "--data", "."}, {"run", "e.toml"}} {
				said, code := told(t, args...)
				if c.want == nil {
					if code != exitOK || strings.Contains(said, "error") {
						t.Errorf("%v: exit code %d:\n%s", args, code, said)
					}
					continue
				}
				if code == exitOK || strings.Count(said, ": error: ") != len(c.want) {
					t.Errorf("%v: exit code %d, want %d errors:\n%s", args, code, len(c.want), said)
				}
				for _, want := range c.want {
					if !strings.Contains(said, "e.toml:"+want) {
						t.Errorf("%v: %s is not in\n%s", args, want, said)
					}
				}
				if strings.Contains(said, "FAIL") || strings.Contains(said, "seed") {
					t.Errorf("%v: cells were started:\n%s", args, said)
				}
			}
			if found, _ := filepath.Glob("runs/e/results/*"); c.want != nil && found != nil {
				t.Errorf("there are results: %v", found)
			}
		})
	}
}

// Data files are looked for in the folder of the experiment, in those of --data, in those that
// HANSA_DATA lists, in this order. What is nowhere is a line of check where --data is not given, and
// says how to get it; a run does not begin without it, and fails as for any file that is not there.
func TestDataAreFoundInAllFolders(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HANSA_DATA", "")
	t.Chdir(t.TempDir())
	const csv = `{ name = "csv", train_file = "p.csv", label = "town", numbers = ["age"], classes = 3 }`
	lay(t, ".", map[string]string{
		"lab/e.toml": fmt.Sprintf(onFiles, csv, "softmax", `"always"`),
		"lab/m.toml": fmt.Sprintf(onFiles, `"usps"`, "softmax", `"always"`),
		"a/p.csv":    people + "1,1,A\n", "b/p.csv": people + "1,1,B\n1,1,C\n",
		"c/other": "",
	})
	list := strings.Join([]string{"c", "a", "b"}, string(filepath.ListSeparator))
	check := func(want string, code int, args ...string) {
		t.Helper()
		said, got := told(t, append([]string{"check", "--quiet"}, args...)...)
		if got != code || !strings.Contains(said, want) || want == "" && said != "" {
			t.Errorf("%v: exit code %d, want %d and %q:\n%s", args, got, code, want, said)
		}
	}
	check("lab/e.toml:6:45: not examined: dataset csv: not found: p.csv; searched: lab, ", exitOK, "lab/e.toml")
	check("error: dataset csv: not found: p.csv\nsearched: lab, c, ", exitUsage, "lab/e.toml", "--data", "c")
	check("m.toml:6:16: not examined: dataset usps: not found: ", exitOK, "lab/m.toml")
	check("name a mirror to `hansa data get usps --from`", exitOK, "lab/m.toml")
	check("", exitOK, "lab/e.toml", "--data", list)
	check("b/p.csv: town has 4 classes, want 3", exitUsage, "lab/e.toml", "--data", "b")
	t.Setenv("HANSA_DATA", list)
	check("", exitOK, "lab/e.toml")
	check("b/p.csv: town has 4 classes, want 3", exitUsage, "lab/e.toml", "--data", "b")
	lay(t, "lab", map[string]string{"p.csv": people})
	check("lab/p.csv: town has 2 classes, want 3", exitUsage, "lab/e.toml", "--data", "b")
	if said, code := told(t, "run", "lab/m.toml"); code != exitFailed ||
		!strings.Contains(said, "error: dataset usps: not found: ") ||
		!strings.Contains(said, "1 problem; nothing was run") {
		t.Errorf("exit code %d:\n%s", code, said)
	}
}

// Times that look like Unix times begin with the first of them, and there is a warning.
func TestUnixTimesAreWarnedOf(t *testing.T) {
	t.Setenv("HANSA_DATA", "")
	t.Chdir(t.TempDir())
	text := ""
	for k := range 4 {
		text += fmt.Sprintf("%d,%d,%d\n", k, 1_580_511_600+k, 1_580_511_700)
	}
	lay(t, ".", map[string]string{"t.csv": text})
	for origin, want := range map[string]string{
		"":                         "the trace begins with the first interval, 2020-01-31 23:00:00 UTC, unless origin says when, and round = 1 passes 1 seconds in a round",
		", origin = 0":             "counted from origin = 0, devices are absent until then",
		", origin = 1_580_511_600": "",
	} {
		trace := `{ name = "trace", trace = "t.csv", form = "intervals"` + origin + " }"
		lay(t, ".", map[string]string{"e.toml": fmt.Sprintf(onFiles, `"regression"`, "linear", trace)})
		said, code := told(t, "check", "--quiet", "e.toml")
		if code != exitOK || !strings.Contains(said, want) || strings.Contains(said, "warning") != (want != "") {
			t.Errorf("%s: exit code %d:\n%s", origin, code, said)
		}
	}
}
