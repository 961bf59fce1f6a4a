package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Tests of the command that were built are run as they are, and else built; one that fails is told.
func TestTestsOfTheCommandAreBuiltOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"go.mod": "module " + strings.TrimSuffix(module, "/") +
		"\n\ngo 1.26\n", command + "/x_test.go": "package main\n\nimport \"testing\"\n\n" +
		"func TestGood(t *testing.T) {}\n\nfunc TestBad(t *testing.T) { t.Fail() }\n"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	for _, built := range []bool{false, true} {
		var w strings.Builder
		if built && !buildTests(dir)(&w) {
			t.Fatal(w.String())
		}
		if !commandTests(dir, "^TestGood$", "^$")(&w) || !commandTests(dir, "Test", "Bad")(&w) {
			t.Errorf("built: %t: a test that passes fails: %s", built, &w)
		}
		w.Reset()
		if commandTests(dir, "Test", "Good")(&w) || !strings.Contains(w.String(), "TestBad") {
			t.Errorf("built: %t: a test that fails passes: %s", built, &w)
		}
	}
}

// The program that a step builds is the one that later steps and tests run.
func TestProgramIsBuiltOnce(t *testing.T) {
	t.Setenv(programVariable, "")
	if got := strings.Join(hansa(), " "); got != "go run ./tools/hansa" {
		t.Errorf("before it is built it is run by %q", got)
	}
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"go.mod": "module x\n\ngo 1.26\n",
		"tools/hansa/main.go": "package main\n\nfunc main() { println(\"hansa\") }\n"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	var w strings.Builder
	if !buildProgram(dir)(&w) {
		t.Fatal(w.String())
	}
	line := hansa()
	if len(line) != 1 || filepath.Dir(line[0]) != dir {
		t.Fatalf("it is run by %q", line)
	}
	if out, err := exec.Command(line[0]).CombinedOutput(); err != nil || string(out) != "hansa\n" {
		t.Errorf("it says %q (%v)", out, err)
	}
	if err := os.Remove("go.mod"); err != nil {
		t.Fatal(err)
	}
	t.Setenv(programVariable, "")
	if buildProgram(dir)(&w) || len(hansa()) == 1 {
		t.Error("what does not build is taken for built")
	}
}
