//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// hinted finds the command lines that hansa prints for the user to copy.
var hinted = regexp.MustCompile("`(hansa [^`]+)`|(?m)^ +(hansa .*?)(?:  |$)")

// hints returns those in a text.
func hints(text string) (lines []string) {
	for _, m := range hinted.FindAllStringSubmatch(text, -1) {
		lines = append(lines, m[1]+m[2])
	}
	return lines
}

// A hint means the same to a shell as to hansa, whatever folders are called: all that are printed on
// the way of a run in `my runs/it's` run as they are.
func TestHintsRunInAShell(t *testing.T) {
	onPath(t)
	t.Chdir(t.TempDir())
	const dir, strategy = "my runs/it's", "my $HOME & co/half"
	var tried []string
	follow := func(text string, verbs ...string) {
		t.Helper()
		var seen []string
		for _, line := range hints(text) {
			if out, err := exec.Command("sh", "-c", line).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", line, err, out)
			}
			seen = append(seen, strings.Fields(line)[1])
		}
		if !slices.Equal(seen, verbs) {
			t.Errorf("hints %q, want %q in\n%s", seen, verbs, text)
		}
		tried = append(tried, seen...)
	}
	printed, _ := try(t, exitOK, "new", "aggregator", "half", "--dir", strategy)
	few(t, filepath.Join(strategy, "half.toml"))
	follow(printed, "check", "run", "table")
	file := filepath.Join(strategy, "half.toml")
	_, said := try(t, exitFailed, "run", file, "--dir", dir, "--set", "FedAvg: local.lr=1e200")
	follow(strings.Replace(said, "FedAvg: local.lr=1e200", "FedAvg: local.lr=0.001", 1), "run")
	if err := os.RemoveAll(filepath.Join(dir, "results")); err != nil {
		t.Fatal(err)
	}
	_, said = try(t, exitOK, "status", dir)
	follow(said, "resume")
	_, said = try(t, exitOK, "status", dir)
	follow(said, "table")
	source := filepath.Join(strategy, "half.go")
	code, err := os.ReadFile(source)
	if err == nil {
		err = os.WriteFile(source, append(code, "\n// Changed.\n"...), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, said = try(t, exitOK, "status", dir)
	follow(said, "run", "table")
	_, said = try(t, exitOK, "export-jobs", file, "--dir", dir+" 2", "-o", "jobs")
	follow(said, "status")
	_, said = try(t, exitOK, "status", dir+" 2")
	follow(said, "resume")
	if len(tried) < 10 {
		t.Errorf("only %q were tried", tried)
	}
}

// few leaves an experiment two seeds and three rounds.
func few(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	less := regexp.MustCompile(`(?m)^(seeds|rounds)( *= )\d+`).ReplaceAllString(string(text), "${1}${2}3")
	if err := os.WriteFile(file, []byte(less), 0o666); err != nil {
		t.Fatal(err)
	}
}

// No command line is put together in a message: hint does that, which quotes.
func TestHintsAreMadeByHint(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*.go", "cli/*.go", "console/*.go",
		"../../framework/session/*.go", "../../framework/session/*/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, err)
		}
		files = append(files, found...)
	}
	loose := regexp.MustCompile("hansa [a-z-]+ %|[\"`]hansa [a-z-]+ \" *\\+")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range loose.FindAllString(string(text), -1) {
			if !strings.HasSuffix(file, "_test.go") {
				t.Errorf("%s: %s", file, found)
			}
		}
	}
}
