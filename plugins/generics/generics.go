// Package generics writes out generic functions and types: once for every list of type arguments
// that a program uses them with, as if they had been written for those types. What is left is a
// program without type parameters, that does the same.
//
// Nodes keep their positions, so that whatever is said of an instance names a line of the generic
// function. A constant that is converted to a type parameter is none any more, by the
// specification, and is none here either.
package generics

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A Program is type-checked files of one package.
type Program struct {
	Files []*ast.File
	Info  *types.Info
	Pkg   *types.Package
	// Refuse is told what cannot be written out, and what to do.
	Refuse func(n ast.Node, hint, format string, args ...any)
	// Most is how many lists of type arguments there may be, of all that is generic; 0: any number.
	// Exceeds is told once where there is one more, and nothing is written after that.
	Most    int
	Exceeds func(n ast.Node)
}

// Expand returns the files of a program without type parameters, or the same ones where there
// are none. They are to be type-checked anew.
func Expand(p Program) []*ast.File {
	x := &expander{Program: p, used: map[string]bool{}, decls: map[types.Object]declaration{},
		methods: map[types.Object][]declaration{}, names: map[string]string{},
		aliases: map[string]string{}, imports: map[string]string{}}
	if !x.collect() {
		return p.Files
	}
	files := make([]*ast.File, len(p.Files))
	for i, f := range p.Files {
		plain := *f
		plain.Decls = nil
		for _, d := range f.Decls {
			if d = x.withoutGenerics(d); d != nil {
				plain.Decls = append(plain.Decls, copyOf(x, i, environment{}, d))
			}
		}
		files[i] = &plain
	}
	for len(x.waiting) > 0 {
		next := x.waiting[0]
		x.waiting = x.waiting[1:]
		x.write(next)
	}
	for _, a := range x.declared {
		files[a.index].Decls = append(files[a.index].Decls, a.decl)
	}
	dropConstraints(files)
	return files
}

// An expander expands one program.
type expander struct {
	Program
	used    map[string]bool // names that occur
	decls   map[types.Object]declaration
	methods map[types.Object][]declaration // of generic types
	names   map[string]string              // instances, by what they are instances of
	aliases map[string]string              // names of type arguments, by what they are
	imports map[string]string              // names of packages that are imported, by file and path
	waiting []instance
	// declared is what the files have more.
	declared []added
}

// An added declaration is one more in a file.
type added struct {
	index int
	decl  ast.Decl
}

// A place is a node of a file.
type place struct {
	index int
	node  ast.Node
}

// A declaration is one of something generic: of a function, a method, or a type.
type declaration struct {
	index int // of the file
	fun   *ast.FuncDecl
	typ   *ast.TypeSpec
}

// An environment is what type parameters stand for: names of types.
type environment map[*types.TypeParam]string

// An instance is something generic with type arguments, which is to be written.
type instance struct {
	declaration
	object types.Object
	name   string
	args   []string // the names of the type arguments
}

// collect finds the names and what is generic. It reports whether anything is.
func (x *expander) collect() bool {
	for i, f := range x.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				x.used[n.Name] = true
			case *ast.TypeSpec:
				if o := x.Info.Defs[n.Name]; n.TypeParams != nil && o.Parent() == x.Pkg.Scope() {
					x.decls[o] = declaration{index: i, typ: n}
				}
			case *ast.FuncDecl:
				x.collectFunc(i, n)
			}
			return true
		})
	}
	return len(x.decls) > 0
}

func (x *expander) collectFunc(index int, n *ast.FuncDecl) {
	f, ok := x.Info.Defs[n.Name].(*types.Func)
	switch {
	case !ok:
	case n.Type.TypeParams != nil:
		x.decls[f] = declaration{index: index, fun: n}
	case f.Signature().RecvTypeParams().Len() > 0:
		of := receiver(f.Signature()).Origin().Obj()
		x.methods[of] = append(x.methods[of], declaration{index: index, fun: n})
	}
}

// receiver returns the type that a method is of.
func receiver(sig *types.Signature) *types.Named {
	t := types.Unalias(sig.Recv().Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	return t.(*types.Named)
}

// withoutGenerics returns a declaration without what is generic in it, or nil when nothing is
// left.
func (x *expander) withoutGenerics(d ast.Decl) ast.Decl {
	switch d := d.(type) {
	case *ast.FuncDecl:
		f, ok := x.Info.Defs[d.Name].(*types.Func)
		if ok && (d.Type.TypeParams != nil || f.Signature().RecvTypeParams().Len() > 0) {
			return nil
		}
	case *ast.GenDecl:
		if d.Tok != token.TYPE {
			return d
		}
		kept := *d
		kept.Specs = slices.DeleteFunc(slices.Clone(d.Specs), func(s ast.Spec) bool {
			return s.(*ast.TypeSpec).TypeParams != nil
		})
		if len(kept.Specs) == 0 {
			return nil
		}
		return &kept
	}
	return d
}

// fresh returns a name that occurs nowhere.
func (x *expander) fresh(stem string) string {
	for i := 1; ; i++ {
		name := fmt.Sprint(stem, i)
		if !x.used[name] {
			x.used[name] = true
			return name
		}
	}
}

// instanceOf returns the name of an instance of something generic.
func (x *expander) instanceOf(o types.Object, args []string, at place) string {
	key := o.Name() + "[" + strings.Join(args, ",") + "]"
	if name, ok := x.names[key]; ok {
		return name
	}
	d, ok := x.decls[o]
	if !ok {
		x.Refuse(at.node, concrete, "%s is generic within a function", o.Name())
		return o.Name()
	}
	name := x.fresh(o.Name())
	x.names[key] = name
	if x.Most > 0 && len(x.names) > x.Most {
		if len(x.names) == x.Most+1 {
			x.Exceeds(at.node)
		}
		return name
	}
	x.waiting = append(x.waiting, instance{declaration: d, object: o, name: name, args: args})
	return name
}

// write writes an instance.
func (x *expander) write(in instance) {
	if in.fun != nil {
		sig := in.object.(*types.Func).Signature()
		plain := *in.fun
		head := *in.fun.Type
		head.TypeParams = nil
		plain.Type = &head
		d := copyOf(x, in.index, environmentOf(sig.TypeParams(), in.args), &plain)
		d.Name.Name = in.name
		x.declared = append(x.declared, added{in.index, d})
		return
	}
	named := in.object.Type().(interface{ TypeParams() *types.TypeParamList })
	plain := *in.typ
	plain.TypeParams = nil
	spec := copyOf(x, in.index, environmentOf(named.TypeParams(), in.args), &plain)
	spec.Name.Name = in.name
	x.declared = append(x.declared, added{in.index,
		&ast.GenDecl{Tok: token.TYPE, TokPos: in.typ.Pos(), Specs: []ast.Spec{spec}}})
	for _, m := range x.methods[in.object] {
		sig := x.Info.Defs[m.fun.Name].(*types.Func).Signature()
		d := copyOf(x, m.index, environmentOf(sig.RecvTypeParams(), in.args), m.fun)
		d.Recv.List[0].Type = receiverType(m.fun.Recv.List[0].Type, in.name)
		x.declared = append(x.declared, added{m.index, d})
	}
}

// receiverType returns the type of the receiver of a method of an instance.
func receiverType(was ast.Expr, name string) ast.Expr {
	switch was := was.(type) {
	case *ast.ParenExpr:
		return receiverType(was.X, name)
	case *ast.StarExpr:
		return &ast.StarExpr{Star: was.Star, X: receiverType(was.X, name)}
	}
	return &ast.Ident{NamePos: was.Pos(), Name: name}
}

func environmentOf(params *types.TypeParamList, args []string) environment {
	env := environment{}
	for i, p := range slices.Collect(params.TypeParams()) {
		env[p] = args[i]
	}
	return env
}
