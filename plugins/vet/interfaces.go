package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/hansa-fl/hansa/plugins/dispatch"
	"github.com/hansa-fl/hansa/plugins/policy"
)

// interfaces refuses values that become interfaces: the interpreter stores where the value
// lies instead of a copy, so that later changes show. Only what is returned, and what another
// package looks at at once, comes out right.
func (c *checker) interfaces(n ast.Node) {
	switch n := n.(type) {
	case *ast.CallExpr:
		c.arguments(n)
		c.comparedByIs(n)
	case *ast.AssignStmt:
		if n.Tok == token.ASSIGN {
			c.pairs(n.Rhs, c.typesOf(n.Lhs))
		}
	case *ast.ValueSpec:
		if n.Type != nil && len(n.Values) > 0 {
			to := make([]types.Type, len(n.Names))
			for i := range to {
				to[i] = c.info.TypeOf(n.Type)
			}
			c.pairs(n.Values, to)
		}
	case *ast.ReturnStmt:
		c.returned(n)
	case *ast.CompositeLit:
		c.elements(n)
	case *ast.BinaryExpr:
		if n.Op == token.EQL || n.Op == token.NEQ {
			c.compared(n)
		}
	case *ast.SwitchStmt:
		if n.Tag != nil && c.others(c.info.TypeOf(n.Tag)) {
			c.refuse(n.Tag, "compare with ==", "a switch on an interface")
		}
	case *ast.MapType:
		key := c.info.TypeOf(n.Key)
		if dispatch.Holds(key, c.pkg) || types.IsInterface(key) {
			c.refuse(n.Key, "use a concrete type", "the key of a map is an interface")
		} else if own := c.holdsOwn(key); own != nil {
			c.refuseComparison(n.Key, own)
		}
	}
}

// others reports whether a type is an interface of another package.
func (c *checker) others(t types.Type) bool {
	return t != nil && types.IsInterface(t) && !c.own(t)
}

func (c *checker) typesOf(list []ast.Expr) []types.Type {
	ts := make([]types.Type, len(list))
	for i, e := range list {
		ts[i] = c.info.TypeOf(e)
	}
	return ts
}

// pairs checks values that are assigned to places of the given types, one each or all from
// one call.
func (c *checker) pairs(values []ast.Expr, to []types.Type) {
	if len(values) == len(to) {
		for i, e := range values {
			c.stored(e, to[i])
		}
		return
	}
	c.spread(values[0], to)
}

// spread checks the results of one call that go to several places.
func (c *checker) spread(call ast.Expr, to []types.Type) {
	results, ok := c.info.TypeOf(call).(*types.Tuple)
	if !ok {
		return
	}
	for i := range min(results.Len(), len(to)) {
		if c.others(to[i]) && !types.IsInterface(results.At(i).Type()) {
			c.refuse(call, "give the results names first, and then say what becomes of each",
				"a result becomes an interface on its way")
			return
		}
	}
}

// boxed reports whether a value becomes an interface when it goes to a place of a type.
func (c *checker) boxed(e ast.Expr, to types.Type) bool {
	tv := c.info.Types[e]
	return to != nil && types.IsInterface(to) && tv.IsValue() && !tv.IsNil() &&
		tv.Type != nil && !types.IsInterface(tv.Type)
}

// stored checks a value that goes to a place of a type.
func (c *checker) stored(e ast.Expr, to types.Type) {
	if c.boxed(e, to) && !c.own(to) {
		c.refuse(e, "only a return statement may do that",
			"a value stored in an interface: later changes of it would show there")
	}
}

// returned checks what a function returns. A pointer may become an interface there: nothing
// of the function outlives it that could change the pointer.
func (c *checker) returned(n *ast.ReturnStmt) {
	var sig *types.Signature
	switch f := c.functionOf(n).(type) {
	case *ast.FuncLit:
		sig, _ = c.info.TypeOf(f).(*types.Signature)
	case *ast.FuncDecl:
		sig = c.info.Defs[f.Name].(*types.Func).Signature()
	}
	if sig == nil || len(n.Results) == 0 {
		return
	}
	var to []types.Type
	for r := range sig.Results().Variables() {
		to = append(to, r.Type())
	}
	if len(n.Results) != len(to) {
		c.spread(n.Results[0], to)
		return
	}
	for i, e := range n.Results {
		_, pointer := c.info.TypeOf(e).Underlying().(*types.Pointer)
		if c.boxed(e, to[i]) && !c.own(to[i]) && !pointer {
			c.refuse(e, "return a pointer: &T{…}",
				"a value returned as an interface that is no pointer")
		}
	}
}

// elements checks the elements of a literal.
func (c *checker) elements(n *ast.CompositeLit) {
	var element func(i int, key ast.Expr) types.Type
	switch u := c.info.TypeOf(n).Underlying().(type) {
	case *types.Slice:
		element = func(int, ast.Expr) types.Type { return u.Elem() }
	case *types.Array:
		element = func(int, ast.Expr) types.Type { return u.Elem() }
	case *types.Map:
		element = func(int, ast.Expr) types.Type { return u.Elem() }
	case *types.Struct:
		element = func(i int, key ast.Expr) types.Type {
			if id, ok := key.(*ast.Ident); ok {
				return c.info.Uses[id].Type()
			}
			return u.Field(i).Type()
		}
	default:
		return
	}
	for i, e := range n.Elts {
		var key ast.Expr
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			key, e = kv.Key, kv.Value
		}
		to := element(i, key)
		if c.keptElsewhere(n, to) && !c.isTable(e) {
			c.refuse(e, `write a literal of constants: map[string]any{"k": 2}`,
				"another package keeps an interface of the strategy")
		}
		if !areTraits(e, to) {
			c.stored(e, to)
		}
	}
}

// areTraits reports whether an element is a literal of traits for an entry: nothing has a name for
// it by which it could change.
func areTraits(e ast.Expr, to types.Type) bool {
	named, ok := types.Unalias(to).(*types.Named)
	_, literal := e.(*ast.CompositeLit)
	return ok && literal && named.Obj().Name() == "Traits" && types.IsInterface(named)
}

// keptElsewhere reports whether an element of a literal, of the given type, has interfaces within
// and belongs to another package.
func (c *checker) keptElsewhere(lit *ast.CompositeLit, element types.Type) bool {
	named, ok := types.Unalias(c.info.TypeOf(lit)).(*types.Named)
	return ok && named.Obj().Pkg() != c.pkg && dispatch.Within(element, c.pkg)
}

// isTable reports whether an expression is nil, a constant, or a literal of map[string]any or
// []any of such, as values of experiment files are.
func (c *checker) isTable(e ast.Expr) bool {
	if tv := c.info.Types[e]; tv.Value != nil || tv.IsNil() {
		return true
	}
	lit, ok := ast.Unparen(e).(*ast.CompositeLit)
	if !ok {
		return false
	}
	switch c.info.TypeOf(lit).(type) {
	case *types.Map, *types.Slice:
		return !slices.ContainsFunc(lit.Elts, func(e ast.Expr) bool {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				e = kv.Value
			}
			return !c.isTable(e)
		})
	}
	return false
}

// arguments checks what is handed to a function.
func (c *checker) arguments(n *ast.CallExpr) {
	fun := c.info.Types[n.Fun]
	switch {
	case fun.IsType():
		c.stored(n.Args[0], fun.Type)
		return
	case fun.IsBuiltin():
		c.builtinArguments(n)
		return
	}
	sig, ok := fun.Type.Underlying().(*types.Signature)
	if !ok {
		return
	}
	other := c.otherPackage(n.Fun)
	if results, ok := c.info.TypeOf(first(n.Args)).(*types.Tuple); ok {
		c.handedOn(n.Args[0], results, sig, other)
		return
	}
	for i, e := range n.Args {
		to, variadic := parameter(sig, i, n.Ellipsis.IsValid())
		switch {
		case !c.boxed(e, to):
		case other != nil && variadic:
			c.printed(n, i)
		case other != nil && (other.Path() == "sort" || !c.isOwn(c.info.TypeOf(e))):
		case c.returnsComponent(n, e, other):
		default:
			c.stored(e, to)
		}
	}
}

// returnsComponent reports whether a pointer becomes part of a component that is returned at once:
// fl.Weigh(&rule{…}). That is as safe as returning it: see returned.
func (c *checker) returnsComponent(call *ast.CallExpr, e ast.Expr, other *types.Package) bool {
	_, pointer := c.info.TypeOf(e).Underlying().(*types.Pointer)
	_, returned := c.parent[call].(*ast.ReturnStmt)
	return pointer && returned && other != nil && other.Path() == policy.Components
}

// isOwn reports whether a type, or what it points to, is declared by the strategy.
func (c *checker) isOwn(t types.Type) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() == c.pkg
}

func first(list []ast.Expr) ast.Expr {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// handedOn checks the results of one call that are the arguments of another.
func (c *checker) handedOn(
	e ast.Expr, results *types.Tuple, sig *types.Signature, other *types.Package,
) {
	for i := range results.Len() {
		from := results.At(i).Type()
		to, variadic := parameter(sig, i, false)
		switch {
		case !types.IsInterface(to) || types.IsInterface(from) || other == nil && c.own(to):
		case other == nil || !variadic || !c.prints(from, map[types.Type]bool{}) ||
			c.hasOwn(from, map[types.Type]bool{}):
			c.refuse(e, "give the results names first",
				"a result becomes an interface on its way")
			return
		}
	}
}

// builtinArguments checks what is appended. What a strategy panics with is looked at at once.
func (c *checker) builtinArguments(n *ast.CallExpr) {
	if !c.isBuiltin(n.Fun, "append") || n.Ellipsis.IsValid() {
		return
	}
	s, ok := c.info.TypeOf(n.Args[0]).Underlying().(*types.Slice)
	for _, e := range n.Args[1:] {
		if ok {
			c.stored(e, s.Elem())
		}
	}
}

// parameter returns the type of the i-th argument of a call, and whether it is one of a
// variable number.
func parameter(sig *types.Signature, i int, ellipsis bool) (types.Type, bool) {
	last := sig.Params().Len() - 1
	if !sig.Variadic() || i < last || ellipsis {
		return sig.Params().At(min(i, last)).Type(), false
	}
	return sig.Params().At(last).Type().(*types.Slice).Elem(), true
}

// otherPackage returns the package of a function or method that is called, or nil when it is
// one of the strategy.
func (c *checker) otherPackage(fun ast.Expr) *types.Package {
	sel, ok := ast.Unparen(fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	f, ok := c.info.Uses[sel.Sel].(*types.Func)
	if !ok || f.Pkg() == c.pkg {
		return nil
	}
	return f.Pkg()
}
