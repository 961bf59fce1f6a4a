package vet

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/hansa-fl/hansa/plugins/symbols"
)

// sendZeros sees to the sign of zeros among the arguments of a function of the strategy: the
// interpreter leaves arguments out that equal zero, and −0 does. It travels as a number that
// is none.
func (s *source) sendZeros(c *checker, n *ast.CallExpr) {
	sig := c.ownSignature(n)
	if sig == nil {
		return
	}
	for i, arg := range n.Args {
		to, variadic := parameter(sig, i, n.Ellipsis.IsValid())
		basic := floatType(to)
		if basic == nil || variadic || c.neverMinusZero(arg) {
			continue
		}
		send := symbols.LoweredName("SendZero", basic.Name())
		call, end := s.alias(symbols.Lowered)+"."+send+"(", ")"
		if t := s.typeName(to); t != basic.Name() {
			call, end = t+"("+call+basic.Name()+"(", ")))"
		}
		s.edit(c, arg.Pos(), arg.Pos(), call)
		s.edit(c, arg.End(), arg.End(), end)
	}
}

// receiveZeros makes −0 of what sendZeros made of it.
func (s *source) receiveZeros(c *checker, params *ast.FieldList, body *ast.BlockStmt) {
	if body == nil {
		return
	}
	var b strings.Builder
	for _, f := range params.List {
		for _, id := range f.Names {
			o := c.info.Defs[id]
			if o == nil || id.Name == "_" || floatType(o.Type()) == nil {
				continue
			}
			basic := floatType(o.Type()).Name()
			get := fmt.Sprintf("%s.%s(%s)", s.alias(symbols.Lowered),
				symbols.LoweredName("ReceiveZero", basic), id.Name)
			if t := s.typeName(o.Type()); t != basic {
				get = fmt.Sprintf("%s(%s.%s(%s(%s)))", t, s.alias(symbols.Lowered),
					symbols.LoweredName("ReceiveZero", basic), basic, id.Name)
			}
			fmt.Fprintf(&b, " if %s != %s { %s = %s };", id.Name, id.Name, id.Name, get)
		}
	}
	s.edit(c, body.Lbrace+1, body.Lbrace+1, b.String())
}

// ownSignature returns the signature of a call that runs code of the strategy, or nil.
func (c *checker) ownSignature(n *ast.CallExpr) *types.Signature {
	fun := c.info.Types[n.Fun]
	if fun.IsType() || fun.IsBuiltin() || c.otherPackage(n.Fun) != nil {
		return nil
	}
	if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
		if f, ok := c.info.Uses[sel.Sel].(*types.Var); ok && f.Pkg() != c.pkg {
			return nil // a function that another package keeps in a field
		}
	}
	sig, _ := fun.Type.Underlying().(*types.Signature)
	return sig
}

// floatType returns the type of floats that a type is one of, or nil.
func floatType(t types.Type) *types.Basic {
	basic, ok := t.Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsFloat == 0 {
		return nil
	}
	return basic
}

// neverMinusZero reports whether that is plain to see of an expression.
func (c *checker) neverMinusZero(e ast.Expr) bool {
	if c.info.Types[e].Value != nil {
		return true
	}
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || !c.info.Types[call.Fun].IsType() {
		return false
	}
	basic, ok := c.info.TypeOf(call.Args[0]).Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsInteger != 0 // float64(n)
}

// functionValue makes a function literal of a declared function that is used as a value, be
// it one of the strategy or of another package.
func (s *source) functionValue(c *checker, id *ast.Ident) {
	f, ok := c.info.Uses[id].(*types.Func)
	if !ok || f.Signature().Recv() != nil || f.Signature().TypeParams() != nil {
		return
	}
	var whole ast.Expr = id
	if f.Pkg() != c.pkg {
		whole = c.parent[id].(*ast.SelectorExpr)
	}
	if c.called(whole) {
		return
	}
	sig := f.Signature()
	var params, args []string
	for i := range sig.Params().Len() {
		arg, of := fmt.Sprintf("a%d_", i), s.typeName(sig.Params().At(i).Type())
		if sig.Variadic() && i == sig.Params().Len()-1 {
			params = append(params, arg+" ..."+strings.TrimPrefix(of, "[]"))
			arg += "..."
		} else {
			params = append(params, arg+" "+of)
		}
		if basic := floatType(sig.Params().At(i).Type()); basic != nil && f.Pkg() != c.pkg {
			arg = s.alias(symbols.Lowered) + "." +
				symbols.LoweredName("ReceiveZero", basic.Name()) + "(" + arg + ")"
		}
		args = append(args, arg)
	}
	results := s.typeName(types.NewSignatureType(nil, nil, nil, nil, sig.Results(), false))
	back := ""
	if sig.Results().Len() > 0 {
		back = "return "
	}
	name := id.Name
	if f.Pkg() != c.pkg {
		name = s.alias(f.Pkg().Path()) + "." + name
	}
	s.edit(c, whole.Pos(), whole.End(), fmt.Sprintf("func(%s)%s { %s%s(%s) }",
		strings.Join(params, ", "), strings.TrimPrefix(results, "func()"), back, name,
		strings.Join(args, ", ")))
}
