package weights

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/host"
)

// A Place is where a user says that a file lies.
type Place struct {
	What   string // it is for messages, such as "encoder"
	Name   string // absolute, or below one of some folders
	SHA256 string // in hexadecimal; "": the content is whatever it is
}

// A MissingError says that a file is nowhere to be found.
type MissingError struct {
	Place
	Folders []string // where it was looked for
}

// Error names the file, and the folders that were searched.
func (e *MissingError) Error() string {
	return fmt.Sprintf("%s: not found: %s\nsearched: %s", e.What, e.Name,
		strings.Join(e.Folders, ", "))
}

// locate returns the path of the file.
func (p *Place) locate(folders []string) (string, error) {
	for _, path := range host.Candidates(folders, p.Name) {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return path, err
		}
	}
	return "", &MissingError{*p, folders}
}

// Load has take make something of the file, whose errors name its path. The error is a
// *MissingError where there is none.
func (p *Place) Load(folders []string, take func(f *File) error) error {
	path, err := p.locate(folders)
	if err != nil {
		return err
	}
	return load(path, p.SHA256, take)
}

// load has take make something of the file at a path, of this SHA-256 unless that is "".
func load(path, sum string, take func(f *File) error) error {
	content, err := host.Read(path, most)
	if err != nil {
		return err
	}
	if is := fmt.Sprintf("%x", sha256.Sum256(content)); sum != "" && sum != is {
		return fmt.Errorf("%s has the SHA-256 %s, not %s", path, is, sum)
	}
	f, err := Parse(content)
	if err == nil {
		err = take(f)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Inspect reports why a file could not be loaded, before anything runs.
func Inspect(i *fl.Inspection, err error) {
	var missing *MissingError
	switch {
	case errors.As(err, &missing):
		i.Lack("file", err.Error())
	case err != nil:
		i.Fail("file", "%v", err)
	}
}
