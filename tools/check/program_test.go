package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

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
