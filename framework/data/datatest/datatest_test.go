package datatest

import (
	"os"
	"path/filepath"
	"testing"
)

// recorder is a test that writes down what becomes of it.
type recorder struct {
	testing.TB
	failed, skipped bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Fatalf(string, ...any) { r.failed = true }
func (r *recorder) Skip(...any)           { r.skipped = true }

func TestFolder(t *testing.T) {
	full, empty := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(full, "mnist"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		folder, ci      string
		skipped, failed bool
	}{
		{full, "", false, false}, {full, "true", false, false},
		{empty, "", true, false}, {empty, "true", true, true}, // a real failure ends the test
	} {
		t.Setenv("HANSA_DATA", c.folder)
		t.Setenv("CI", c.ci)
		r := &recorder{TB: t}
		if got := Folder(r); got != c.folder || r.failed != c.failed || r.skipped != c.skipped {
			t.Errorf("%+v: %s, failed %t, skipped %t", c, got, r.failed, r.skipped)
		}
	}
}

// Without HANSA_DATA data lie beside the module, wherever in it a test runs.
func TestBesideTheModule(t *testing.T) {
	top := t.TempDir()
	want := filepath.Join(top, "shared", "data")
	below := filepath.Join(top, "main", "builtin", "dataset")
	for _, dir := range []string{filepath.Join(want, "mnist"), below} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(top, "main", "go.mod"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HANSA_DATA", "")
	t.Chdir(below)
	if got, ok := Find(t); got != want || !ok {
		t.Errorf("%s, %t; want %s", got, ok, want)
	}
}
