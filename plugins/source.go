package plugins

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/plugins/vet"
)

// A Source is the text of a strategy.
type Source struct {
	Path  string     // of the file or folder, as the user calls it
	Files []vet.File // sorted by name
	Hash  string     // SHA-256 of the names and texts, in hexadecimal
}

// largestFile is how many bytes a file of a strategy may have.
const largestFile = 4 << 20

// Read reads a strategy: one Go file, or the Go files of a folder but for tests.
func Read(path string) (Source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Source{}, err
	}
	names := []string{path}
	if info.IsDir() {
		if names, err = goFiles(path); err != nil {
			return Source{}, err
		}
	}
	var files []vet.File
	for _, name := range names {
		text, err := host.Read(name, largestFile)
		if err != nil {
			return Source{}, err
		}
		files = append(files, vet.File{Name: name, Text: string(text)})
	}
	return NewSource(path, files), nil
}

// NewSource returns a strategy whose files, sorted by name, are in memory.
func NewSource(path string, files []vet.File) Source {
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%s %d\n%s", filepath.Base(f.Name), len(f.Text), f.Text)
	}
	return Source{Path: path, Files: files, Hash: hex.EncodeToString(h.Sum(nil))}
}

// Digest identifies the code in the identity of cells and in reports.
func (s Source) Digest() string { return "sha256:" + s.Hash }

// goFiles returns the Go files of a folder that belong to a strategy, sorted.
func goFiles(folder string) (names []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := e.Name()
		if !e.IsDir() && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") &&
			name[0] != '.' && name[0] != '_' {
			names = append(names, filepath.Join(folder, name))
		}
	}
	if names == nil {
		return nil, errors.New("no Go files")
	}
	return names, nil
}
