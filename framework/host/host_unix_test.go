//go:build unix

package host

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// What is no regular file is refused with a word for what it is, and a pipe is not waited for.
func TestOnlyFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	pipe, socket := filepath.Join(dir, "pipe"), filepath.Join(dir, "s")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	listen, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listen.Close()
	for path, kind := range map[string]string{
		pipe: "is a pipe", socket: "is a socket", dir: "is a folder", os.DevNull: "is a device",
		"/dev/zero": "is a device",
	} {
		_, err := Open(path)
		var at *fs.PathError
		if !errors.As(err, &at) || at.Path != path || !strings.Contains(err.Error(), kind) {
			t.Errorf("%s: %v", path, err)
		}
		if _, err := Read(path, 10); err == nil {
			t.Errorf("%s is read", path)
		}
	}
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, []byte("1234567890"), 0o600),
		os.Symlink(file, link)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, link} {
		if content, err := Read(path, 10); err != nil || string(content) != "1234567890" {
			t.Errorf("%s: %q, %v", path, content, err)
		}
		if _, err := Read(path, 9); err == nil || !strings.Contains(err.Error(), "more than 9 bytes") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// Memory is at least that of the smallest machine that there is, where it is known.
func TestMemory(t *testing.T) {
	if n := Memory(); n > 0 && n < 1<<24 {
		t.Errorf("%d bytes", n)
	}
	for n, want := range map[float64]string{0: "0 B", 999: "999 B", 1500: "1.5 kB", 2.4e10: "24 GB",
		9.996e11: "1 TB", 999_900: "1 MB", 11_594_722: "11.6 MB", 170_052_171: "170 MB",
		12_300_000_000_000: "12.3 TB"} {
		if got := Bytes(n); got != want {
			t.Errorf("%v: %s, want %s", n, got, want)
		}
	}
}
