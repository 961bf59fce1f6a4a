package normal

import (
	"go/ast"
	"go/types"
	"strings"
)

// literal writes a literal of a struct, array, slice or map, with the names of all types.
func (e *emitter) literal(x *ast.CompositeLit) string {
	of := e.typeOf(x)
	star := ""
	if p := pointsTo(of); p != nil { // &T left out of an element
		of, star = p, "&"
	}
	var elements []string
	switch u := of.Underlying().(type) {
	case *types.Struct:
		elements = e.fields(x, u)
	case *types.Array, *types.Slice, *types.Map:
		for _, element := range x.Elts {
			if kv, ok := element.(*ast.KeyValueExpr); ok {
				key := e.expr(kv.Key)
				elements = append(elements, key+": "+e.part(kv.Value))
				continue
			}
			elements = append(elements, e.part(element))
		}
	default:
		return e.unknown(x)
	}
	text := e.typ(of) + "{" + strings.Join(elements, ", ") + "}"
	if _, ok := of.Underlying().(*types.Struct); star != "" && !ok {
		name := e.temp(e.box(of))
		e.line("*%s = %s", name, text)
		return name
	}
	return star + text
}

// fields writes the fields of a struct by their names.
func (e *emitter) fields(x *ast.CompositeLit, of *types.Struct) (list []string) {
	for i, element := range x.Elts {
		kv, ok := element.(*ast.KeyValueExpr)
		if !ok {
			list = append(list, fieldName(of.Field(i), i)+": "+e.part(element))
			continue
		}
		key, ok := kv.Key.(*ast.Ident)
		if !ok {
			e.unknown(kv)
			continue
		}
		list = append(list, key.Name+": "+e.part(kv.Value))
	}
	return list
}

// part returns an element of a literal. The address of a place has a name: the interpreter would
// take the place for it.
func (e *emitter) part(x ast.Expr) string {
	text := e.whole(x)
	if strings.HasPrefix(text, "&") && !strings.HasSuffix(text, "}") {
		return e.temp(text)
	}
	return text
}
