package dispatch

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/hansa-fl/hansa/plugins/rewrite"
)

// file returns a file without interfaces.
func (l *lowerer) file(f *ast.File) *ast.File {
	to := *f
	l.hoisted = nil
	to.Decls = nil
	for _, d := range f.Decls {
		to.Decls = append(to.Decls, rewrite.Copy(l.copier(), d))
	}
	to.Decls = append(to.Decls, l.hoisted...)
	return &to
}

// copier copies nodes.
func (l *lowerer) copier() rewrite.Copier { return rewrite.Copier{Held: l.member, Node: l.node} }

// member copies an expression or a statement.
func (l *lowerer) member(n ast.Node) ast.Node {
	switch n := n.(type) {
	case ast.Expr:
		return l.expr(n)
	case ast.Stmt:
		return l.stmt(n)
	}
	return nil
}

// node copies what has a way of its own.
func (l *lowerer) node(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.Ident:
		return l.ident(n)
	case *ast.FuncDecl:
		defer l.enters(l.Info.Defs[n.Name].(*types.Func).Signature())()
		return rewrite.Parts(l.copier(), n)
	case *ast.FuncLit:
		defer l.enters(l.Info.TypeOf(n).(*types.Signature))()
		return rewrite.Parts(l.copier(), n)
	case *ast.GenDecl:
		return l.general(n)
	case *ast.StructType:
		return l.structure(n)
	}
	return nil
}

// copied copies an expression by its parts, unless its node has a way of its own.
func (l *lowerer) copied(e ast.Expr) ast.Expr {
	if to := l.node(e); to != nil {
		return to.(ast.Expr)
	}
	return rewrite.Parts(l.copier(), e)
}

// enters notes that a function is written, until what it returns is called.
func (l *lowerer) enters(sig *types.Signature) (leave func()) {
	l.results = append(l.results, sig.Results())
	return func() { l.results = l.results[:len(l.results)-1] }
}

// ident copies a name. Types of functions have others.
func (l *lowerer) ident(id *ast.Ident) *ast.Ident {
	to := &ast.Ident{NamePos: id.NamePos, Name: id.Name}
	o := l.Info.ObjectOf(id)
	if v, ok := o.(*types.Var); ok && v.Embedded() {
		o = embedded(v.Type())
	}
	if name, ok := l.local[o]; ok {
		to.Name = name
	} else if o != nil && o == types.Universe.Lookup("any") {
		to.Name = l.box
	}
	return to
}

// embedded returns the name of a type that a field is called after.
func embedded(t types.Type) types.Object {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if named, ok := types.Unalias(t).(*types.Named); ok && !types.IsInterface(t) {
		return named.Obj()
	}
	return nil
}

// general copies a declaration. What is an interface becomes another name for boxes, and what a
// function declares stands at the top.
func (l *lowerer) general(d *ast.GenDecl) *ast.GenDecl {
	to := *d
	to.Specs = nil
	for _, s := range d.Specs {
		spec, ok := s.(*ast.TypeSpec)
		if !ok {
			to.Specs = append(to.Specs, l.spec(s))
			continue
		}
		o := l.Info.Defs[spec.Name]
		if o != nil && !constrains(o.Type()) {
			to.Specs = append(to.Specs, l.typeSpec(spec, o))
		}
	}
	return &to
}

// constrains reports whether an interface is one of constraints alone, which nothing names any
// more.
func constrains(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && !i.IsMethodSet()
}

func (l *lowerer) spec(s ast.Spec) ast.Spec {
	if v, ok := s.(*ast.ValueSpec); ok {
		return l.valueSpec(v)
	}
	return s // an import
}

func (l *lowerer) typeSpec(s *ast.TypeSpec, o types.Object) *ast.TypeSpec {
	to := *s
	to.Name = l.ident(s.Name)
	if !s.Assign.IsValid() && types.IsInterface(o.Type()) {
		to.Assign = s.Name.End()
		to.Type = &ast.Ident{NamePos: s.Type.Pos(), Name: l.box}
		return &to
	}
	to.Type = l.expr(s.Type)
	return &to
}

// structure copies a type of structs. What embeds an interface gets a field of that name.
func (l *lowerer) structure(n *ast.StructType) *ast.StructType {
	to := &ast.StructType{Struct: n.Struct, Incomplete: n.Incomplete}
	fields := *n.Fields
	fields.List = nil
	for _, f := range n.Fields.List {
		field := *f
		field.Type = l.expr(f.Type)
		field.Names = nil
		for _, id := range f.Names {
			field.Names = append(field.Names, l.ident(id))
		}
		if id, ok := ast.Unparen(f.Type).(*ast.Ident); ok && f.Names == nil &&
			l.own(l.Info.TypeOf(f.Type)) {
			field.Names = []*ast.Ident{{NamePos: id.Pos(), Name: id.Name}}
			field.Type = &ast.Ident{NamePos: id.Pos(), Name: l.box}
		}
		fields.List = append(fields.List, &field)
	}
	to.Fields = &fields
	return to
}

// hoist takes the types off a declaration within a function. It reports whether they are all that
// it declares.
func (l *lowerer) hoist(d *ast.GenDecl) bool {
	if d.Tok != token.TYPE {
		return false
	}
	l.hoisted = append(l.hoisted, l.general(d))
	return true
}
