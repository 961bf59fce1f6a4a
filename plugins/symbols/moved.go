package symbols

import (
	"math"
	"reflect"
)

// shiftCount panics as a shift by a negative number does.
func shiftCount(n int64) uint64 {
	_ = 1 << n
	return uint64(n)
}

// starts returns where the characters of a text begin, as a range over it finds them.
func starts(text string) (list []int) {
	for i := range text {
		list = append(list, i)
	}
	return list
}

// runes returns the characters of a text, as a range over it finds them.
func runes(text string) (list []rune) {
	for _, r := range text {
		list = append(list, r)
	}
	return list
}

// sendZeros prepares an argument that is a struct or an array. The interpreter leaves it out
// where it is zero in all but signs: then its zeros of negative sign become numbers that stand
// for them.
func sendZeros(v reflect.Value) {
	if v.IsZero() {
		replace(v, isMinusZero, stands64, float64(stands32))
	}
}

// receiveZeros undoes sendZeros.
func receiveZeros(v reflect.Value) {
	minus := math.Copysign(0, -1)
	replace(v, func(v reflect.Value) bool {
		if v.Kind() == reflect.Float32 {
			return math.Float32bits(float32(v.Float())) == math.Float32bits(stands32)
		}
		return math.Float64bits(v.Float()) == math.Float64bits(stands64)
	}, minus, minus)
}

func isMinusZero(v reflect.Value) bool { return v.Float() == 0 && math.Signbit(v.Float()) }

// replace sets the floats within a value that are to be.
func replace(v reflect.Value, chosen func(reflect.Value) bool, wide, narrow float64) {
	switch v.Kind() {
	case reflect.Float64:
		if chosen(v) {
			v.SetFloat(wide)
		}
	case reflect.Float32:
		if chosen(v) {
			v.SetFloat(narrow)
		}
	case reflect.Array:
		for i := range v.Len() {
			replace(v.Index(i), chosen, wide, narrow)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			replace(v.Field(i), chosen, wide, narrow)
		}
	}
}
