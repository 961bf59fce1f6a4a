package symbols

import (
	"fmt"
	"reflect"
	"regexp"
)

// Boxes declares what interfaces of a strategy become, for the type checker.
const Boxes = `package lowered

type Box struct{ kind int }

func NewBox(kind int, of string, value any) *Box
func Kind(b *Box) int
func Open(b *Box, value any)
func Unlike(b *Box, from, to, missing string)
func Same(a, b *Box) bool
func Equal(a, b any) bool
func Plain(b *Box) any
func Spoken(text string) any
func Anything(n int) []any
`

// A Box is a value in an interface of the strategy. It never changes; nil is the interface nil.
type Box struct {
	kind  int    // which type it is of; counted from 1
	of    string // that type, as Go calls it
	value reflect.Value
}

// newBox returns a box with a copy of what p points to; a function lies in a struct.
func newBox(kind int, of string, p any) *Box {
	from := reflect.ValueOf(p).Elem()
	if of == "" { // an interface of another package
		of = fmt.Sprintf("%T", from.Interface())
	}
	b := &Box{kind, of, reflect.New(from.Type()).Elem()}
	b.value.Set(from)
	return b
}

// kindOf returns which type a value is of; that of nil is 0.
func kindOf(b *Box) int {
	if b == nil {
		return 0
	}
	return b.kind
}

// openBox copies a value to where p points to.
func openBox(b *Box, p any) { reflect.ValueOf(p).Elem().Set(b.value) }

// unlike panics as Go does where a value of one interface is not of the type that it is taken
// for, or lacks a method of it.
func unlike(b *Box, from, to, missing string) {
	const conversion = "interface conversion: "
	switch {
	case b == nil:
		fail(conversion + from + " is nil, not " + to)
	case missing != "":
		fail(conversion + b.of + " is not " + to + ": missing method " + missing)
	case b.of == to:
		to += " (types from different scopes)"
	}
	fail(conversion + from + " is " + b.of + ", not " + to)
}

// sameBox compares two values of interfaces.
func sameBox(a, b *Box) bool {
	if a == nil || b == nil || a.kind != b.kind {
		return a == b
	}
	if !a.value.Type().Comparable() || a.value.Kind() == reflect.Struct && cell(a.value) {
		fail("comparing uncomparable type " + a.of)
	}
	return same(a.value, b.value)
}

// cell reports whether a struct holds a function, which the core keeps in one.
func cell(v reflect.Value) bool {
	return v.NumField() == 1 && v.Field(0).Kind() == reflect.Func
}

// blank finds the fields that have no name in the strategy: no comparison looks at them.
var blank = regexp.MustCompile(`^X?blank\d+_$`)

// same compares two values of one type, and what interfaces within them hold.
func same(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Pointer:
		if x, ok := a.Interface().(*Box); ok {
			return sameBox(x, b.Interface().(*Box))
		}
	case reflect.Struct:
		for i := range a.NumField() {
			if !blank.MatchString(a.Type().Field(i).Name) && !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Array:
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	}
	return a.Interface() == b.Interface()
}

// A spoken is the text of a value that says what it is. It is no string, for package fmt puts
// spaces between values that are none.
type spoken struct{ text string }

// String implements fmt.Stringer.
func (s spoken) String() string { return s.text }

// plain returns a value as another package prints it.
func plain(b *Box) any {
	if b == nil {
		return nil
	}
	return b.value.Interface()
}
