package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// decodedIn returns a cache of a program in a folder, and what it remarks.
func decodedIn(dir, program string) (*DecodedCache, *[]string) {
	var said []string
	return &DecodedCache{DiskCache: *named(dir, program),
		Remark: func(text string) { said = append(said, text) }}, &said
}

// large is a content that is kept.
func large(seed byte) []byte {
	b := make([]byte, leastDecoded+77)
	for k := range b {
		b[k] = byte(k*k>>3) ^ seed
	}
	return b
}

// What was decoded once is there for another process, to the byte, by its key and its program.
func TestDecodedOnce(t *testing.T) {
	dir, want, times := filepath.Join(t.TempDir(), "new", "folder"), large(1), 0
	decode := func() ([]byte, error) { times++; return slices.Clone(want), nil }
	for k, c := range []struct {
		program, key string
		times        int
	}{{"a", "x", 1}, {"a", "x", 1}, {"a", "y", 2}, {"a", "x", 2}, {"b", "x", 3}, {"a", "x", 4},
		{"a", "x", 4}, {"", "x", 5}} {
		cache, said := decodedIn(dir, c.program)
		for range 2 {
			got, err := cache.Recall(c.key, decode)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("use %d: other bytes, %v", k, err)
			}
			if c.program == "" {
				break
			}
		}
		if times != c.times || len(*said) > 0 {
			t.Errorf("use %d: decoded %d times, want %d; %q", k, times, c.times, *said)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 2 {
		t.Errorf("%d files of 2 keys, %v", len(files), err)
	}
}

// A file that is damaged, whatever of it, is remarked and replaced; no byte of it is used.
func TestDamagedDecodedFiles(t *testing.T) {
	want := large(2)
	at := func(k int) func(b []byte) []byte { return func(b []byte) []byte { b[k] ^= 4; return b } }
	for name, harm := range map[string]func(b []byte) []byte{
		"form": at(3), "sum": at(len(shelfForm) + 8), "key": at(shelfHead - 8), "first": at(shelfHead),
		"last":      at(shelfHead + len(want) - 1),
		"truncated": func(b []byte) []byte { return b[:len(b)-1] },
		"longer":    func(b []byte) []byte { return append(b, 0) },
		"no more":   func(b []byte) []byte { return b[:shelfHead] },
		"half":      func(b []byte) []byte { return b[:100] },
		"empty":     func([]byte) []byte { return nil },
		"zeros":     func(b []byte) []byte { clear(b); return b },
		"other":     func([]byte) []byte { return bytes.Repeat([]byte("abc"), 9999) },
	} {
		dir, times := t.TempDir(), 0
		decode := func() ([]byte, error) { times++; return slices.Clone(want), nil }
		recall := func() string {
			cache, said := decodedIn(dir, "p")
			got, err := cache.Recall("k", decode)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: wrong bytes, %v", name, err)
			}
			return strings.Join(*said, "; ")
		}
		recall()
		files, _ := filepath.Glob(dir + "/*")
		if len(files) != 1 {
			t.Fatalf("%d files", len(files))
		}
		b, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		// As another program would: a file that is mapped is never written to in place.
		if err := errors.Join(os.Remove(files[0]), os.WriteFile(files[0], harm(b), 0o644)); err != nil {
			t.Fatal(err)
		}
		if said := recall(); times != 2 || !strings.HasSuffix(said, ": it is decoded again") {
			t.Errorf("%s: decoded %d times, want 2; %q", name, times, said)
		}
		if said := recall(); times != 2 || said != "" {
			t.Errorf("%s: the file is not replaced: %q", name, said)
		}
	}
}

// What cannot be decoded is not kept, nor what is small; where nothing can be kept, all is decoded.
func TestWhatIsNotDecodedOnce(t *testing.T) {
	dir := t.TempDir()
	cache, _ := decodedIn(dir, "p")
	wrong := errors.New("damaged")
	if _, err := cache.Recall("k", func() ([]byte, error) { return nil, wrong }); !errors.Is(err, wrong) {
		t.Errorf("%v", err)
	}
	got, err := cache.Recall("k", func() ([]byte, error) { return []byte("few"), nil })
	if err != nil || string(got) != "few" {
		t.Errorf("%q, %v", got, err)
	}
	if files, _ := os.ReadDir(dir); len(files) > 0 {
		t.Errorf("%d files are kept", len(files))
	}
	place := filepath.Join(dir, "file")
	if err := os.WriteFile(place, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	cache, _ = decodedIn(place, "p") // no folder
	if got, err := cache.Recall("k", func() ([]byte, error) { return large(3), nil }); err != nil ||
		!bytes.Equal(got, large(3)) {
		t.Errorf("other bytes, %v", err)
	}
}

// Several goroutines and caches get the same bytes, and leave one whole file.
func TestDecodedAtOnce(t *testing.T) {
	dir, want := t.TempDir(), large(4)
	var all sync.WaitGroup
	for range 4 {
		cache, _ := decodedIn(dir, "p")
		for range 3 {
			all.Go(func() {
				got, err := cache.Recall("k", func() ([]byte, error) { return slices.Clone(want), nil })
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("other bytes, %v", err)
				}
			})
		}
	}
	all.Wait()
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%d files", len(files))
	}
}
