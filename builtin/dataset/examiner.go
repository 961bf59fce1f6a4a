package dataset

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
)

// An examiner examines the files of a data set before anything runs.
type examiner struct {
	*fl.Inspection
	set string // what the data set is called
}

// find returns the path of the file that a parameter names, or "" once it has said why there is
// none.
func (x examiner) find(param, name string) string {
	path, err := located(x.Folders, x.set, name)
	if err != nil {
		x.report(param, err)
	}
	return path
}

// report reports an error of what a parameter names: files that are not there apart from mistakes.
func (x examiner) report(param string, err error) {
	var missing *data.MissingError
	var column *data.ColumnError
	switch {
	case errors.As(err, &missing):
		x.Lack(param, strings.TrimPrefix(err.Error(), missing.Set+": "))
	case errors.As(err, &column):
		x.Problems = append(x.Problems, fl.Problem{Param: param, Word: column.Name,
			Allowed: column.Known, Message: column.TextError.Error()})
	default:
		x.Fail(param, "%v", err)
	}
}

// look examines one file that a parameter names, in the time that it may take. It reports whether
// all of it was seen and nothing is wrong.
func (x examiner) look(param, path string, read func(m *data.Mistakes) error) bool {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		x.report(param, err)
		return false
	case !info.Mode().IsRegular():
		x.Fail(param, "%s is no file", path)
		return false
	}
	return x.within(param, path, read)
}

// within examines what lies at a path in the time that a file may take.
func (x examiner) within(param, path string, read func(m *data.Mistakes) error) bool {
	over, stop := x.Start()
	defer stop()
	m := &data.Mistakes{Over: over}
	err := read(m)
	found := m.List()
	if err != nil {
		found = append(found, err)
	}
	for _, err := range found {
		x.report(param, err)
	}
	if m.Partial != "" {
		x.Partial = append(x.Partial, fmt.Sprintf("%s: %s", path, m.Partial))
	}
	return len(found) == 0 && m.Partial == ""
}

// verified examines the published files of a data set by their checksums.
func (x examiner) verified(set data.Set) bool {
	paths, err := set.Find(x.Folders)
	if err != nil {
		x.report("name", err)
		return false
	}
	whole := true
	for i, path := range paths {
		whole = x.look("name", path, func(m *data.Mistakes) error {
			return set.Files[i].Examine(path, m)
		}) && whole
	}
	return whole
}

// pinned examines whether files have the content that an experiment pins. Files are called by the
// last so many elements of their paths.
func (x examiner) pinned(p pin, paths []string, elements int) {
	if p == whatever || len(paths) == 0 {
		return
	}
	x.within("sha256", paths[0], func(m *data.Mistakes) error {
		return data.ExamineAll(paths, p.names(paths, elements), string(p), m)
	})
}

// rows reports that fewer rows are there than are asked for.
func (x examiner) rows(param, path string, asked, there int) {
	if asked > there {
		x.Fail(param, "%s: %d rows asked for, %d there", path, asked, there)
	}
}
