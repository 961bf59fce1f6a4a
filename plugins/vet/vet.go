// Package vet reads a strategy: it type-checks its files against the declarations of what a
// strategy may use, refuses what strategies are not to do and what cannot be written in the core
// language, and has the rest written in that.
//
// The interpreter, yaegi v0.16.1, silently miscomputes ordinary Go. So it reads nothing but the
// core, which package normal writes. A rule refuses what is outside and says what to write
// instead. Both are kept honest by random programs that are compiled and interpreted and must
// agree.
package vet

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins/dispatch"
	"github.com/hansa-fl/hansa/plugins/normal"
	"github.com/hansa-fl/hansa/plugins/symbols"
)

// A File is one file of a strategy.
type File struct {
	Name string // as the user calls it
	Text string
}

// Language is the version of Go that strategies are written in.
const Language = "go1.26"

// Check vets the files of one strategy, which are sorted by name. It returns the strategy, or
// all that is wrong with it.
func Check(files []File) (*Package, study.Problems) { return check(files, scope{}) }

// ownPath is the import path of the strategy, which is that of no other package.
const ownPath = "the strategy"

// CheckProgram vets files that describe no component and may change package-level variables,
// against more packages, given by their declarations. It is for tests of the dialect.
func CheckProgram(files []File, more map[string]string) (*Package, study.Problems) {
	return check(files, scope{declared: more, plain: true})
}

// A scope is what tests change of the rules.
type scope struct {
	declared map[string]string // packages that may be imported beside those of the policy
	plain    bool              // there need be no entry, and package-level variables may change
}

func check(files []File, in scope) (*Package, study.Problems) {
	c := &checker{scope: in, fset: token.NewFileSet(), parent: map[ast.Node]ast.Node{},
		info: newInfo()}
	for i := range files {
		c.parse(i, &files[i])
	}
	if len(c.problems) == 0 && !c.plain {
		c.exceeds()
	}
	if len(c.problems) > 0 {
		return nil, c.problems
	}
	c.imports()
	c.types()
	if len(c.problems) > 0 {
		return nil, c.problems
	}
	for _, s := range c.sources {
		c.findParents(s)
	}
	for _, s := range c.sources {
		c.file(s)
	}
	p := &Package{Name: c.pkg.Name(), files: files, functions: c.functions()}
	if len(c.problems) == 0 {
		p.Core = c.core()
	}
	p.Recovers = strings.Contains(p.Core, normal.Panics)
	p.Entries = c.entries()
	if len(c.problems) > 0 {
		return nil, c.problems
	}
	return p, nil
}

// core writes the strategy in the core language.
func (c *checker) core() string {
	trees, info, pkg := c.withoutInterfaces()
	if len(c.problems) > 0 {
		return ""
	}
	return normal.Core(normal.Strategy{Files: trees, Fset: c.fset, Info: info, Pkg: pkg,
		Refuse: c.refuse,
		Position: func(at token.Pos) int {
			place := c.fset.Position(at)
			if place.Filename == dispatch.File {
				return normal.Nowhere
			}
			return Position(c.sourceOf(at).index, place.Line)
		},
	})
}

// newInfo returns room for what the type checker finds.
func newInfo() *types.Info {
	return &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Instances: map[*ast.Ident]types.Instance{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
		Implicits:  map[ast.Node]types.Object{},
		Scopes:     map[ast.Node]*types.Scope{},
	}
}

// A source is one file while it is checked.
type source struct {
	*File
	index int
	tree  *ast.File
}

// A checker checks one strategy.
type checker struct {
	scope
	fset     *token.FileSet
	sources  []*source
	info     *types.Info
	pkg      *types.Package
	parent   map[ast.Node]ast.Node
	problems study.Problems
}

// parse reads one file and reports what is no Go.
func (c *checker) parse(index int, f *File) {
	s := &source{File: f, index: index}
	c.sources = append(c.sources, s)
	mode := parser.ParseComments | parser.AllErrors | parser.SkipObjectResolution
	tree, err := parser.ParseFile(c.fset, f.Name, f.Text, mode)
	s.tree = tree
	list, _ := err.(scanner.ErrorList)
	for _, e := range list {
		at := place(&f.Text, f.Name, e.Pos.Offset, 0)
		c.problems = append(c.problems, study.Problem{Pos: at, Message: e.Msg})
	}
	if err != nil && list == nil {
		c.problems = append(c.problems, study.Problem{Pos: study.Pos{File: f.Name},
			Message: err.Error()})
	}
}

// imports refuses packages that are not for strategies.
func (c *checker) imports() {
	for _, s := range c.sources {
		for _, spec := range s.tree.Imports {
			path := importPath(spec)
			if _, ok := c.declaration(path); !ok {
				c.refuse(spec.Path, c.instead(path), "strategies may not import %q", path)
			}
			if spec.Name != nil && (spec.Name.Name == "." || spec.Name.Name == "_") {
				c.refuse(spec, "give it a name, or none", "import as %s", spec.Name.Name)
			}
		}
	}
}

// declaration returns the declarations of a package that may be imported.
func (c *checker) declaration(path string) (string, bool) {
	if text, ok := c.declared[path]; ok {
		return text, true
	}
	return symbols.Declaration(path)
}

// types type-checks the strategy and reports what the compiler would.
func (c *checker) types() {
	trees := make([]*ast.File, len(c.sources))
	for i, s := range c.sources {
		trees[i] = s.tree
	}
	conf := types.Config{GoVersion: Language, Importer: newImporter(c), Error: c.typeError}
	// What is wrong was told to typeError.
	c.pkg, _ = conf.Check(ownPath, c.fset, trees, c.info)
	c.writeOutGenerics(trees)
	if len(c.problems) == 0 && !c.plain {
		c.exceedsParts()
	}
}

// findParents remembers what holds each node.
func (c *checker) findParents(s *source) {
	var stack []ast.Node
	ast.Inspect(s.tree, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if len(stack) > 0 {
			c.parent[n] = stack[len(stack)-1]
		}
		stack = append(stack, n)
		return true
	})
}

// holders yields what holds a node, from the inside out.
func (c *checker) holders(n ast.Node) func(yield func(ast.Node) bool) {
	return func(yield func(ast.Node) bool) {
		for p := c.parent[n]; p != nil && yield(p); p = c.parent[p] {
		}
	}
}

// sourceOf returns the file that a place lies in.
func (c *checker) sourceOf(at token.Pos) *source {
	name := c.fset.Position(at).Filename
	i := slices.IndexFunc(c.sources, func(s *source) bool { return s.Name == name })
	return c.sources[i]
}
