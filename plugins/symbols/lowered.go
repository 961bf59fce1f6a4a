package symbols

import (
	"cmp"
	"math"
	"reflect"
	"slices"
)

// Lowered is the import path of the functions that take the place of what the interpreter
// lacks: min, max, clear, and the generic functions of the standard library, for elements of
// float64, int and string; and of what it computes wrongly.
const Lowered = "hansa/lowered"

// HasLowered reports whether there is such a function.
func HasLowered(name string) bool {
	_, ok := lowered()[name]
	return ok
}

func lowered() map[string]reflect.Value {
	table := map[string]reflect.Value{}
	instances[float64](table, "Float64")
	instances[int](table, "Int")
	instances[string](table, "String")
	zeros(table, "Float64", stands64)
	zeros(table, "Float32", stands32)
	for name, f := range map[string]any{
		"MinInt64":     func(a, b int64) int64 { return min(a, b) },
		"MaxInt64":     func(a, b int64) int64 { return max(a, b) },
		"MinUint64":    func(a, b uint64) uint64 { return min(a, b) },
		"MaxUint64":    func(a, b uint64) uint64 { return max(a, b) },
		"NarrowInt64":  func(n int64) float32 { return float32(n) },
		"NarrowUint64": func(n uint64) float32 { return float32(n) },
		"Clear":        func(x any) { reflect.ValueOf(x).Clear() },
		"ShiftCount":   shiftCount,
		"Length":       length,
		"Capacity":     capacity,
		"NewPanics":    NewPanics,
		"Starts":       starts,
		"Runes":        runes,
		"SendZeros":    func(x any) { sendZeros(reflect.ValueOf(x).Elem()) },
		"ReceiveZeros": func(x any) { receiveZeros(reflect.ValueOf(x).Elem()) },
		"Box":          (*Box)(nil),
		"NewBox":       newBox,
		"Kind":         kindOf,
		"Open":         openBox,
		"Unlike":       unlike,
		"Same":         sameBox,
		"Equal": func(a, b any) bool {
			return same(reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem())
		},
		"Plain":    plain,
		"Spoken":   func(text string) any { return spoken{text} },
		"Anything": func(n int) []any { return make([]any, n) },
	} {
		table[name] = reflect.ValueOf(f)
	}
	return table
}

// instances adds the functions for one type of elements.
func instances[T cmp.Ordered](table map[string]reflect.Value, of string) {
	for name, f := range map[string]any{
		"Min":                func(a, b T) T { return min(a, b) },
		"Max":                func(a, b T) T { return max(a, b) },
		"cmpCompare":         cmp.Compare[T],
		"cmpLess":            cmp.Less[T],
		"slicesBinarySearch": slices.BinarySearch[[]T],
		"slicesClone":        slices.Clone[[]T],
		"slicesContains":     slices.Contains[[]T],
		"slicesEqual":        slices.Equal[[]T],
		"slicesIndex":        slices.Index[[]T],
		"slicesIsSorted":     slices.IsSorted[[]T],
		"slicesMax":          slices.Max[[]T],
		"slicesMin":          slices.Min[[]T],
		"slicesReverse":      slices.Reverse[[]T],
		"slicesSort":         slices.Sort[[]T],
	} {
		table[LoweredName(name, of)] = reflect.ValueOf(f)
	}
}

// Numbers that no computation yields; they stand for −0.
var (
	stands64 = math.Float64frombits(0x7ff8_0000_2d30_0000)
	stands32 = math.Float32frombits(0x7fc0_2d30)
)

// zeros adds the functions that take −0 into a function of the strategy and out of its
// parameter there: between them it is a NaN that no computation yields.
func zeros[T float32 | float64](table map[string]reflect.Value, of string, stands T) {
	minus := T(math.Copysign(0, -1))
	bits := func(x T) uint64 { return math.Float64bits(float64(x)) }
	table[LoweredName("SendZero", of)] = reflect.ValueOf(func(x T) T {
		if bits(x) == bits(minus) {
			return stands
		}
		return x
	})
	table[LoweredName("ReceiveZero", of)] = reflect.ValueOf(func(x T) T {
		if bits(x) == bits(stands) {
			return minus
		}
		return x
	})
}

// LoweredName returns how the function is called that takes the place of another for
// elements of a type: SlicesSortFloat64.
func LoweredName(function, element string) string {
	title := func(s string) string {
		if s == "" {
			return ""
		}
		return string(s[0]&^0x20) + s[1:]
	}
	return title(function) + title(element)
}
