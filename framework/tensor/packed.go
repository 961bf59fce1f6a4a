package tensor

// Packed returns how many elements of a symmetric n×n matrix lie on and below its diagonal:
// they determine it.
func Packed(n int) int { return n * (n + 1) / 2 }

// Pack sets dst, of length Packed(n), to the elements of a symmetric n×n matrix on and below its
// diagonal, row by row.
func (m Matrix) Pack(dst Vector) {
	m.mustPack(dst)
	for i := range m.Rows {
		copy(dst[Packed(i):], m.Row(i)[:i+1])
	}
}

// Unpack sets an n×n matrix to the symmetric one that Pack has put into v.
func (m Matrix) Unpack(v Vector) {
	m.mustPack(v)
	for i := range m.Rows {
		copy(m.Row(i), v[Packed(i):Packed(i+1)])
	}
	mirror(m)
}

func (m Matrix) mustPack(v Vector) {
	if m.Rows != m.Cols || len(v) != Packed(m.Rows) {
		panic("tensor: shapes do not fit")
	}
}
