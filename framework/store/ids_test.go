package store

import (
	"os"
	"path/filepath"
	"testing"
)

// Ids of cells of tests, which have the form of a SHA-256.
const (
	zeros60 = "000000000000000000000000000000000000000000000000000000000000"

	ab12, ab34, ab99, cd34, cell = "ab12" + zeros60, "ab34" + zeros60, "ab99" + zeros60,
		"cd34" + zeros60, "ce11" + zeros60
	ef78, ef79, aaaa, bbbb = "ef78" + zeros60, "ef79" + zeros60, "aaaa" + zeros60, "bbbb" + zeros60
)

// file returns where a file of a cell lies in a run.
func (r Run) file(kind, id string) string { return r.at(kind + "/" + id[:2] + "/" + id + ".json") }

// put writes a file whatever it is, below folders that it makes.
func put(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o666)
}

// opened opens a folder until the test ends.
func opened(t *testing.T, dir string) *folder {
	t.Helper()
	f, err := openFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.close)
	return f
}
