package main

import (
	"bytes"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A program with a strategy compiled in gives the results of one that interprets it, and says
// in its tables which of both it was; what was changed since is interpreted.
func TestBuild(t *testing.T) {
	top, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	cases, err := filepath.Abs("testdata/cases/strategies")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.CopyFS(".", os.DirFS(cases)); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	run := func(want int, args ...string) string {
		t.Helper()
		said.Reset()
		if code := hansa(t.Context(), io.Discard, &said, args); code != want {
			t.Fatalf("hansa %s: exit code %d, want %d\n%s", strings.Join(args, " "), code, want, &said)
		}
		return said.String()
	}
	run(0, "build", "--with", "half.go", "-o", "with-half", "--source", top)
	compiled := func(dir string, more ...string) string {
		t.Helper()
		args := append([]string{"run", "good.toml", "--dir", dir}, more...)
		table, err := exec.Command("./with-half", args...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(table)
	}
	run(0, "run", "good.toml", "--dir", "interpreted")
	if table := compiled("compiled"); !strings.Contains(table, "¹ compiled from half.go, sha256 ") {
		t.Errorf("the table does not say that it was compiled:\n%s", table)
	}
	compiled("apart", "--isolation", "process")
	if !maps.Equal(contents(t, "apart/results"), contents(t, "compiled/results")) {
		t.Error("compiled, it gives other results in worker processes")
	}
	if a, b := contents(t, "interpreted/results"), contents(t, "compiled/results"); len(a) == 0 ||
		!maps.Equal(a, b) {
		t.Errorf("%d results interpreted and %d compiled, which are not the same", len(a), len(b))
	}
	if err := os.Rename("other.go", "half.go"); err != nil {
		t.Fatal(err)
	}
	if table := compiled("changed"); !strings.Contains(table, "¹ interpreted from half.go, sha256 ") {
		t.Errorf("the table does not say that changed code was interpreted:\n%s", table)
	}
	for args, want := range map[string]string{
		"build":                                 "--with PATH: name a strategy to compile",
		"build --with half.go --source .":       "--source .: that is not the source of hansa",
		"build --with half.go":                  "the source of hansa is not here",
		"build --with bad.toml --source " + top: "bad.toml:1:1: error: expected 'package'",
	} {
		if got := run(exitUsage, strings.Fields(args)...); !strings.Contains(got, want) {
			t.Errorf("hansa %s: %s", args, got)
		}
	}
}

// Whoever asks is told that both give the same bits.
func TestParity(t *testing.T) {
	var out, said bytes.Buffer
	args := []string{"check", "--parity", "testdata/cases/strategies/half.go"}
	if code := hansa(t.Context(), &out, &said, args); code != exitOK {
		t.Fatalf("exit code %d\n%s", code, &said)
	}
	if !strings.Contains(out.String(), "60 results, interpreted and compiled: the same bits") {
		t.Errorf("it says\n%s", &out)
	}
}
