// Package dispatch writes a program without the interfaces that it declares, and without any: a
// value in an interface becomes a box that holds a copy, and says by a number which type it is of.
//
// All types that values in interfaces have are known, as the program is whole. So a method call
// becomes a call of a function that asks for the number and calls the method; an assertion, a type
// switch and a comparison ask for the number, too. Interfaces of other packages, and error, stay
// what they are. Nodes keep their positions; what is added stands in a file of its own, which no
// message names.
package dispatch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"

	"github.com/hansa-fl/hansa/plugins/symbols"
)

// A Program is type-checked files of one package, without type parameters.
type Program struct {
	Files []*ast.File
	Fset  *token.FileSet
	Info  *types.Info // with implicit objects
	Pkg   *types.Package
	// Refuse is told what cannot be written so, and what to do.
	Refuse func(n ast.Node, hint, format string, args ...any)
	// Prints reports whether a value of a type that the i-th argument of a call of another package
	// may hold prints as it does where it is compiled; says: it is the text that a method returns.
	Prints func(call *ast.CallExpr, i int, t types.Type, says bool) bool
}

// File is the name of the file that is added.
const File = "dispatch"

// Own reports whether a type is an interface that is written in another way: one that a package
// declares, or that has no name.
func Own(t types.Type, pkg *types.Package) bool {
	if t == nil {
		return false
	}
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return types.IsInterface(t) && t.Obj().Pkg() == pkg
	case *types.Interface:
		return true
	}
	return false
}

// Lower returns the files of a program without interfaces of its own, and one more, or the same
// ones where there are none. They are to be type-checked anew.
func Lower(p Program) []*ast.File {
	if !uses(p) {
		return p.Files
	}
	l := &lowerer{Program: p, used: map[string]bool{}, helpers: map[string]string{},
		imports: map[string]string{}, local: map[types.Object]string{},
		raw: map[types.Object]bool{}}
	l.collect()
	l.box = l.fresh("box")
	l.lib = l.fresh("lowered")
	files := make([]*ast.File, len(p.Files))
	for i, f := range p.Files {
		files[i] = l.file(f)
	}
	l.promoted()
	return append(files, l.generated())
}

// uses reports whether a program has an interface of its own.
func uses(p Program) (found bool) {
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.InterfaceType:
				found = true
			case *ast.Ident:
				o := p.Info.Uses[n]
				found = found || o != nil && o == types.Universe.Lookup("any")
			}
			return !found
		})
	}
	return found
}

// A lowerer writes one program.
type lowerer struct {
	Program
	used    map[string]bool         // names that occur
	local   map[types.Object]string // types of functions, by their names at the top
	raw     map[types.Object]bool   // variables that hold what was recovered
	box     string                  // the type of values in interfaces
	lib     string                  // the package of the functions for them
	kinds   []*kind
	methods []*method
	helpers map[string]string // functions that are added, by what they do: their names
	text    strings.Builder   // of them
	imports map[string]string // names of packages that the added file imports, by path
	paths   []string
	waiting []func()       // what is written when all types are known
	hoisted []ast.Decl     // types of functions of the file that is written
	results []*types.Tuple // of the functions around, from the outside in
	asks    []types.Type   // interfaces that a value is asked for
}

// A kind is a type that values in interfaces have.
type kind struct {
	number int
	of     types.Type
	boxed  bool     // there are values; else one is only asked for
	at     ast.Node // where one becomes an interface, of interfaces of other packages
}

// collect finds the names that occur, the types of functions, and what was recovered.
func (l *lowerer) collect() {
	for _, name := range types.Universe.Names() {
		l.used[name] = true
	}
	l.visit(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Ident:
			l.used[n.Name] = true
		case *ast.AssignStmt:
			if id, ok := n.Lhs[0].(*ast.Ident); ok && l.isRecover(n.Rhs[0]) &&
				l.Info.Defs[id] != nil {
				l.raw[l.Info.Defs[id]] = true
			}
		}
	})
	l.visit(func(n ast.Node) {
		if spec, ok := n.(*ast.TypeSpec); ok {
			o := l.Info.Defs[spec.Name]
			if o != nil && o.Parent() != l.Pkg.Scope() && spec.Name.Name != "_" {
				l.local[o] = l.fresh(spec.Name.Name)
			}
		}
	})
	for id, o := range l.Info.Defs {
		if o != nil && o.Parent() == l.Pkg.Scope() && l.isWord(id.Name) {
			l.Refuse(id, "choose another name",
				"%s is a word of the language, in a program with interfaces", id.Name)
		}
	}
}

// visit visits all nodes.
func (l *lowerer) visit(f func(ast.Node)) {
	for _, file := range l.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			f(n)
			return true
		})
	}
}

// isWord reports whether a name is one of the language that what is added may say.
func (l *lowerer) isWord(name string) bool {
	switch o := types.Universe.Lookup(name).(type) {
	case nil:
		return false
	case *types.Builtin:
		return name == "panic" || name == "len"
	default:
		return o.Name() != "any"
	}
}

// fresh returns a name that occurs nowhere.
func (l *lowerer) fresh(stem string) string {
	for i := 1; ; i++ {
		name := fmt.Sprint(stem, i)
		if !l.used[name] {
			l.used[name] = true
			return name
		}
	}
}

func (l *lowerer) own(t types.Type) bool { return Own(t, l.Pkg) }

// isRecover reports whether an expression is a call of recover.
func (l *lowerer) isRecover(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && l.isBuiltin(call.Fun, "recover")
}

func (l *lowerer) isBuiltin(e ast.Expr, name string) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	b, ok := l.Info.Uses[id].(*types.Builtin)
	return ok && b.Name() == name
}

// isRaw reports whether an expression is what was recovered, of which no box is made.
func (l *lowerer) isRaw(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && l.raw[l.Info.Uses[id]] || l.isRecover(e)
}

// kindOf returns the kind of a type.
func (l *lowerer) kindOf(t types.Type) *kind {
	for _, k := range l.kinds {
		if types.Identical(k.of, t) {
			return k
		}
	}
	k := &kind{number: len(l.kinds) + 1, of: t}
	l.kinds = append(l.kinds, k)
	return k
}

// helper returns the name of a function that is added, and writes it when it is asked for first:
// write returns its text after the name.
func (l *lowerer) helper(stem, what string, write func() string) string {
	key := stem + " " + what
	name, ok := l.helpers[key]
	if !ok {
		name = l.fresh(stem)
		l.helpers[key] = name
		l.waiting = append(l.waiting, func() {
			fmt.Fprintf(&l.text, "\nfunc %s%s\n", name, write())
		})
	}
	return name
}

// generated returns the file with all that is added.
func (l *lowerer) generated() *ast.File {
	for len(l.waiting) > 0 {
		next := l.waiting[0]
		l.waiting = l.waiting[1:]
		next()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport %s %q\n", l.Pkg.Name(), l.lib, symbols.Lowered)
	for _, path := range l.paths {
		fmt.Fprintf(&b, "import %s %q\n", l.imports[path], path)
	}
	fmt.Fprintf(&b, "\ntype %s = *%s.Box\n%s", l.box, l.lib, l.text.String())
	f, err := parser.ParseFile(l.Fset, File, b.String(), parser.SkipObjectResolution)
	if err != nil { // a type of the program is written wrongly
		l.Refuse(l.Files[0].Name, "use simpler types", "an interface is not interpreted: %v", err)
	}
	return f
}
