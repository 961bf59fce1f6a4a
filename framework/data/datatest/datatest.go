// Package datatest finds the data sets that tests and benchmarks read.
package datatest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Folder returns the folder with the data sets of tests. Where there is none the test is
// skipped, but in continuous integration it fails.
func Folder(t testing.TB) string {
	t.Helper()
	folder, ok := Find(t)
	if !ok {
		t.Skip("there are no data sets for tests: set HANSA_DATA to the folder that has them")
	}
	return folder
}

// Find is Folder for tests that have something to do without data sets, too: it returns
// $HANSA_DATA or else shared/data beside the module, and whether it has what tests read.
// Where CI=true it must have that.
func Find(t testing.TB) (folder string, ok bool) {
	t.Helper()
	folder = os.Getenv("HANSA_DATA")
	if folder == "" {
		folder = filepath.Join(module(t), "..", "shared", "data")
	}
	_, err := os.Stat(filepath.Join(folder, "mnist"))
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatalf("there are no data sets for tests, which CI=true asks for: %v", err)
	}
	return folder, err == nil
}

// Packaged returns the folder with a data set that a package of Debian installs, as Folder does.
func Packaged(t testing.TB, set string) (folder string) {
	t.Helper()
	folder = filepath.Join("/usr/share/datasets", set)
	_, err := os.Stat(folder)
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("CI=true asks for what is missing here: install dataset-%s", set)
	default:
		t.Skipf("dataset-%s is not installed", set)
	}
	return folder
}

// NumPy returns the command of a Python that has NumPy. Where there is none the test is skipped,
// but in continuous integration it fails.
func NumPy(t testing.TB) (python string) {
	t.Helper()
	return program(t, "python3-numpy", "/usr/bin/python3", "-c", "import numpy")
}

// Pandas returns the command of a Python that has pandas, as NumPy does.
func Pandas(t testing.TB) (python string) {
	t.Helper()
	return program(t, "python3-pandas", "/usr/bin/python3", "-c", "import pandas")
}

// Torch returns the command of a Python that has PyTorch, as NumPy does.
func Torch(t testing.TB) (python string) {
	t.Helper()
	return program(t, "python3-torch", "/usr/bin/python3", "-c", "import numpy, torch")
}

// R returns the command that runs programs in R, as NumPy does.
func R(t testing.TB) (rscript string) {
	t.Helper()
	return program(t, "r-base-core", "Rscript", "--version")
}

// program returns the name of a program that succeeds with these arguments if its package is
// installed.
func program(t testing.TB, pack, name string, args ...string) string {
	t.Helper()
	if exec.Command(name, args...).Run() == nil {
		return name
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("CI=true asks for what is missing here: install %s", pack)
	}
	t.Skipf("%s is not installed: that it reads and writes the same is not seen", pack)
	return ""
}

// module returns the folder of go.mod: this one, where tests run, or one above it.
func module(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	t.Fatalf("no go.mod here or above: %v", err)
	return ""
}
