package main

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/session/toolbox"
)

// evidenceFile lists what tests show of components. The program reads it.
const evidenceFile = "builtin/verified.txt"

// verifies begins a line of a test's comment that names components of which it shows something.
const verifies = "//hansa:verifies "

// evidenceDirs are the folders in which tests may say so.
var evidenceDirs = []string{"builtin", "registry", "framework", "plugins", "tools"}

// An evidenceScan collects what tests say they show.
type evidenceScan struct {
	top   string
	kinds []string            // of evidence
	menu  map[string][]string // by component: the words one of which its tests have
	lines [][]string          // component, kind, test, sentence
}

// evidence returns the list of what tests show of components, sorted. A line that names an unknown
// component, or whose file does not mention the component, is an error.
func evidence(top string) (string, error) {
	s := &evidenceScan{top: top, menu: map[string][]string{}}
	for _, k := range builtin.EvidenceKinds() {
		s.kinds = append(s.kinds, k[0])
	}
	for _, k := range toolbox.Menu() {
		for _, e := range k.Entries {
			s.menu[k.Name+"/"+e.Name] = []string{`"` + e.Name + `"`}
		}
	}
	if err := s.addVariables(); err != nil {
		return "", err
	}
	for _, dir := range evidenceDirs {
		err := fs.WalkDir(os.DirFS(top), dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, "_test.go") {
				return err
			}
			return s.file(name)
		})
		if err != nil {
			return "", err
		}
	}
	slices.SortFunc(s.lines, func(a, b []string) int {
		if a[0] == b[0] && a[1] != b[1] {
			return slices.Index(s.kinds, a[1]) - slices.Index(s.kinds, b[1])
		}
		return slices.Compare(a, b)
	})
	var b strings.Builder
	for _, l := range s.lines {
		b.WriteString(strings.Join(l, "\t") + "\n")
	}
	return b.String(), nil
}

// addVariables adds to the words of components the variables that hold their entries.
func (s *evidenceScan) addVariables() error {
	files, err := filepath.Glob(filepath.Join(s.top, "builtin/*/*.go"))
	if err != nil {
		return err
	}
	names := map[string][]string{} // of variables, by the component's name
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok || len(v.Values) != 1 || !v.Names[0].IsExported() {
				return true
			}
			if lit, ok := v.Values[0].(*ast.CompositeLit); ok {
				name := entryName(lit)
				names[name] = append(names[name], v.Names[0].Name)
			}
			return true
		})
	}
	for component, words := range s.menu {
		_, name, _ := strings.Cut(component, "/")
		s.menu[component] = append(words, names[`"`+name+`"`]...)
	}
	return nil
}

// entryName returns the quoted name of an entry, or nothing.
func entryName(lit *ast.CompositeLit) string {
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		key, isKey := kv.Key.(*ast.Ident)
		value, isValue := kv.Value.(*ast.BasicLit)
		if isKey && isValue && key.Name == "Name" {
			return value.Value
		}
	}
	return ""
}

// file collects what the tests of a file say.
func (s *evidenceScan) file(name string) error {
	fset := token.NewFileSet()
	full := filepath.Join(s.top, filepath.FromSlash(name))
	f, err := parser.ParseFile(fset, full, nil, parser.ParseComments)
	if err != nil {
		return err
	}
	var words map[string]bool
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Doc == nil {
			continue
		}
		for _, c := range fn.Doc.List {
			rest, found := strings.CutPrefix(c.Text, verifies)
			if !found {
				continue
			}
			if words == nil {
				words = wordsOf(f)
			}
			if err := s.directive(path.Dir(name), fn, strings.Fields(rest), words); err != nil {
				return fmt.Errorf("%s: %w", fset.Position(c.Pos()), err)
			}
		}
	}
	return nil
}

// wordsOf returns the identifiers and the literals of a file.
func wordsOf(f *ast.File) map[string]bool {
	words := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			words[n.Name] = true
		case *ast.BasicLit:
			words[n.Value] = true
		}
		return true
	})
	return words
}

// directive adds what one line of a test's comment says.
func (s *evidenceScan) directive(
	dir string, fn *ast.FuncDecl, rest []string, words map[string]bool,
) error {
	says := new(doc.Package).Synopsis(fn.Doc.Text())
	switch {
	case !strings.HasPrefix(fn.Name.Name, "Test") && !strings.HasPrefix(fn.Name.Name, "Fuzz"):
		return fmt.Errorf("%s is not a test", fn.Name.Name)
	case says == "":
		return fmt.Errorf("%s does not say what it shows", fn.Name.Name)
	case strings.Count(says, "(") != strings.Count(says, ")"):
		return fmt.Errorf("the first sentence of %s ends within parentheses: %s", fn.Name.Name,
			says)
	case len(rest) < 2 || !slices.Contains(s.kinds, rest[0]):
		return fmt.Errorf("want a kind of evidence, one of %s, and components; got %q",
			strings.Join(s.kinds, ", "), rest)
	}
	for _, component := range rest[1:] {
		known, ok := s.menu[component]
		if !ok {
			return fmt.Errorf("%s is not on the menu", component)
		}
		if !slices.ContainsFunc(known, func(w string) bool { return words[w] }) {
			return fmt.Errorf("the file has none of %s, so that it cannot test %s",
				strings.Join(known, ", "), component)
		}
		s.lines = append(s.lines, []string{component, rest[0], dir + " " + fn.Name.Name, says})
	}
	return nil
}

// writeEvidence brings the list up to date, or only compares it, and reports whether it was not.
func writeEvidence(top string, check bool) (stale bool, err error) {
	text, err := evidence(top)
	if err != nil {
		return false, err
	}
	file := filepath.Join(top, filepath.FromSlash(evidenceFile))
	old, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return false, err
	}
	if text == string(old) {
		return false, nil
	}
	if !check {
		err = os.WriteFile(file, []byte(text), 0o666)
	}
	return true, err
}
