package data

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A File is one file of a data set, as published.
type File struct {
	Name   string // without folders: "t10k-labels-idx1-ubyte.gz"
	SHA256 string // of its bytes, hexadecimal, lower case
	URL    string // where it can be had
}

// Find returns the paths of the files of a data set, in their order. Each is looked for
// in every folder, first in the sub-folder named after the data set, then directly. The
// error is a *MissingError when some are nowhere.
func Find(folders []string, set string, files []File) ([]string, error) {
	paths := make([]string, len(files))
	var missing []File
	for i, f := range files {
		for _, place := range places(folders, set) {
			path := filepath.Join(place, f.Name)
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				paths[i] = path
				break
			}
		}
		if paths[i] == "" {
			missing = append(missing, f)
		}
	}
	if missing != nil {
		return nil, &MissingError{Set: set, Files: missing, Folders: folders}
	}
	return paths, nil
}

// places returns where the files of a data set may lie, in the order of the search.
func places(folders []string, set string) []string {
	var all []string
	for _, f := range folders {
		all = append(all, filepath.Join(f, set), filepath.Clean(f))
	}
	return all
}

// A MissingError says which files of a data set are nowhere to be found.
type MissingError struct {
	Set     string   // name of the data set
	Files   []File   // those that are missing
	Folders []string // where they were looked for, and in the sub-folder named Set
}

// Error names the files, the places that were searched, and the command that gets each
// file to the first of them.
func (e *MissingError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: not found:", e.Set)
	for _, f := range e.Files {
		fmt.Fprintf(&b, " %s", f.Name)
	}
	to := filepath.Join("data", e.Set)
	if searched := places(e.Folders, e.Set); len(searched) > 0 {
		to = searched[0]
		fmt.Fprintf(&b, "\nsearched: %s", strings.Join(searched, ", "))
	} else {
		b.WriteString("\nsearched nowhere: name a folder by HANSA_DATA or --data, such as data")
	}
	b.WriteString("\nget what is missing by")
	for _, f := range e.Files {
		fmt.Fprintf(&b, "\n  curl -fL --create-dirs -o %s %s",
			quote(filepath.Join(to, f.Name)), quote(f.URL))
	}
	return b.String()
}

// quote returns s as one word of a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// Verify reads the file and compares its SHA-256 with the one given in hexadecimal.
func Verify(path, want string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		return fmt.Errorf("%s: damaged or not the original: SHA-256 %s, want %s", path, got, want)
	}
	return nil
}
