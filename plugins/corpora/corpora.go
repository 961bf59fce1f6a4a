// Package corpora reads programs that were written to test Go: those of the Go distribution and
// those of the interpreter. It tells which of them the dialect of strategies is about, and makes
// them programs that tests can compile and interpret: what they print goes to a recorder.
package corpora

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// A Program is one file of a corpus.
type Program struct {
	Name string // the corpus and the path in it
	Left string // why the program is left out; empty: it is not
	Text string // the adapted program: a package whose function Run does what the program does
	// Initialises says that variables of the package are initialised by functions, so that the
	// program does something wherever its package is part of.
	Initialises bool
}

// Run is the function of an adapted program that does what the program does.
const Run = "RunProgram"

// A Corpus is a folder of programs.
type Corpus struct {
	Name  string
	Dir   string
	takes func(name, text string) bool
}

// Go returns the tests of the Go distribution: single files that are run as they are.
func Go(goroot string) Corpus {
	return Corpus{Name: "go", Dir: filepath.Join(goroot, "test"), takes: isRun}
}

// Yaegi returns the tests of the interpreter, from the folder of its module.
func Yaegi(module string) Corpus {
	return Corpus{Name: "yaegi", Dir: filepath.Join(module, "_test"), takes: isTop}
}

// isTop takes the files that lie in the folder of the corpus itself: those below are packages
// that programs import.
func isTop(name, _ string) bool { return path.Dir(name) == "." }

// runLine is what the first comment says of a file that is compiled and run, be it with flags.
var runLine = regexp.MustCompile(`^// run( .*)?$`)

// isRun takes files whose first comment says that they are run. Constraints of builds may stand
// before it.
func isRun(_, text string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		constraint := strings.HasPrefix(line, "//go:build") || strings.HasPrefix(line, "// +build")
		if line != "" && !constraint {
			return runLine.MatchString(line)
		}
	}
	return false
}

// Programs reads a corpus, sorted by name. A folder that is not there holds none.
func (c Corpus) Programs() (list []Program, err error) {
	top := os.DirFS(c.Dir)
	if _, err := fs.Stat(top, "."); err != nil {
		return nil, nil
	}
	err = fs.WalkDir(top, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".go" {
			return err
		}
		text, err := fs.ReadFile(top, name)
		if err != nil || !c.takes(name, string(text)) {
			return err
		}
		list = append(list, adapt(c.Name+"/"+name, string(text)))
		return nil
	})
	return list, err
}
