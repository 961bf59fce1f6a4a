package fl

import (
	"fmt"
	"math"
	"strconv"
)

// A Range is an interval of numbers.
type Range struct {
	Lo, Hi         float64
	LoOpen, HiOpen bool // whether the end does not belong to it
}

// Closed is [lo, hi].
func Closed(lo, hi float64) Range { return Range{Lo: lo, Hi: hi} }

// Open is (lo, hi).
func Open(lo, hi float64) Range { return Range{Lo: lo, Hi: hi, LoOpen: true, HiOpen: true} }

// LeftOpen is (lo, hi].
func LeftOpen(lo, hi float64) Range { return Range{Lo: lo, Hi: hi, LoOpen: true} }

// RightOpen is [lo, hi).
func RightOpen(lo, hi float64) Range { return Range{Lo: lo, Hi: hi, HiOpen: true} }

// AtLeast is [lo, +Inf).
func AtLeast(lo float64) Range { return RightOpen(lo, math.Inf(1)) }

// Above is (lo, +Inf).
func Above(lo float64) Range { return Open(lo, math.Inf(1)) }

// Anything is every finite number.
func Anything() Range { return Open(math.Inf(-1), math.Inf(1)) }

// Has reports whether x lies in the range. NaN lies in none.
func (r Range) Has(x float64) bool {
	return (x > r.Lo || !r.LoOpen && x == r.Lo) && (x < r.Hi || !r.HiOpen && x == r.Hi)
}

// String returns the range as mathematicians write it.
func (r Range) String() string {
	if math.IsInf(r.Lo, -1) && math.IsInf(r.Hi, 1) {
		return "any number"
	}
	left, right := "[", "]"
	if r.LoOpen {
		left = "("
	}
	if r.HiOpen {
		right = ")"
	}
	return left + numeral(r.Lo) + ", " + numeral(r.Hi) + right
}

// numeral returns the shortest text of a number: 1e-09, and 4294967295 rather than
// 4.294967295e+09.
func numeral(x float64) string {
	short, plain := fmt.Sprint(x), strconv.FormatFloat(x, 'f', -1, 64)
	if len(plain) < len(short) {
		return plain
	}
	return short
}
