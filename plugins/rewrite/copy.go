// Package rewrite has what those share that write a program in another way: copies of nodes, and
// types as text.
package rewrite

import (
	"go/ast"
	"reflect"
)

// A Copier copies nodes by their parts, which keep their positions. Comments stay where they are.
type Copier struct {
	// Held is asked for what a field holds that may be any expression, statement or declaration,
	// and Node for every other node, and for what Held leaves; both return nil where a node is
	// copied by its parts. Node may be nil.
	Held, Node func(ast.Node) ast.Node
}

// Copy copies a node.
func Copy[N ast.Node](c Copier, n N) N {
	return c.value(reflect.ValueOf(&n).Elem()).Interface().(N)
}

// Parts copies a node by its parts, whatever Held and Node say of the node itself.
func Parts[N ast.Node](c Copier, n N) N {
	return c.parts(reflect.ValueOf(n)).Interface().(N)
}

func (c Copier) parts(v reflect.Value) reflect.Value {
	to := reflect.New(v.Type().Elem())
	to.Elem().Set(c.value(v.Elem()))
	return to
}

// value copies whatever a node has.
func (c Copier) value(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Interface:
		if n, ok := v.Interface().(ast.Node); ok {
			if to := c.Held(n); to != nil {
				return reflect.ValueOf(to)
			}
			return c.value(v.Elem())
		}
	case reflect.Pointer:
		return c.pointer(v)
	case reflect.Struct:
		to := reflect.New(v.Type()).Elem()
		for i := range v.NumField() {
			to.Field(i).Set(c.value(v.Field(i)))
		}
		return to
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		to := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			to.Index(i).Set(c.value(v.Index(i)))
		}
		return to
	}
	return v
}

func (c Copier) pointer(v reflect.Value) reflect.Value {
	n, ok := v.Interface().(ast.Node)
	if _, comment := n.(*ast.CommentGroup); !ok || v.IsNil() || comment {
		return v
	}
	if c.Node != nil {
		if to := c.Node(n); to != nil {
			return reflect.ValueOf(to)
		}
	}
	return c.parts(v)
}
