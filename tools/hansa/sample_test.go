package main

import (
	"os"
	"strings"
	"testing"
)

// The program alone has the samples: the error of an experiment that names one says how to get it,
// that works, and hansa list has them.
func TestSamplesComeWithTheProgram(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	text := strings.Replace(smallest, `plugins = ["mine.go"]`, "", 1)
	text = strings.Replace(text, `aggregator = "mine"`, `aggregator = "mean-of-nearest"`, 1)
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile("small.toml", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(text)
	const want = "it is a sample: `hansa new --from nearest-model` makes a folder with it, and " +
		`plugins = ["nearest-model"] names that`
	if _, said := try(t, exitUsage, "run", "small.toml"); !strings.Contains(said, want) {
		t.Fatalf("%s\nlacks %q", said, want)
	}
	try(t, exitOK, "new", "--from", "nearest-model")
	write(`plugins = ["nearest-model"]` + "\n" + text)
	if table, _ := try(t, exitOK, "run", "small.toml"); !strings.Contains(table, "from nearest-model,") {
		t.Errorf("the sample does not run: %s", table)
	}
	if printed, _ := try(t, exitOK, "list", "aggregator"); !strings.Contains(
		strings.Join(strings.Fields(printed), " "), "(sample: hansa new --from trimmed-share)") {
		t.Errorf("not listed: %s", printed)
	}
	try(t, exitOK, "new", "--from", "mean-of-nearest", "other")
	if files := contents(t, "other"); files["nearest-model.go"] == "" || files["nearest-model_test.go"] != "" {
		t.Errorf("a copy under another name has %d files", len(files))
	}
	for line, want := range map[string]string{
		"new --from nearest-modl":                 `there is no sample "nearest-modl"; did you mean "nearest-model"?`,
		"new --from nearest-model":                "nearest-model exists already",
		"new --from nearest-model aggregator two": "takes at most a NAME",
		"new aggregator":                          "want a KIND and a NAME, or --from SAMPLE",
	} {
		if _, said := try(t, exitUsage, strings.Fields(line)...); !strings.Contains(said, want) {
			t.Errorf("%s: %s", line, said)
		}
	}
}
