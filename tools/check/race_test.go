package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What starts a goroutine, or has what goroutines share, is watched; what does neither is not.
func TestWhatGoroutinesShareIsWatched(t *testing.T) {
	for text, want := range map[string]bool{
		"func f() { go g() }":                       true,
		"func f() { go func() {}() }":               true,
		"func f() { group.Go(g) }":                  true,
		"func f() { time.AfterFunc(0, g) }":         true,
		"func f() { b.RunParallel(g) }":             true,
		"func f() { iter.Pull(g) }":                 true,
		"import \"sync\"":                           true,
		"import \"sync/atomic\"":                    true,
		"import \"sync/v2\"":                        true,
		"import \"x.org/sync\"":                     false,
		"func f() { p := x.Go; g(p); h.Goes(\"\")}": false,
	} {
		s, err := parse("x.go", "package x\n\n"+text+"\n")
		if err != nil {
			t.Fatal(err)
		}
		if got := concurrent(s); got != want {
			t.Errorf("%s: %t, want %t", text, got, want)
		}
	}
	packages, err := watched("../..")
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range map[string]bool{"framework/engine": true, "framework/store": true,
		"plugins": true, "tools/hansa": true, "builtin": false, "builtin/preprocess": true,
		"registry/contract": true, "framework/fl": false, "tools/bench": false} {
		if slices.Contains(packages, p) != want {
			t.Errorf("%s is watched: %t, want %t", p, !want, want)
		}
	}
}

// A list of tests that names one which is not there lets it run twice, or not at all.
func TestListsNameWhatIsThere(t *testing.T) {
	packages, err := watched("../..")
	if err != nil {
		t.Fatal(err)
	}
	home := map[string]string{}
	for p, tests := range aloneIn {
		if !slices.Contains(packages, p) {
			t.Errorf("%s has tests without the race detector, and no others", p)
		}
		for _, name := range tests {
			if home[name] != "" {
				t.Errorf("%s is listed in %s and %s", name, home[name], p)
			}
			home[name] = p
		}
	}
	for p, tests := range inSteps {
		if slices.Contains(packages, p) {
			t.Errorf("tests of %s run with the race detector, and are not left out there", p)
		}
		for _, name := range tests {
			home[name] = p
		}
	}
	for p, tests := range playing {
		if slices.Contains(packages, p) {
			t.Errorf("all tests of %s run with the race detector", p)
		}
		for _, name := range tests {
			home[name] = p
		}
	}
	for p, tests := range waiting {
		for _, name := range tests {
			if !slices.Contains(aloneIn[p], name) {
				t.Errorf("%s of %s waits, and is not one of those without the race detector", name, p)
			}
		}
	}
	found := map[string]string{}
	for _, p := range tested(t) {
		files, err := filepath.Glob(filepath.Join("../..", p, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				name, ok := strings.CutPrefix(line, "func ")
				name, _, _ = strings.Cut(name, "(")
				if !ok || home[name] == "" {
					continue
				}
				if home[name] != p {
					t.Errorf("%s of %s is skipped, as that of %s is", name, p, home[name])
				}
				found[name] = p
			}
		}
	}
	for name, p := range home {
		if found[name] == "" {
			t.Errorf("%s has no test %s", p, name)
		}
	}
	for _, p := range measuring {
		if err := exec.Command("go", "list", module+p).Run(); err != nil {
			t.Errorf("%s: %v", p, err)
		}
	}
}

// tested returns all folders of the module that have tests.
func tested(t *testing.T) (folders []string) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		folder, err := filepath.Rel("../..", filepath.Dir(path))
		if folder = filepath.ToSlash(folder); !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return folders
}
