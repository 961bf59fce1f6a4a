package normal

import (
	"fmt"
	"go/ast"
	"go/types"
)

// nameTop keeps the names of what the strategy declares at its top: they are asked for.
func (e *emitter) nameTop() {
	for _, name := range types.Universe.Names() {
		e.taken[name] = true
	}
	for _, name := range e.Pkg.Scope().Names() {
		o := e.Pkg.Scope().Lookup(name)
		if types.Universe.Lookup(name) == nil {
			e.names[o] = name
			e.taken[name] = true
		}
	}
}

// name returns how the core calls an object of the strategy: as its author does, where nothing
// else has that name.
func (e *emitter) name(o types.Object) string {
	if name, ok := e.names[o]; ok {
		return name
	}
	name := o.Name()
	for e.taken[name] {
		e.times[o.Name()]++
		name = fmt.Sprintf("%s_%d_", o.Name(), e.times[o.Name()]+1)
	}
	e.taken[name] = true
	e.names[o] = name
	return name
}

// method returns the name of the function that a method becomes.
func (e *emitter) method(f *types.Func) string {
	if name, ok := e.names[f]; ok {
		return name
	}
	recv := f.Signature().Recv().Type()
	if p, ok := recv.(*types.Pointer); ok {
		recv = p.Elem()
	}
	of, ok := types.Unalias(recv).(*types.Named)
	if !ok {
		return f.Name()
	}
	name := e.new(e.name(of.Obj()) + "_" + f.Name() + "_")
	e.names[f] = name
	return name
}

// variable returns the expression for a variable: what its box holds, where it has one.
func (e *emitter) variable(v *types.Var) string {
	if e.boxed[v] {
		return "*" + e.name(v)
	}
	return e.name(v)
}

// own reports whether an object belongs to the strategy.
func (e *emitter) own(o types.Object) bool { return o != nil && o.Pkg() == e.Pkg }

// object returns what an identifier stands for.
func (e *emitter) object(id *ast.Ident) types.Object { return e.Info.ObjectOf(id) }
