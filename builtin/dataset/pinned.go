package dataset

import (
	"path/filepath"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// What an experiment may write where it names no file, or pins no content.
const none, whatever = "none", "any"

// A pin is the content that files named by an experiment must have: their names are part
// of the identity of a cell, what is in them is not.
type pin string

func newPin(p *fl.Params) pin {
	return pin(p.Text("sha256", whatever, "SHA-256 of what sha256sum prints of the files in "+
		"their order; a wrong one is answered by the right one, any is never wrong"))
}

// check compares the files, which are called by the last so many elements of their paths.
func (q pin) check(paths []string, elements int) error {
	if q == whatever {
		return nil
	}
	return data.VerifyAll(paths, q.names(paths, elements), string(q))
}

// names returns the last so many elements of paths.
func (q pin) names(paths []string, elements int) (names []string) {
	for _, path := range paths {
		name, rest := filepath.Base(path), filepath.Dir(path)
		for range elements - 1 {
			name, rest = filepath.Base(rest)+"/"+name, filepath.Dir(rest)
		}
		names = append(names, name)
	}
	return names
}

// unpinned is the departure of sources of such files.
const unpinned = "results are found again by the names of the files and not by their content, " +
	"unless sha256 pins it"
