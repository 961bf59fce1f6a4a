package main

import (
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/data/datatest"
)

// A way is how a run is made: cells or clients at once, and processors.
type way struct{ jobs, processors int }

// Results do not depend on how many cells and clients train at once, nor on how many
// processors there are: not in a byte.
func TestResultsAreIdentical(t *testing.T) {
	t.Run("linear", func(t *testing.T) {
		identical(t, "linear.toml", "", // 0 jobs: as many as processors
			way{1, 2}, way{2, 2}, way{1, 1}, way{1, 8}, way{0, 1}, way{0, 2}, way{0, 8},
			way{40, 1}, way{40, 2}, way{40, 8}) // 10 cells, each with 4 workers
	})
	t.Run("softmax", func(t *testing.T) { // whose data take a while to read
		identical(t, "softmax.toml", datatest.Folder(t), way{1, 1}, way{2, 2}, way{40, 8})
	})
}

// identical runs an experiment in several ways and compares all that is stored of results.
func identical(t *testing.T, file, data string, ways ...way) {
	var want map[string]string
	for _, w := range ways {
		dir := t.TempDir()
		before := runtime.GOMAXPROCS(w.processors)
		var said strings.Builder
		code := hansa(t.Context(), io.Discard, &said, []string{"run", "--dir", dir, "--data", data,
			"--jobs", strconv.Itoa(w.jobs), filepath.Join("testdata", "identity", file)})
		runtime.GOMAXPROCS(before)
		if code != exitOK {
			t.Fatalf("%+v: exit code %d\n%s", w, code, &said)
		}
		got := contents(t, filepath.Join(dir, "results"))
		if want == nil {
			want = got
		}
		if len(got) < 6 || !maps.Equal(got, want) {
			t.Errorf("%+v: %d files, which are not the %d of the first way", w, len(got), len(want))
		}
	}
}

// contents returns all files below a folder, by their paths from there. Those whose names
// begin with a dot, which a process that was killed leaves, are none of the results.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		content, err := fs.ReadFile(root, path)
		all[path] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
