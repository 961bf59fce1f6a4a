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
	text = strings.Replace(text, `aggregator = "mine"`, `aggregator = "multi-krum"`, 1)
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile("small.toml", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(text)
	const want = "it is a sample: `hansa new --from krum` makes a folder with it, and " +
		`plugins = ["krum"] names that`
	if _, said := try(t, exitUsage, "run", "small.toml"); !strings.Contains(said, want) {
		t.Fatalf("%s\nlacks %q", said, want)
	}
	try(t, exitOK, "new", "--from", "krum")
	write(`plugins = ["krum"]` + "\n" + text)
	if table, _ := try(t, exitOK, "run", "small.toml"); !strings.Contains(table, "from krum,") {
		t.Errorf("the sample does not run: %s", table)
	}
	if printed, _ := try(t, exitOK, "list", "aggregator"); !strings.Contains(
		strings.Join(strings.Fields(printed), " "), "(sample: hansa new --from trimmed-mean)") {
		t.Errorf("not listed: %s", printed)
	}
	try(t, exitOK, "new", "--from", "multi-krum", "other")
	if files := contents(t, "other"); files["krum.go"] == "" || files["krum_test.go"] != "" {
		t.Errorf("a copy under another name has %d files", len(files))
	}
	for line, want := range map[string]string{
		"new --from krumm":               `there is no sample "krumm"; did you mean "krum"?`,
		"new --from krum":                "krum exists already",
		"new --from krum aggregator two": "takes at most a NAME",
		"new aggregator":                 "want a KIND and a NAME, or --from SAMPLE",
	} {
		if _, said := try(t, exitUsage, strings.Fields(line)...); !strings.Contains(said, want) {
			t.Errorf("%s: %s", line, said)
		}
	}
}
