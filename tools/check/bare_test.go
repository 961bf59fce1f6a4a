package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A step that looks for differences in what a command writes fails for a difference alone, not for
// what the command says beside it.
func TestOnlyADifferenceFails(t *testing.T) {
	for _, c := range []struct {
		script string
		ok     bool
		shown  []string
	}{
		{"true", true, nil},
		{"echo 'go: downloading x v1.2.3' >&2", true, nil},
		{"echo 'diff go.mod'", false, []string{"diff go.mod"}},
		{"echo 'go: downloading x v1.2.3' >&2; echo 'diff go.mod'; exit 1", false,
			[]string{"diff go.mod", "exit status 1"}},
		{"echo 'go: no such module' >&2; exit 1", false, []string{"no such module", "exit status 1"}},
	} {
		var w strings.Builder
		if ok := silent("sh", "-c", c.script)(&w); ok != c.ok || ok && w.Len() > 0 {
			t.Errorf("%s: %t, want %t: %s", c.script, ok, c.ok, &w)
		}
		for _, words := range c.shown {
			if !strings.Contains(w.String(), words) {
				t.Errorf("%s: %q is not shown: %s", c.script, words, &w)
			}
		}
	}
}

// Without a C compiler tests run without the race detector, but not in continuous integration.
func TestTheRaceDetectorNeedsACompiler(t *testing.T) {
	for _, cgo := range []string{"0", "1"} {
		t.Setenv("CGO_ENABLED", cgo)
		for _, ci := range []bool{false, true} {
			flags, err := raceDetector(ci)
			if slices.Equal(flags, []string{"-race"}) != (cgo == "1") || (err != nil) != (cgo == "0" && ci) {
				t.Errorf("CGO_ENABLED=%s, CI %t: %v, %v", cgo, ci, flags, err)
			}
		}
	}
}

// How often garbage is collected is what was asked for, and seldom where nothing was.
func TestCollectLess(t *testing.T) {
	for set, want := range map[string]string{"": "400", "50": "50"} {
		t.Setenv("GOGC", set)
		if collectLess(); os.Getenv("GOGC") != want {
			t.Errorf("GOGC=%s becomes %s, want %s", set, os.Getenv("GOGC"), want)
		}
	}
}

// The step that holds go.mod to what is used passes where no module was downloaded before: what go
// says of downloads is no difference. A module of one dependency stands for ours, which needs the
// tests of what it depends on as well.
func TestTidyWithAnEmptyModuleCache(t *testing.T) {
	const toml = "github.com/BurntSushi/toml"
	proxy := filepath.Join(goEnv(t, "GOMODCACHE"), "cache", "download")
	sums, err := os.ReadFile(filepath.Join("..", "..", "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	var used []string
	for line := range strings.Lines(string(sums)) {
		if strings.HasPrefix(line, toml+" ") {
			used = append(used, line)
		}
	}
	if len(used) != 2 {
		t.Fatalf("go.sum has %q of %s", used, toml)
	}
	dir := t.TempDir()
	t.Setenv("GOMODCACHE", filepath.Join(dir, "modules"))
	t.Setenv("GOPROXY", "file://"+filepath.ToSlash(proxy))
	t.Setenv("GOFLAGS", "-modcacherw") // so that the folder of the test can be removed
	t.Chdir(dir)
	version := strings.Fields(used[0])[1]
	for name, text := range map[string]string{
		"go.mod":  "module x\n\ngo 1.26.0\n\nrequire " + toml + " " + version + "\n",
		"go.sum":  strings.Join(used, ""),
		"main.go": "package main\n\nimport _ \"" + toml + "\"\n\nfunc main() {}\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tidy := steps("")[slices.IndexFunc(steps(""), func(s step) bool { return s.name == "tidy" })]
	var w strings.Builder
	if !tidy.run(&w) {
		t.Errorf("tidy fails:\n%s", &w)
	}
	if _, err := os.Stat(filepath.Join(dir, "modules", "cache", "download")); err != nil {
		t.Errorf("nothing was downloaded: %v", err)
	}
	if err := os.WriteFile("main.go", []byte("package main\n\nfunc main() {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	w.Reset()
	if tidy.run(&w) || !strings.Contains(w.String(), "-require "+toml) {
		t.Errorf("what nothing uses is not found:\n%s", &w)
	}
}

// goEnv returns a setting of go.
func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
