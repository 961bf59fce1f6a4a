package plugins

import (
	"fmt"
	"hash/maphash"
	"math"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

// An input is something that a call is lent: a pointer, as the call has it, and its name.
type input struct {
	name string
	of   any
}

// A loan tells whether a call wrote to what it is lent and may only read: to any exported field
// that it can reach from its inputs, to elements of vectors and entries of maps, or to where a
// slice lies and how long it is. What may be written is listed in writable; a field that is new
// may not be until it stands there.
//
// The first calls are looked at entirely. Of long slices later calls are looked at in a sample
// that moves, so that it costs little beside the call: one element that is written in every round
// is found out in the end. While a strategy is examined, inputs are so short that all is seen.
type loan struct {
	calls  int
	inputs []input
	was    []uint64

	// While it looks:
	marks []uint64
	want  int      // the mark whose name is looked for; -1: none
	path  []string // the name of what is looked at, in parts, where one is looked for
	found string   // the name of the wanted mark
}

const (
	entire  = 3    // calls that are looked at entirely
	samples = 256  // elements of a long slice that are looked at in other calls
	short   = 2048 // elements of a slice that is always looked at entirely
)

// writable are the fields that a component may write, by the type that has them. A field that
// may be written is not looked at, and neither is what it leads to.
var writable = map[reflect.Type][]string{
	reflect.TypeFor[fl.Task]():              {"Params"},
	reflect.TypeFor[fl.AvailabilityInput](): {"Context", "Inclusion"},
	reflect.TypeFor[fl.EnrollmentInput]():   {"Probability"},
	reflect.TypeFor[fl.Attack]():            {"Updates"},
	reflect.TypeFor[fl.Poisoning]():         {"Data"},
	reflect.TypeFor[fl.Guarding]():          {"Updates"},
	reflect.TypeFor[fl.Coding]():            {"Out", "Code"},
	reflect.TypeFor[fl.Finishing]():         {"After", "Work"},
	reflect.TypeFor[fl.TransformInput]():    {"Blend"},
}

// opaque are types whose content is their own: only that it is the same one is looked at.
var opaque = []reflect.Type{reflect.TypeFor[rand.Rand](), reflect.TypeFor[fl.Notes]()}

// lend remembers inputs as they are.
func (l *loan) lend(inputs ...input) {
	l.calls++
	l.inputs = append(l.inputs[:0], inputs...)
	l.was = append(l.was[:0], l.look(-1)...)
}

// changed returns an error that names an input that is not what it was.
func (l *loan) changed() error {
	now := l.look(-1)
	if slices.Equal(now, l.was) {
		return nil
	}
	first := 0
	for first < min(len(now), len(l.was)) && now[first] == l.was[first] {
		first++
	}
	l.look(first)
	return fmt.Errorf("changed %s, "+registry.Written, l.found)
}

// look returns the marks of all inputs. It notes the name of the one that is wanted.
func (l *loan) look(want int) []uint64 {
	l.marks, l.want, l.found = l.marks[:0], want, "what it was lent"
	for _, in := range l.inputs {
		l.path = append(l.path[:0], in.name)
		l.walk(reflect.ValueOf(in.of))
	}
	return l.marks
}

// mark adds a mark.
func (l *loan) mark(x uint64) {
	if l.want == len(l.marks) {
		l.found = strings.Join(l.path, "")
	}
	l.marks = append(l.marks, x)
}

// part walks on to a part. Its name is only made where one is looked for.
func (l *loan) part(v reflect.Value, name func() string) {
	if l.want < 0 {
		l.walk(v)
		return
	}
	l.path = append(l.path, name())
	l.walk(v)
	l.path = l.path[:len(l.path)-1]
}

// walk marks a value and all that it leads to.
func (l *loan) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		l.mark(uint64(v.Pointer()))
		if !v.IsNil() && !slices.Contains(opaque, v.Type().Elem()) {
			l.walk(v.Elem())
		}
	case reflect.Struct:
		l.fields(v)
	case reflect.Slice:
		l.slice(v)
	case reflect.Map:
		l.entries(v)
	case reflect.Interface: // only which one it is: a model, or a state, is no input
		l.mark(identity(v.Elem()))
	case reflect.Func:
		l.mark(identity(v))
	case reflect.String:
		l.mark(maphash.String(texts, v.String()))
	case reflect.Bool:
		l.mark(truth(v.Bool()))
	case reflect.Array:
		for i := range v.Len() {
			l.part(v.Index(i), func() string { return fmt.Sprintf("[%d]", i) })
		}
	case reflect.Int, reflect.Int32, reflect.Int64:
		l.mark(uint64(v.Int()))
	case reflect.Uint8:
		l.mark(v.Uint())
	case reflect.Float32, reflect.Float64:
		l.mark(math.Float64bits(v.Float()))
	}
}

// texts is the seed of the marks of texts, which are compared within a process.
var texts = maphash.MakeSeed()

func (l *loan) fields(v reflect.Value) {
	t := v.Type()
	free := writable[t]
	for i := range t.NumField() {
		f := t.Field(i)
		if f.IsExported() && !slices.Contains(free, f.Name) {
			l.part(v.Field(i), func() string { return "." + f.Name })
		}
	}
}

// slice marks where a slice lies, how long it is and what its elements are.
func (l *loan) slice(v reflect.Value) {
	n := v.Len()
	l.mark(uint64(v.Pointer()))
	l.mark(uint64(n))
	from, step := l.pace(n)
	switch at := v.UnsafePointer(); v.Type().Elem().Kind() {
	case reflect.Float64:
		l.mark(digest((*float64)(at), n, from, step, math.Float64bits))
	case reflect.Float32:
		l.mark(digest((*float32)(at), n, from, step,
			func(x float32) uint64 { return uint64(math.Float32bits(x)) }))
	case reflect.Int:
		l.mark(digest((*int)(at), n, from, step, func(x int) uint64 { return uint64(x) }))
	case reflect.Int32:
		l.mark(digest((*int32)(at), n, from, step, func(x int32) uint64 { return uint64(x) }))
	case reflect.Uint8:
		l.mark(digest((*uint8)(at), n, from, step, func(x uint8) uint64 { return uint64(x) }))
	case reflect.Bool:
		l.mark(digest((*bool)(at), n, from, step, truth))
	default:
		for i := from; i < n; i += step {
			l.part(v.Index(i), func() string { return fmt.Sprintf("[%d]", i) })
		}
	}
}

// digest mixes the bits of every step-th of n elements.
func digest[T any](first *T, n, from, step int, bits func(T) uint64) (h uint64) {
	all := unsafe.Slice(first, n)
	for i := from; i < n; i += step {
		h = mix(h, bits(all[i]))
	}
	return h
}

// pace returns which elements of a slice are looked at in this call.
func (l *loan) pace(n int) (from, step int) {
	if n <= short || l.calls <= entire {
		return 0, 1
	}
	step = (n + samples - 1) / samples
	return l.calls % step, step
}

// entries marks a map: its keys, and what they lead to.
func (l *loan) entries(v reflect.Value) {
	l.mark(uint64(v.Pointer()))
	l.mark(uint64(v.Len()))
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int {
		return strings.Compare(a.String(), b.String())
	})
	for _, k := range keys {
		l.mark(maphash.String(texts, k.String()))
		l.part(v.MapIndex(k), func() string { return fmt.Sprintf("[%q]", k.String()) })
	}
}

// identity returns which thing a function or a pointer is.
func identity(v reflect.Value) uint64 {
	switch v.Kind() {
	case reflect.Pointer, reflect.Func, reflect.Map:
		return uint64(v.Pointer())
	}
	return uint64(v.Kind())
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func mix(h, x uint64) uint64 { return bits.RotateLeft64((h^x)*0x9e3779b97f4a7c15, 29) }
