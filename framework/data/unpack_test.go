package data

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// archive returns a packed archive of parts: name, content, name, content and so on.
func archive(t *testing.T, parts ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for k := 0; k < len(parts); k += 2 {
		content := parts[k+1]
		head := &tar.Header{Name: "folder/" + parts[k], Mode: 0o644, Size: int64(len(content))}
		if err := w.WriteHeader(head); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed(t, out.Bytes())
}

func hashOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// parted is a set of two parts in an archive that lies in a folder.
func parted(t *testing.T, content []byte) (set Set, folder string) {
	t.Helper()
	folder = t.TempDir()
	set = Set{
		Name:  "set",
		Files: []File{{Name: "set.tar.gz", SHA256: hashOf(string(content)), URL: "u"}},
		Parts: []File{{Name: "a", SHA256: hashOf("alpha")}, {Name: "b", SHA256: hashOf("beta")}},
	}
	if content != nil {
		write(t, filepath.Join(folder, "set", "set.tar.gz"), string(content))
	}
	return set, folder
}

// read reads the parts b and a, in this order, the first bytes only of each.
func (s Set) read(folder string) (got [2]string, err error) {
	err = s.Read([]string{folder}, []string{"b", "a"}, func(k int, r io.Reader) error {
		b := make([]byte, 2)
		_, err := io.ReadFull(r, b)
		got[k] += string(b)
		return err
	})
	return got, err
}

func TestReadParts(t *testing.T) {
	content := archive(t, "README", "x", "a", "alpha", "other", "y", "b", "beta")
	set, folder := parted(t, content)
	want := [2]string{"be", "al"}
	check := func(form string) {
		t.Helper()
		if got, err := set.read(folder); got != want || err != nil {
			t.Errorf("%s: %q, %v", form, got, err)
		}
	}
	check("from the archive")
	write(t, filepath.Join(folder, "set", "a"), "alpha")
	check("one part of two is unpacked")
	write(t, filepath.Join(folder, "b.gz"), string(packed(t, []byte("beta"))))
	if err := os.Remove(filepath.Join(folder, "set", "set.tar.gz")); err != nil {
		t.Fatal(err)
	}
	check("from parts of their own")
}

func TestReadPartsRefuses(t *testing.T) {
	whole := archive(t, "a", "alpha", "b", "beta")
	var damaged *DamagedError
	var missing *MissingError

	set, folder := parted(t, nil)
	write(t, filepath.Join(folder, "a"), "alpha")
	if _, err := set.read(folder); !errors.As(err, &missing) ||
		!slices.Equal(missing.Files, []File{{Name: "b"}}) {
		t.Errorf("a part is missing: %v", err)
	}
	write(t, filepath.Join(folder, "b"), "beto")
	if _, err := set.read(folder); !errors.As(err, &damaged) ||
		damaged.Path != filepath.Join(folder, "b") || damaged.Want != hashOf("beta") {
		t.Errorf("a part is damaged: %v", err)
	}

	set, folder = parted(t, whole)
	write(t, filepath.Join(folder, "set", "set.tar.gz"), string(whole[:len(whole)-1]))
	if _, err := set.read(folder); !errors.As(err, &damaged) || damaged.Got == "" {
		t.Errorf("the archive is damaged: %v", err)
	}
	for want, content := range map[string][]byte{
		": 1 of 2 parts: EOF":            archive(t, "a", "alpha"),
		": b: damaged or not the origin": archive(t, "a", "alpha", "b", "beto"),
		": b: EOF":                       archive(t, "a", "alpha", "b", ""),
		": 0 of 2 parts: unexpected EOF": packed(t, []byte("no archive")),
		": unexpected EOF":               whole[:3],
	} {
		set, folder = parted(t, content)
		path := filepath.Join(folder, "set", "set.tar.gz")
		if _, err := set.read(folder); err == nil || !strings.HasPrefix(err.Error(), path+want) {
			t.Errorf("error %v, want %q after the name of the archive", err, want)
		}
	}
}
