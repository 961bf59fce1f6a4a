//go:build unix

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe, a device or a folder in the place of an experiment, of a strategy or of a plugin is
// refused at once by every command that reads one.
func TestCommandsReadFilesAlone(t *testing.T) {
	dir := t.TempDir()
	pipe, tomlPipe := filepath.Join(dir, "pipe.go"), filepath.Join(dir, "pipe.toml")
	holder := filepath.Join(dir, "x.toml")
	for _, path := range []string{pipe, tomlPipe} {
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	err := os.WriteFile(holder, []byte("plugins = [\"pipe.go\"]\n[setting]\nrounds = 1\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"check", pipe}, {"check", tomlPipe}, {"check", holder}, {"check", "/dev/zero"},
		{"describe", pipe}, {"run", tomlPipe}, {"run", holder}, {"audit", tomlPipe},
	} {
		var out, errOut bytes.Buffer
		code := hansa(context.Background(), &out, &errOut, args)
		if said := errOut.String(); code != 2 || !strings.Contains(said, "want a regular file") {
			t.Errorf("%v: exit %d, %q", args, code, said)
		}
	}
}
