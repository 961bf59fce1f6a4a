package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A source is one hand-written Go file.
type source struct {
	path  string // relative to the top, with slashes
	lines []string
	fset  *token.FileSet
	file  *ast.File
}

// line returns the line of a position.
func (s *source) line(p token.Pos) int { return s.fset.Position(p).Line }

// test reports whether the file holds tests.
func (s *source) test() bool { return strings.HasSuffix(s.path, "_test.go") }

// within reports whether the file lies in one of the folders.
func (s *source) within(folders ...string) bool {
	return slices.ContainsFunc(folders, func(f string) bool {
		return strings.HasPrefix(s.path, f+"/")
	})
}

// A finding is a broken rule: where, and what.
type finding struct {
	line int
	what string
}

// A rule is a requirement and what breaks it in a file.
type rule struct {
	requirement string
	broken      func(s *source) []finding
}

// rules are the rules of the house that a machine can see.
func rules() []rule {
	return []rule{
		{"no init functions: nothing happens by being imported", noInit},
		{"no package state that changes", noMutableState},
		{"randomness is an argument: no math/rand, no global generator", noGlobalRandomness},
		{"the clock belongs to stopwatches, to launch, to sessions and to commands", noClock},
		{"only kernel, tensor and what carries panics of strategies may panic", noPanic},
		{"a component's file begins with its header and then its entry", componentHeader},
		{"files, functions, parameter lists and lines are short", sizes},
		{"nothing is left for later", noLeftovers},
	}
}

// houseRules checks all rules in all hand-written files, and the top level.
func houseRules(w io.Writer) bool {
	ok := true
	if err := topLevel(); err != nil {
		fmt.Fprintln(w, err)
		ok = false
	}
	sources, err := readSources(".")
	if err != nil {
		fmt.Fprintln(w, err)
		return false
	}
	for _, r := range rules() {
		for _, s := range sources {
			for _, f := range r.broken(s) {
				fmt.Fprintf(w, "%s:%d: %s (%s)\n", s.path, f.line, f.what, r.requirement)
				ok = false
			}
		}
	}
	return ok
}

// top is the fixed top level.
var top = []string{"framework", "registry", "plugins", "builtin", "experiments", "reports", "tools"}

// topFiles are the files of the top level.
var topFiles = []string{"LICENSE", "README.md", "go.mod", "go.sum", "source.go", "source_test.go"}

// ignored are what runs and builds leave at the top level, which git ignores.
var ignored = []string{"runs", "hansa", "hansa.exe"}

// topLevel refuses folders and files that are not on the plan, such as the output of a compiler.
func topLevel() error {
	entries, err := os.ReadDir(".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		planned := topFiles
		if e.IsDir() {
			planned = top
		}
		known := slices.Contains(planned, e.Name()) || slices.Contains(ignored, e.Name())
		if !known && !strings.HasPrefix(e.Name(), ".") {
			return fmt.Errorf("%s: the top level is %s", e.Name(),
				strings.Join(slices.Concat(topFiles, top), " "))
		}
	}
	return nil
}

// readSources parses every hand-written Go file below dir.
func readSources(dir string) (sources []*source, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := len(d.Name()) > 1 && d.Name()[0] == '.'
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "runs" || hidden) {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.HasPrefix(string(text), "// Code generated ") {
			return nil
		}
		s, err := parse(filepath.ToSlash(path), string(text))
		sources = append(sources, s)
		return err
	})
	return sources, err
}

func parse(path, text string) (*source, error) {
	s := &source{path: path, lines: strings.Split(text, "\n"), fset: token.NewFileSet()}
	var err error
	s.file, err = parser.ParseFile(s.fset, path, text, parser.ParseComments)
	return s, err
}
