package generics

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"

	"github.com/hansa-fl/hansa/plugins/rewrite"
)

// A copier copies nodes, and replaces type parameters and what is generic.
type copier struct {
	*expander
	env   environment
	index int // of the file
}

// copyOf copies a node that lies in a file.
func copyOf[N ast.Node](x *expander, index int, env environment, n N) N {
	c := &copier{x, env, index}
	return rewrite.Copy(c.nodes(), n)
}

func (c *copier) nodes() rewrite.Copier {
	return rewrite.Copier{Held: func(n ast.Node) ast.Node {
		if e, ok := n.(ast.Expr); ok {
			return c.expr(e)
		}
		return nil
	}}
}

// expr copies an expression.
func (c *copier) expr(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.Ident:
		return c.ident(e)
	case *ast.IndexExpr:
		if id, ok := c.generic(e.X); ok {
			return c.ident(id)
		}
	case *ast.IndexListExpr:
		if id, ok := c.generic(e.X); ok {
			return c.ident(id)
		}
	case *ast.SelectorExpr:
		return &ast.SelectorExpr{X: c.expr(e.X), Sel: c.field(e.Sel)}
	case *ast.KeyValueExpr:
		if id, ok := e.Key.(*ast.Ident); ok && c.isField(id) {
			return &ast.KeyValueExpr{Key: c.field(id), Colon: e.Colon, Value: c.expr(e.Value)}
		}
	case *ast.CallExpr:
		if c.convertsConstant(e) {
			return c.variable(e)
		}
	}
	return rewrite.Parts(c.nodes(), e)
}

// generic returns the name of something generic of the program that is instantiated.
func (c *copier) generic(e ast.Expr) (*ast.Ident, bool) {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil, false
	}
	_, ok = c.Info.Instances[id]
	return id, ok
}

// ident copies a name, or returns that of what it stands for.
func (c *copier) ident(id *ast.Ident) *ast.Ident {
	to := &ast.Ident{NamePos: id.NamePos, Name: id.Name}
	o := c.Info.Uses[id]
	if t, ok := o.(*types.TypeName); ok {
		if p, ok := t.Type().(*types.TypeParam); ok && c.env[p] != "" {
			to.Name = c.env[p]
			return to
		}
	}
	if of, ok := c.Info.Instances[id]; ok && o.Pkg() == c.Pkg {
		if args, ok := c.arguments(of.TypeArgs, c.env, place{c.index, id}); ok {
			to.Name = c.instanceOf(o, args, place{c.index, id})
		}
	}
	return to
}

func (c *copier) isField(id *ast.Ident) bool {
	v, ok := c.Info.Uses[id].(*types.Var)
	return ok && v.IsField()
}

// field copies the name of a field or method. An embedded field is called as its type is.
func (c *copier) field(id *ast.Ident) *ast.Ident {
	to := &ast.Ident{NamePos: id.NamePos, Name: id.Name}
	v, ok := c.Info.Uses[id].(*types.Var)
	if !ok || !v.Embedded() {
		return to
	}
	t := types.Unalias(v.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, ok := t.(*types.Named)
	if ok && named.TypeArgs().Len() > 0 && named.Obj().Pkg() == c.Pkg &&
		named.Obj().Name() == id.Name {
		if args, ok := c.arguments(named.TypeArgs(), c.env, place{c.index, id}); ok {
			to.Name = c.instanceOf(named.Origin().Obj(), args, place{c.index, id})
		}
	}
	return to
}

// convertsConstant reports whether a call converts a constant to a type parameter.
func (c *copier) convertsConstant(n *ast.CallExpr) bool {
	fun := c.Info.Types[n.Fun]
	if !fun.IsType() || len(n.Args) != 1 || c.Info.Types[n.Args[0]].Value == nil {
		return false
	}
	_, ok := types.Unalias(fun.Type).(*types.TypeParam)
	return ok
}

// variable returns an expression for a conversion that is no constant.
func (c *copier) variable(n *ast.CallExpr) ast.Expr {
	at := n.Pos()
	back := &ast.ReturnStmt{Return: at, Results: []ast.Expr{&ast.CallExpr{Fun: c.expr(n.Fun),
		Lparen: n.Lparen, Args: []ast.Expr{c.expr(n.Args[0])}, Rparen: n.Rparen}}}
	result := &ast.FieldList{List: []*ast.Field{{Type: c.expr(n.Fun)}}}
	return &ast.CallExpr{Lparen: at, Rparen: at, Fun: &ast.FuncLit{
		Type: &ast.FuncType{Func: at, Results: result,
			Params: &ast.FieldList{Opening: at, Closing: at}},
		Body: &ast.BlockStmt{Lbrace: at, List: []ast.Stmt{back}, Rbrace: at}}}
}

// moved gives every node of a tree that was made one position.
func moved(n ast.Node, to token.Pos) {
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		v := reflect.ValueOf(n).Elem()
		for i := range v.NumField() {
			if f := v.Field(i); f.Type() == reflect.TypeFor[token.Pos]() && f.Int() != 0 {
				f.SetInt(int64(to))
			}
		}
		return true
	})
}
