//go:build unix

package data

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Every reader of files that an experiment names refuses a pipe, a device and a folder at once.
func TestReadersOpenFilesAlone(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func(path string) error{
		"idx":     func(p string) error { _, err := ReadIDX(p, 0); return err },
		"array":   func(p string) error { _, err := ReadArray(p, "x"); return err },
		"picture": func(p string) error { _, err := ReadPicture(p); return err },
		"verify":  func(p string) error { return Verify(p, "") },
		"archive": func(p string) error { _, err := readPacked(p, "x", 100); return err },
		"packed":  func(p string) error { _, err := open(p); return err },
	} {
		for path, kind := range map[string]string{pipe: "a pipe", "/dev/zero": "a device",
			filepath.Dir(pipe): "a folder"} {
			if err := read(path); err == nil || !strings.Contains(err.Error(), "is "+kind) {
				t.Errorf("%s of %s: %v", name, kind, err)
			}
		}
	}
}

// A header is not believed: of 250 million rows of pictures, for which a few packed bytes stand, no
// memory is asked for.
func TestDeclaredSizesAreBounded(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	head := []byte{0, 0, idxUint8, 3}
	for _, n := range []uint32{250_000_000, 28, 28} {
		head = binary.BigEndian.AppendUint32(head, n)
	}
	if _, err := z.Write(append(head, make([]byte, 1<<20)...)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "bomb.gz")
	if err := os.WriteFile(path, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadIDX(path, 0); err == nil || !strings.Contains(err.Error(), "truncated: at most") {
		t.Errorf("more than a packed file can hold: %v", err)
	}
	err := enough(250_000_000, []int{250_000_000}, 24<<30)
	if err == nil || err.Error() != "250000000 rows of dimensions [] need about 16 GB of memory, "+
		"more than half of the 25.8 GB that there are" {
		t.Error(err)
	}
	for _, memory := range []uint64{0, 24 << 30} {
		if err := enough(60_000, []int{60_000, 28, 28}, memory); err != nil {
			t.Errorf("MNIST in %d bytes: %v", memory, err)
		}
	}
}
