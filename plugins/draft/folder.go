package draft

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// MakeFolder makes a folder with files, and the folders that it lies in. They appear all at
// once or not at all.
func MakeFolder(dir string, files map[string]string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	top := dir // the first folder that is not there
	for {
		if _, err := os.Stat(filepath.Dir(top)); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		top = filepath.Dir(top)
	}
	scratch, err := os.MkdirTemp(filepath.Dir(top), ".hansa-new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	made := filepath.Join(scratch, "made")
	within, err := filepath.Rel(top, dir)
	if err != nil {
		return err
	}
	for name, text := range files {
		path := filepath.Join(made, within, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return os.Rename(made, top)
}

// ComponentForm returns the name of a component that a text spells otherwise, or "".
func ComponentForm(text string) string {
	if !regexp.MustCompile(`^[A-Za-z0-9 _.-]+$`).MatchString(text) {
		return ""
	}
	words := regexp.MustCompile(`[A-Z]?[a-z0-9]+|[A-Z]+`).FindAllString(text, -1)
	return strings.ToLower(strings.Join(words, "-"))
}
