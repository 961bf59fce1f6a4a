package rewrite

import (
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"strings"
	"testing"

	_ "github.com/hansa-fl/hansa/plugins/asked" // the flags of all tests of strategies
)

const program = `package p

type pair struct{ a, b int }

var (
	bytes  []byte
	octets []uint8
	fun    func(x int, rest ...*pair) (map[string][3]rune, error)
	one    func() (result float64)
	empty  struct{}
	fields struct {
		pair
		n int "tag"
	}
	rule interface {
		Norm(v []float64) float64
		less(other *pair) bool
	}
)

// f has all kinds of statements.
func f(n int) (sum int) {
	for i := range n {
		switch { // a comment
		case i > 2 && n != 7:
			sum += i
		default:
			defer func() { sum++ }()
		}
	}
	return (sum)
}
`

func parsed(t *testing.T) (*token.FileSet, *ast.File, *types.Package) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", program, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := new(types.Config).Check("p", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return fset, file, pkg
}

// A copy prints as what it was copied from, at the same positions, and shares no node with it.
func TestCopies(t *testing.T) {
	fset, file, _ := parsed(t)
	original := map[ast.Node]bool{}
	positions := map[token.Pos]int{}
	ast.Inspect(file, func(n ast.Node) bool {
		if n != nil {
			original[n] = true
			positions[n.Pos()]++
		}
		return true
	})
	leave := func(ast.Node) ast.Node { return nil }
	to := Copy(Copier{Held: leave, Node: leave}, file)
	to.Comments = file.Comments
	ast.Inspect(to, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.CommentGroup, *ast.Comment:
			return false
		}
		if original[n] {
			t.Errorf("%T is shared", n)
		}
		if positions[n.Pos()] == 0 {
			t.Errorf("%T has moved", n)
		}
		return true
	})
	if got, want := text(t, fset, to), text(t, fset, file); got != want {
		t.Errorf("the copy is\n%s", got)
	}
}

// What the functions return stands where the node was, and is not looked at again.
func TestCopiesReplace(t *testing.T) {
	fset, file, _ := parsed(t)
	c := Copier{Held: func(n ast.Node) ast.Node {
		if b, ok := n.(*ast.BasicLit); ok && b.Value == "7" {
			return &ast.BasicLit{Kind: token.INT, Value: "8"}
		}
		return nil
	}, Node: func(n ast.Node) ast.Node {
		if id, ok := n.(*ast.Ident); ok && id.Name == "sum" {
			return &ast.Ident{NamePos: id.NamePos, Name: "all"}
		}
		return nil
	}}
	got := text(t, fset, Copy(c, file))
	want := strings.NewReplacer("sum", "all", "7", "8").Replace(text(t, fset, file))
	if got != want {
		t.Errorf("the copy is\n%s\nwant\n%s", got, want)
	}
	if before := text(t, fset, file); !strings.Contains(before, "sum += i") {
		t.Errorf("the original is\n%s", before)
	}
}

func text(t *testing.T, fset *token.FileSet, file *ast.File) string {
	t.Helper()
	var b strings.Builder
	plain := *file
	plain.Comments = nil
	if err := printer.Fprint(&b, fset, &plain); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Types are written as Go has them, and alike when they are the same.
func TestTypes(t *testing.T) {
	_, _, pkg := parsed(t)
	for name, want := range map[string]string{
		"bytes":  "[]uint8",
		"octets": "[]uint8",
		"fun":    "func(int, ...*p.pair) (map[string][3]int32, error)",
		"one":    "func() float64",
		"empty":  "struct {}",
		"fields": `struct { p.pair; n int "tag" }`,
		"rule":   "interface { Norm([]float64) float64; p.less(*p.pair) bool }",
	} {
		w := &Types{Qualified: true}
		w.Special = func(t types.Type) bool {
			named, ok := t.(*types.Named)
			if ok && named.Obj().Pkg() != nil {
				w.WriteString("p.")
			}
			if ok {
				w.WriteString(named.Obj().Name())
			}
			return ok
		}
		if w.Type(pkg.Scope().Lookup(name).Type()); w.String() != want {
			t.Errorf("%s is %s, want %s", name, w, want)
		}
	}
}
