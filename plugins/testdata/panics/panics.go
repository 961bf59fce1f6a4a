// Package panics has a function for every way in which Go itself panics. A test runs them compiled
// and interpreted.
package panics

var xs = []int{1, 2, 3}

var text = "abc"

var array = [3]int{1, 2, 3}

var pointer *struct{ x float64 }

var table map[string]int

var function func(int) int

var rule struct{ f func() }

type ring struct{ next *ring }

func (r *ring) step() *ring { return r.next }

func (r ring) copied() *ring { return r.next }

var far = len(xs) + 4 // 7

var below = len(xs) - 4 // −1

func IndexSlice() { xs[0] = xs[far] }

func IndexBelow() { xs[below]++ }

func IndexArray() { array[far] = 1 }

func IndexText() { xs[0] = int(text[far]) }

func SliceHigh() { xs = xs[:far] }

func SliceOrder() { xs = xs[far-4 : far-5] }

func SliceLow() { xs = xs[far:] }

func SliceLowBelow() { xs = xs[below:] }

func SliceHighBelow() { xs = xs[:below] }

func SliceThree() { xs = xs[0:2:far] }

func SliceThreeOrder() { xs = xs[0 : far-4 : far-5] }

func SliceThreeLow() { xs = xs[far-4 : far-5 : 3] }

func SliceText() { text = text[far:] }

func SliceTextHigh() { text = text[:far] }

func SliceTextOrder() { text = text[far-4 : far-5] }

func SliceArray() { xs = array[:far] }

func SliceArrayPointer() {
	p := &array
	xs = p[far-5 : far]
}

func SliceSmall() {
	n := uint8(far)
	xs = xs[:n]
}

func NilPointer() { pointer.x = 1 }

func NilPointerRead() { array[int(pointer.x)]++ }

func NilPointerWhole() { *pointer = struct{ x float64 }{} }

func NilReceiver() {
	var r *ring
	r.step()
}

func NilReceiverCopied() {
	var r *ring
	r.copied()
}

func NilNext() {
	var r ring
	r.next.next.step()
}

func NilArray() {
	var p *[3]int
	p[far-5] = 1
}

func NilMap() { table["a"] = 1 }

func NilFunction() { xs[0] = function(1) }

func NilField() { rule.f() }

func NilLocal() {
	var f func(a, b string) bool
	f("", "")
}

func NilDeferred() {
	var f func()
	defer f()
}

func Divide() { xs[0] /= below + 1 }

func Remainder() { xs[0] %= below + 1 }

func Shift() { xs[0] <<= below }

func MakeBelow() { xs = make([]int, below) }

func MakeCapacity() { xs = make([]int, 1, below+1) }

func MakeCapacityBelow() { xs = make([]int, 0, below) }

func MakeHuge() { xs = make([]int, 1<<far<<50) }

func MakeWide() {
	n := ^uint64(0) - uint64(far)
	xs = make([]int, n)
}

func MakeMap() {
	sizes := make(map[string]int, below)
	xs[far] = len(sizes)
}

func ToArray() { array = [3]int(xs[:far-5]) }

func ToArrayPointer() { array = *(*[3]int)(xs[:far-5]) }

func Text() { panic("a text") }

func Number() { panic(far) }

type shape interface{ area() float64 }

type named interface {
	shape
	name() string
}

type square struct{ s float64 }

func (s square) area() float64 { return s.s }

type both struct{ in any }

var held any = square{2}

var none any

var form shape = square{3}

var noForm shape

func AssertOther() { xs[0] = held.(int) }

func AssertPointer() { held = form.(*square) }

func AssertUnnamed() { held = held.(map[string]struct{ x []any }) }

func AssertFunction() { held = held.(func(n int, names ...string) (*both, error)) }

func AssertNil() { held = none.(string) }

func AssertMethod() { form = form.(named) }

func AssertInterface() { none = held.(interface{ volume() float64 }) }

func AssertNilInterface() { form = none.(shape) }

func CompareSlices() { none = any(xs) == any(xs) }

func CompareWithin() { none = any(both{table}) == any(both{table}) }

func CompareStructs() { none = any(rule) == any(rule) }

func NilInterface() { noForm.area() }

func NilMethod() { _ = noForm.area }

func Held() { panic(any(xs[0] == 1)) }

func HeldFloat() { panic(any(0.5)) }
