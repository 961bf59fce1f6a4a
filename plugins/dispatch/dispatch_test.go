package dispatch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	_ "github.com/hansa-fl/hansa/plugins/asked" // the flags of all tests of strategies
	"github.com/hansa-fl/hansa/plugins/symbols"
)

// A lowered program is one file that was type-checked and lowered.
type lowered struct {
	fset    *token.FileSet
	was     *ast.File
	files   []*ast.File
	refused []string
}

// lower type-checks a file and lowers it.
func lower(t *testing.T, text string) *lowered {
	t.Helper()
	l := &lowered{fset: token.NewFileSet()}
	var err error
	if l.was, err = parser.ParseFile(l.fset, "x.go", text, parser.SkipObjectResolution); err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
		Implicits:  map[ast.Node]types.Object{}}
	conf := types.Config{GoVersion: "go1.26", Importer: boxes{}}
	pkg, err := conf.Check("x", l.fset, []*ast.File{l.was}, info)
	if err != nil {
		t.Fatal(err)
	}
	l.files = Lower(Program{Files: []*ast.File{l.was}, Fset: l.fset, Info: info, Pkg: pkg,
		Prints: func(*ast.CallExpr, int, types.Type, bool) bool { return true },
		Refuse: func(_ ast.Node, _, format string, args ...any) {
			l.refused = append(l.refused, fmt.Sprintf(format, args...))
		}})
	if l.refused == nil {
		if _, err := conf.Check("x", l.fset, l.files, nil); err != nil {
			t.Error(err)
		}
	}
	return l
}

// boxes imports what the added file needs, and what strategies may import.
type boxes struct{}

// Import implements types.Importer.
func (b boxes) Import(path string) (*types.Package, error) {
	text, _ := symbols.Declaration(path)
	if path == symbols.Lowered {
		text = symbols.Boxes
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, text, 0)
	if err != nil {
		return nil, err
	}
	conf := types.Config{IgnoreFuncBodies: true, Importer: b}
	return conf.Check(path, fset, []*ast.File{f}, nil)
}

const sample = `package x

import "fmt"

type shape interface {
	area() float64
	named
}

type named interface{ name(more ...any) string }

type square struct{ s float64 }

func (s square) area() float64           { return s.s }
func (s square) name(more ...any) string { return fmt.Sprint(more...) }

type wrap struct {
	shape
	in any
}

func first(list ...shape) (shape, error) {
	type local struct{ x any }
	const n = 2
	type lots [n]local
	var l any = lots{}
	if m, ok := l.(lots); ok && m == l {
		return nil, nil
	}
	return list[0], nil
}

func use(v any) any {
	var s shape = square{2}
	w := wrap{s, v}
	f := w.name
	g := shape.area
	var x, err = first(w, s)
	switch y := v.(type) {
	case shape, nil:
		defer x.name(y, err)
	case int:
		return g(s) > float64(y)
	case error:
		return y.Error()
	}
	switch x, ok := v.(named); v {
	case 1, "a", x:
		return ok
	}
	return []any{f(1), struct{ any }{v}, map[string]shape{"w": w}, x == s, err != nil}
}
`

// What is lowered has no interfaces, type assertions and type switches, and every node stands where
// it stood.
func TestLower(t *testing.T) {
	l := lower(t, sample)
	if l.refused != nil || len(l.files) != 2 {
		t.Fatalf("%d files, refused: %v", len(l.files), l.refused)
	}
	first, last := l.was.FileStart, l.was.FileEnd
	ast.Inspect(l.files[0], func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
		case *ast.InterfaceType, *ast.TypeAssertExpr, *ast.TypeSwitchStmt:
			t.Errorf("%s: %T", l.fset.Position(n.Pos()), n)
		default:
			if n.Pos() < first || n.Pos() > last {
				t.Errorf("%T stands at %s", n, l.fset.Position(n.Pos()))
			}
		}
		return true
	})
	if at := l.fset.Position(l.files[1].Package); at.Filename != File {
		t.Errorf("what is added stands in %s", at)
	}
}

// A program without interfaces of its own stays what it is.
func TestNothingToLower(t *testing.T) {
	l := lower(t, "package x\n\nimport \"errors\"\n\nfunc f() error { return errors.New(\"e\") }\n")
	if len(l.files) != 1 || l.files[0] != l.was {
		t.Errorf("%d files", len(l.files))
	}
}

// What may hide in an interface of another package does not go into a box.
func TestWhatHidesIsRefused(t *testing.T) {
	const top = "package x\n\nimport \"strconv\"\n\nvar _ = strconv.Itoa\n\n"
	for body, want := range map[string]string{
		"func f(err error) any { return err }": "",
		"func f(err error) any { return err }\nfunc g(x any) bool { _, ok := x.(*strconv.NumError); " +
			"return ok }": "what may be a *strconv.NumError becomes another interface",
		"func f(err error) any { return err }\nfunc g(x any) bool { " +
			"_, ok := x.(interface{ Unwrap() error }); return ok }": "what may have a method " +
			"Unwrap becomes another interface",
		"func f(err error) any { return err }\ntype own struct{}\nfunc (*own) Error() string " +
			"{ return \"\" }": "what may be a *x.own becomes another interface",
		"type own int\nfunc (own) Error() string { return \"\" }\nfunc g(x any) error " +
			"{ return x.(error) }": "a x.own becomes an interface of another package",
	} {
		l := lower(t, top+body)
		if got := strings.Join(l.refused, "; "); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", body, got, want)
		}
	}
}

// Types are called what Go calls them when it panics.
func TestSpokenTypes(t *testing.T) {
	l := &lowerer{Program: Program{Pkg: types.NewPackage("x", "x")}}
	for text, want := range map[string]string{
		"any":                                     "interface {}",
		"interface{ m(int); N() error }":          "interface { N() error; x.m(int) }",
		"struct{}":                                "struct {}",
		"struct{ a int; B []any }":                "struct { a int; B []interface {} }",
		"func(int, ...string) (bool, error)":      "func(int, ...string) (bool, error)",
		"map[[2]byte]*func()":                     "map[[2]uint8]*func()",
		"[]rune":                                  "[]int32",
		"struct{ x float64 `json:\"a\"` }":        "struct { x float64 \"json:\\\"a\\\"\" }",
		"func() func(a, b float32) (c complex64)": "func() func(float32, float32) complex64",
	} {
		tv, err := types.Eval(token.NewFileSet(), l.Pkg, token.NoPos, text)
		if err != nil {
			t.Fatal(err)
		}
		if got := l.spoken(tv.Type); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
