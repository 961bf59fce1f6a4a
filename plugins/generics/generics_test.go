package generics

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"strings"
	"testing"

	_ "github.com/hansa-fl/hansa/plugins/asked" // the flags of all tests of strategies
)

// A checked program is one file that was type-checked and expanded.
type checked struct {
	fset    *token.FileSet
	file    *ast.File
	pkg     *types.Package
	info    *types.Info
	refused []string
}

// expand type-checks a file, expands it and type-checks it anew.
func expand(t *testing.T, text string) checked {
	t.Helper()
	c := checked{fset: token.NewFileSet()}
	was, err := parser.ParseFile(c.fset, "x.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	check := func(f *ast.File) {
		c.info = &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
			Uses: map[*ast.Ident]types.Object{}, Instances: map[*ast.Ident]types.Instance{},
		}
		conf := types.Config{GoVersion: "go1.26"}
		if c.pkg, err = conf.Check("x", c.fset, []*ast.File{f}, c.info); err != nil {
			t.Fatalf("%v\n%s", err, printed(c.fset, f))
		}
	}
	check(was)
	files := Expand(Program{Files: []*ast.File{was}, Info: c.info, Pkg: c.pkg,
		Refuse: func(_ ast.Node, _, format string, args ...any) {
			c.refused = append(c.refused, fmt.Sprintf(format, args...))
		}})
	c.file = files[0]
	if c.refused == nil {
		check(c.file)
	}
	return c
}

// printed returns the text of a file, one declaration after the other.
func printed(fset *token.FileSet, f *ast.File) string {
	var b strings.Builder
	for _, d := range f.Decls {
		if err := printer.Fprint(&b, fset, d); err != nil {
			b.WriteString(err.Error())
		}
		b.WriteByte('\n')
	}
	return strings.ReplaceAll(b.String(), "\t", " ")
}

const sample = `package x

type number interface{ ~int | ~float64 }

func sum[T number](xs ...T) (s T) {
	for _, x := range xs {
		s += x
	}
	return s * T(3)
}

type list[E any] struct {
	value E
	next  *list[E]
}

func (l *list[U]) push(v U) *list[U] { return &list[U]{v, l} }

type both[K comparable, V any] struct {
	list[V]
	keys map[K]list[list[V]]
}

type celsius float64

func apply[A, B any](xs []A, f func(A) B) (ys []B) {
	for _, x := range xs {
		ys = append(ys, f(x))
	}
	return ys
}

func never[T any]() {}

func use() (int, float64, celsius) {
	int := 2
	var b both[string, celsius]
	b.list.push(1).push(2)
	b.push(3)
	c := both[string, celsius]{list: list[celsius]{value: 4}}
	_ = c
	apply([]celsius{1}, func(x celsius) list[float64] { return list[float64]{value: float64(x)} })
	f := sum[float64]
	return sum(int), f(1.5), sum(b.value)
}
`

// What is generic is written once for every list of arguments, and nothing generic is left.
func TestExpand(t *testing.T) {
	c := expand(t, sample)
	text := printed(c.fset, c.file)
	for _, want := range []string{
		"func sum1(xs ...type", "func sum2(xs ...type", "func sum3(xs ...type",
		"return s * func() type", "= float64\n", "= celsius\n", "= list1\n",
		"b.list1.push(1).push(2)", "{list1: list1{value: 4}}", "f := sum",
		"func (l *list1) push(v type",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	for _, gone := range []string{"never", "sum4", "number", "[T", "[E", "[U"} {
		if strings.Contains(text, gone) {
			t.Errorf("%q is in\n%s", gone, text)
		}
	}
	if n := len(c.info.Instances); n > 0 {
		t.Errorf("%d instances are left", n)
	}
	ast.Inspect(c.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncType:
			if n.TypeParams != nil {
				t.Errorf("a function with type parameters is left")
			}
		case *ast.TypeSpec:
			if n.TypeParams != nil {
				t.Errorf("%s has type parameters", n.Name.Name)
			}
		}
		return true
	})
}

// Every statement of an instance lies where it lies in what is generic.
func TestPositionsStay(t *testing.T) {
	c := expand(t, sample)
	lines := strings.Split(sample, "\n")
	found := 0
	for _, d := range c.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || !strings.HasPrefix(f.Name.Name, "sum") {
			continue
		}
		loop := f.Body.List[0].(*ast.RangeStmt)
		at := c.fset.Position(loop.Body.List[0].Pos())
		if line := strings.TrimSpace(lines[at.Line-1]); line != "s += x" {
			t.Errorf("the body of %s lies at %q", f.Name.Name, line)
		}
		found++
	}
	if found != 3 {
		t.Errorf("%d instances of sum", found)
	}
}

// Files in which nothing is generic are left as they are; one that keeps a generic package-level
// thing unused loses it.
func TestNothingGeneric(t *testing.T) {
	c := expand(t, "package x\n\ntype i interface{ f() }\n\nfunc f(i) {}\n")
	if text := printed(c.fset, c.file); !strings.Contains(text, "type i interface") {
		t.Errorf("something is lost:\n%s", text)
	}
}

// A constant that is converted to a type parameter is none: it may overflow, and is rounded.
func TestConstantsBecomeVariables(t *testing.T) {
	c := expand(t, `package x

func over[T ~uint8 | ~uint16]() T { return T(255) + T(1) }

func use() (uint8, uint16) { return over[uint8](), over[uint16]() }
`)
	if text := printed(c.fset, c.file); strings.Count(text, "func() type") != 4 {
		t.Errorf("constants are left:\n%s", text)
	}
}

// What cannot be written at the top of a package is refused.
func TestRefused(t *testing.T) {
	c := expand(t, `package x

func f[T any](T) {}

func use() {
	type local int
	f(local(1))
	f([]local{})
}
`)
	if len(c.refused) != 2 || c.refused[0] != "a type of a function is a type argument" {
		t.Errorf("refused: %q", c.refused)
	}
}

// Names for the same type make the same instance: what is assigned from one to the other still is.
func TestNamesOfOneTypeMakeOneInstance(t *testing.T) {
	c := expand(t, `package x

type box[T any] struct{ value T }

type letter = rune

var (
	a box[byte]
	b box[uint8] = a
	c box[[]letter]
	d box[[]int32] = c
	e box[func(byte) letter]
	f box[func(uint8) int32] = e
)
`)
	for _, pair := range [][2]string{{"a", "b"}, {"c", "d"}, {"e", "f"}} {
		of := func(name string) types.Type { return c.pkg.Scope().Lookup(name).Type() }
		if x, y := of(pair[0]), of(pair[1]); !types.Identical(x, y) {
			t.Errorf("%s is of type %v, %s of type %v", pair[0], x, pair[1], y)
		}
	}
}
