package leaderboard

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hansa-fl/hansa/framework/host"
)

// signature is what every page of a site has, and has had since there are sites.
const signature = "Made by hansa, a framework for experiments on aggregation rules"

// A ForeignError says that a file that is in the way is no page of a site.
type ForeignError struct{ Path string }

// Error implements error.
func (e *ForeignError) Error() string {
	return fmt.Sprintf("%s is there, and hansa leaderboard did not write it: name another folder "+
		"by -o, or move it away", e.Path)
}

// Write writes the files of a site into a folder, and removes pages of an earlier site there that
// this one does not have. It returns how many it removed. It refuses to replace a file that is no
// page of a site, before it writes anything; such files otherwise stay.
func Write(folder string, files []File) (removed int, err error) {
	ours := map[string]bool{}
	for _, f := range files {
		ours[f.Name] = true
		path := filepath.Join(folder, f.Name)
		switch page, err := isPage(path); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return 0, err
		case !page:
			return 0, &ForeignError{path}
		}
	}
	for _, f := range files {
		err := host.Replace(filepath.Join(folder, f.Name), func(w io.Writer) error {
			_, err := io.WriteString(w, f.Text)
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		if ours[e.Name()] || !e.Type().IsRegular() || filepath.Ext(e.Name()) != ".html" {
			continue
		}
		path := filepath.Join(folder, e.Name())
		page, err := isPage(path)
		if err == nil && page {
			err = os.Remove(path)
			removed++
		}
		if err != nil {
			return removed, err
		}
	}
	return removed, nil
}

// isPage reports whether a file is a page of a site.
func isPage(path string) (bool, error) {
	text, err := os.ReadFile(path)
	return strings.Contains(string(text), signature), err
}
