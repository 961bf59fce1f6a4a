package corpora

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/plugins/symbols"
)

// Recorder is the package that programs print with, instead of what they did.
const Recorder = "recorder"

// Declared declares Recorder for the type checker.
const Declared = `package recorder

func Print(args ...any) (n int, err error)
func Printf(layout string, args ...any) (n int, err error)
func Println(args ...any) (n int, err error)
func Text(args ...any) string
func Sorted(list []string) string
func Exit(code int)
`

// Compiled is Recorder for the compiler.
const Compiled = `package recorder

import (
	"fmt"
	"slices"
)

func Print(args ...any) (n int, err error) { return fmt.Print(args...) }

func Printf(layout string, args ...any) (n int, err error) { return fmt.Printf(layout, args...) }

func Println(args ...any) (n int, err error) { return fmt.Println(args...) }

func Text(args ...any) string { return fmt.Sprint(args...) + " " }

func Sorted(list []string) string {
	slices.Sort(list)
	return fmt.Sprint(list)
}

func Exit(code int) {
	fmt.Println("exit", code)
	panic("exit")
}
`

// Values are the functions of Recorder, which write to w. After exit nothing is to follow.
func Values(w io.Writer, exit func()) map[string]any {
	return map[string]any{
		"Print": func(args ...any) (int, error) { return fmt.Fprint(w, args...) },
		"Printf": func(layout string, args ...any) (int, error) {
			return fmt.Fprintf(w, layout, args...)
		},
		"Println": func(args ...any) (int, error) { return fmt.Fprintln(w, args...) },
		"Text":    func(args ...any) string { return fmt.Sprint(args...) + " " },
		"Sorted": func(list []string) string {
			slices.Sort(list)
			return fmt.Sprint(list)
		},
		"Exit": func(code int) {
			fmt.Fprintln(w, "exit", code)
			exit()
		},
	}
}

// printing declares what programs print and end with, and Recorder replaces: fmt has it beside
// what the dialect has of fmt.
var printing = map[string]string{
	"fmt": `
func Print(a ...any) (n int, err error)
func Printf(format string, a ...any) (n int, err error)
func Println(a ...any) (n int, err error)
func Fprint(w writer, a ...any) (n int, err error)
func Fprintf(w writer, format string, a ...any) (n int, err error)
func Fprintln(w writer, a ...any) (n int, err error)

type writer interface{ Write(p []byte) (n int, err error) }
`,
	"os": `package os

type File struct{ file int }

func (f *File) Write(b []byte) (n int, err error)

var Stdout, Stderr *File

func Exit(code int)
`,
}

// declaration returns the declarations of a package that programs may import.
func declaration(path string) (string, bool) {
	text, ok := symbols.Declaration(path)
	if more := printing[path]; more != "" {
		return text + more, true
	}
	return text, ok && !strings.Contains(path, "hansa")
}

// An importer type-checks declarations of packages.
type importer map[string]*types.Package

// Import implements types.Importer.
func (m importer) Import(path string) (*types.Package, error) {
	if p := m[path]; p != nil {
		return p, nil
	}
	text, ok := declaration(path)
	if !ok {
		return nil, fmt.Errorf("%s is not in the dialect", path)
	}
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	conf := types.Config{Importer: m, IgnoreFuncBodies: true}
	p, err := conf.Check(path, fset, []*ast.File{tree}, nil)
	m[path] = p
	return p, err
}
