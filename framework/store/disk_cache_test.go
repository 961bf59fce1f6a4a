package store

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// named is the shelf of a program.
func named(dir, program string) *DiskCache {
	return &DiskCache{Dir: dir, Program: func() (string, bool) { return program, program != "" }}
}

// What was put is there for the same program and key, to the byte; for all others there is
// nothing.
func TestShelfGivesBackWhatWasPut(t *testing.T) {
	s := named(t.TempDir(), "this")
	for key, content := range map[string]string{"a": "", "b": "content\n\x00", "": "of no key"} {
		if _, ok := s.Take(key); ok {
			t.Errorf("%q is there before it was put", key)
		}
		s.Put(key, []byte("what was there before"))
		s.Put(key, []byte(content))
		if got, ok := s.Take(key); !ok || string(got) != content {
			t.Errorf("%q: %q, %t, want %q", key, got, ok, content)
		}
		for _, other := range []*DiskCache{named(s.Dir, "another"), named(s.Dir, ""), named(t.TempDir(), "this")} {
			if got, ok := other.Take(key); ok {
				t.Errorf("%q: another key has %q", key, got)
			}
		}
	}
	// Another program replaces what it does not believe: there is one file for every key.
	named(s.Dir, "another").Put("a", []byte("of another"))
	if _, ok := s.Take("a"); ok {
		t.Error("what another program made was taken")
	}
	if files, err := os.ReadDir(s.Dir); err != nil || len(files) != 3 {
		t.Errorf("%d files of 3 keys, %v", len(files), err)
	}
}

// Where nothing can be kept, nothing is, and there is no error.
func TestShelfWithoutPlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*DiskCache{named(file, "this"), named(t.TempDir(), "")} {
		s.Put("a", []byte("content"))
		if got, ok := s.Take("a"); ok {
			t.Errorf("took %q", got)
		}
	}
}

// No file but the one that was written is believed.
func TestDamagedShelvesAreEmpty(t *testing.T) {
	s := named(t.TempDir(), "this")
	s.Put("a", []byte("the content"))
	s.Put("b", []byte("the content"))
	whole, err := os.ReadFile(filepath.Join(s.Dir, shelfName("a")))
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(filepath.Join(s.Dir, shelfName("b")))
	if err != nil {
		t.Fatal(err)
	}
	damaged := [][]byte{nil, []byte("hansa"), other, append(bytes.Clone(whole), 0)}
	for k := range whole {
		flipped := bytes.Clone(whole)
		flipped[k] ^= 4
		damaged = append(damaged, flipped, whole[:k])
	}
	for _, file := range damaged {
		if err := os.WriteFile(filepath.Join(s.Dir, shelfName("a")), file, 0o666); err != nil {
			t.Fatal(err)
		}
		if got, ok := s.Take("a"); ok {
			t.Errorf("took %q from %q", got, file)
		}
	}
	s.Put("a", []byte("the content"))
	if got, ok := s.Take("a"); !ok || string(got) != "the content" {
		t.Errorf("made again: %q, %t", got, ok)
	}
}
