package generics

import (
	"go/types"

	"github.com/hansa-fl/hansa/plugins/rewrite"
)

// A writer writes a type by names that stand at the top of the package.
type writer struct {
	rewrite.Types
	*expander
	env    environment
	at     place
	failed bool // the type has no name there
}

// text returns a type, or false where it has no name outside of a function.
func (x *expander) text(t types.Type, env environment, at place) (string, bool) {
	w := &writer{expander: x, env: env, at: at}
	w.Special = w.special
	w.Type(t)
	return w.String(), !w.failed
}

// special writes type parameters and what has a name.
func (w *writer) special(t types.Type) bool {
	switch t := t.(type) {
	case *types.TypeParam:
		w.WriteString(w.env[t])
	case *types.Named:
		w.named(t)
	case *types.Interface:
		if t.IsMethodSet() {
			return false
		}
		w.fail()
	case *types.Chan, *types.Tuple, *types.Union:
		w.fail()
	default:
		return false
	}
	return true
}

// fail refuses a type that cannot be written.
func (w *writer) fail() {
	if !w.failed {
		w.Refuse(w.at.node, "declare the type outside of functions",
			"a type of a function is a type argument")
	}
	w.failed = true
}

func (w *writer) named(t *types.Named) {
	o := t.Obj()
	switch {
	case o.Pkg() == nil:
		w.WriteString(o.Name())
	case o.Parent() != o.Pkg().Scope():
		w.fail()
	case o.Pkg() != w.Pkg:
		w.WriteString(w.packageName(o.Pkg(), w.at) + "." + o.Name())
		w.List(t.TypeArgs())
	case t.TypeArgs().Len() > 0:
		args, ok := w.arguments(t.TypeArgs(), w.env, w.at)
		if !ok {
			w.failed = true
			return
		}
		w.WriteString(w.instanceOf(t.Origin().Obj(), args, w.at))
	default:
		w.WriteString(o.Name())
	}
}
