package leaderboard

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A site that is written where an earlier one lies replaces it: pages that it does not have are
// removed, and other files stay. What hansa did not write is not replaced.
func TestSitesReplaceEarlierOnes(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "site")
	write := func(b *Board) (int, error) {
		files, err := Files(b)
		if err != nil {
			t.Fatal(err)
		}
		return Write(folder, files)
	}
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	names := func() (list []string) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			list = append(list, e.Name())
		}
		return list
	}
	if removed, err := write(example(7)); removed != 0 || err != nil {
		t.Fatalf("removed %d, %v", removed, err)
	}
	put("notes.html", "mine")
	put("CNAME", "mine")
	if removed, err := write(example(2)); removed != 5 || err != nil {
		t.Errorf("removed %d, %v", removed, err)
	}
	list := names()
	if len(list) != 1+2+6+2 || !slices.Contains(list, "notes.html") || !slices.Contains(list, "CNAME") ||
		slices.Contains(list, "condition-made-alpha-7.html") {
		t.Errorf("the folder has %q", list)
	}
	put("index.html", "mine")
	var foreign *ForeignError
	if _, err := write(example(7)); !errors.As(err, &foreign) ||
		foreign.Path != filepath.Join(folder, "index.html") {
		t.Errorf("a page that is not ours: %v", err)
	}
	if len(names()) != len(list) {
		t.Errorf("something was written: %q", names())
	}
}
