package main

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// eightWhole runs eight.toml in a fresh folder, and returns its results by their files and the
// table.
func eightWhole(t *testing.T) (want map[string]string, table string) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("eight.toml", []byte(eight), 0o666); err != nil {
		t.Fatal(err)
	}
	table, _ = try(t, exitOK, "run", "eight.toml")
	return contents(t, "runs/eight/results"), table
}

// Whatever became of a result file, the cell has none: the file is kept, one line says why it is
// none, the cell is run again, and all others are not.
func TestDamagedResults(t *testing.T) {
	want, table := eightWhole(t)
	paths := slices.Sorted(maps.Keys(want))
	whole := want[paths[0]]
	for name, content := range map[string]string{
		"truncated": whole[:len(whole)/2], "flipped": strings.Replace(whole, "1", "2", 1), "empty": "",
		"zeros": strings.Repeat("\x00", len(whole)), "another cell's": want[paths[1]],
	} {
		file := filepath.Join("runs/eight/results", paths[0])
		if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		printed, said := try(t, exitOK, "run", "eight.toml")
		if strings.Count(said, "hansa: ") != 1 || !strings.Contains(said, "hansa: "+file+" did not verify: ") ||
			strings.Count(said, "] ok ") != 1 {
			t.Errorf("%s: it says\n%s", name, said)
		}
		if printed != table || !maps.Equal(contents(t, "runs/eight/results"), want) {
			t.Errorf("%s: the results are others:\n%s", name, printed)
		}
		aside := glob(t, "runs/eight/quarantine/*")
		if len(aside) != 1 || !strings.Contains(said, aside[0]) {
			t.Fatalf("%s: set aside %v", name, aside)
		}
		if is, err := os.ReadFile(aside[0]); err != nil || string(is) != content {
			t.Errorf("%s: what was set aside is %q, %v", name, is, err)
		}
		if err := os.Remove(aside[0]); err != nil {
			t.Fatal(err)
		}
	}
}

// What is no file that can be read may belong to the user: it stays, the cell fails with one message
// and is not run for nothing, every command that reads it says so and ends with exit code 1, and
// all is well once it is out of the way.
func TestResultsThatCannotBeRead(t *testing.T) {
	want, table := eightWhole(t)
	file := filepath.Join("runs/eight/results", slices.Sorted(maps.Keys(want))[0])
	away := file + ".away"
	block := map[string]func() error{
		"a folder": func() error { return os.Mkdir(file, 0o777) },
		"a loop":   func() error { return os.Symlink(filepath.Base(file), file) },
	}
	if os.Geteuid() != 0 { // root reads everything
		block["forbidden"] = func() error { return os.WriteFile(file, nil, 0) }
	}
	for name, put := range block {
		if err := errors.Join(os.Rename(file, away), put()); err != nil {
			t.Fatal(err)
		}
		_, said := try(t, exitFailed, "run", "eight.toml")
		if strings.Contains(said, "] ") || strings.Count(said, "hansa: ") != 1 || !strings.Contains(said, file) ||
			!strings.Contains(said, "\n1 of 8 training runs failed; ") {
			t.Errorf("%s: it says\n%s", name, said)
		}
		for _, command := range []string{"table", "status", "compare", "export", "collect"} {
			args := []string{command, "eight"}
			if command == "export" {
				args = append(args, "-o", t.TempDir())
			}
			printed, said := try(t, exitFailed, args...)
			if command != "status" && !strings.Contains(said, file) {
				t.Errorf("%s: %s says\n%s", name, command, said)
			}
			if command == "table" && (strings.Contains(printed, "not run yet") ||
				!strings.Contains(printed, " failed: its result cannot be read: ")) {
				t.Errorf("%s: the table is\n%s", name, printed)
			}
		}
		if _, err := os.Lstat(file); err != nil {
			t.Errorf("%s: it is gone: %v", name, err)
		}
		if err := errors.Join(os.Remove(file), os.Rename(away, file)); err != nil {
			t.Fatal(err)
		}
		printed, said := try(t, exitOK, "run", "eight.toml")
		if printed != table || !strings.Contains(said, "nothing to run") {
			t.Errorf("%s: after it there is\n%s%s", name, said, printed)
		}
	}
}

// Neither the name of the folder of a run nor the clock is part of anything.
func TestRenamedRunsAndOtherTimes(t *testing.T) {
	want, table := eightWhole(t)
	if err := os.Rename("runs/eight", "runs/other"); err != nil {
		t.Fatal(err)
	}
	if printed, _ := try(t, exitOK, "table", "other"); printed != table {
		t.Errorf("under another name the table is\n%s", printed)
	}
	lost := filepath.Join("runs/other/results", slices.Sorted(maps.Keys(want))[3])
	for _, then := range []time.Time{time.Unix(1, 0), time.Now().Add(20 * 365 * 24 * time.Hour)} {
		if err := os.Remove(lost); err != nil {
			t.Fatal(err)
		}
		err := filepath.WalkDir("runs/other", func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Chtimes(path, then, then))
		})
		if err != nil {
			t.Fatal(err)
		}
		printed, said := try(t, exitOK, "run", "eight.toml", "--dir", "runs/other")
		if printed != table || !strings.Contains(said, "7 training runs are done, 1 to run\n") {
			t.Errorf("with files of %v:\n%s%s", then, said, printed)
		}
		if printed, _ := try(t, exitOK, "gc", "other"); !strings.Contains(printed, "nothing to remove") {
			t.Errorf("with files of %v gc says\n%s", then, printed)
		}
		if !maps.Equal(contents(t, "runs/other/results"), want) {
			t.Errorf("with files of %v the results are others", then)
		}
	}
}
