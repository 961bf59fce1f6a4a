package tensor

// A mask is a vector of zeros and ones. The product of two masks is their intersection (Mul), the
// sum of a mask counts its ones (Sum), and Scale(-1) with AddConst(1) turns it round.

// Above sets v[i] to 1 where v[i] > x and to 0 elsewhere, also where v[i] is NaN.
func (v Vector) Above(x float64) {
	for i, y := range v {
		v[i] = one(y > x)
	}
}

// AtLeast sets v[i] to 1 where v[i] ≥ x and to 0 elsewhere, also where v[i] is NaN.
func (v Vector) AtLeast(x float64) {
	for i, y := range v {
		v[i] = one(y >= x)
	}
}

// Below sets v[i] to 1 where v[i] < x and to 0 elsewhere, also where v[i] is NaN.
func (v Vector) Below(x float64) {
	for i, y := range v {
		v[i] = one(y < x)
	}
}

// AtMost sets v[i] to 1 where v[i] ≤ x and to 0 elsewhere, also where v[i] is NaN.
func (v Vector) AtMost(x float64) {
	for i, y := range v {
		v[i] = one(y <= x)
	}
}

// Less sets dst[i] to 1 where a[i] < b[i] and to 0 elsewhere, also where one is NaN. dst may be a
// or b.
func Less(dst, a, b Vector) {
	dst.mustFit(a)
	dst.mustFit(b)
	for i, x := range a {
		dst[i] = one(x < b[i])
	}
}

// LessEqual sets dst[i] to 1 where a[i] ≤ b[i] and to 0 elsewhere, also where one is NaN: with
// a = b it finds what is a number. dst may be a or b.
func LessEqual(dst, a, b Vector) {
	dst.mustFit(a)
	dst.mustFit(b)
	for i, x := range a {
		dst[i] = one(x <= b[i])
	}
}

// Select sets dst[i] to b[i] where mask[i] is ±0, and to a[i] elsewhere, bit for bit: unlike a
// product with a mask it leaves nothing of a NaN or an infinity that is not selected. dst may be
// any of the three.
func Select(dst, mask, a, b Vector) {
	dst.mustFit(mask)
	dst.mustFit(a)
	dst.mustFit(b)
	for i, m := range mask {
		x := a[i]
		if m == 0 {
			x = b[i]
		}
		dst[i] = x
	}
}

// one returns 1 for true and 0 for false.
func one(b bool) float64 { return float64(bit(b)) }

// bit is one as an integer, without a jump: whether a coordinate is in a mask is hard to foresee.
func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
