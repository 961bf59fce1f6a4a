package kernel

import "unsafe"

// run multiplies a tile on a path.
func (t *tile[T]) run(way path) {
	switch t := any(t).(type) {
	case *tile32:
		switch way {
		case avx512:
			tile32avx512(t)
		case avx2:
			tile32avx2(t)
		default:
			t.chains()
		}
	case *tile64:
		switch way {
		case avx512:
			tile64avx512(t)
		case avx2:
			tile64avx2(t)
		default:
			t.chains()
		}
	}
}

// flipBlocks does what flip does for the first rows and columns of src that make square
// blocks, and returns how many of each these are.
func flipBlocks[T float](way path, dst, src Matrix[T]) (rows, cols int) {
	var one T
	size := int(unsafe.Sizeof(one))
	side := 32 / size
	rows, cols = src.Rows/side*side, src.Cols/side*side
	if way == generic || rows == 0 || cols == 0 {
		return 0, 0
	}
	for i := 0; i < rows; i += side {
		to, from := unsafe.Pointer(&dst.Data[i]), unsafe.Pointer(&src.Data[i*src.Stride])
		step, row := dst.Stride*size, src.Stride*size
		if size == 4 {
			transpose32((*float32)(to), step, (*float32)(from), row, cols/side)
		} else {
			transpose64((*float64)(to), step, (*float64)(from), row, cols/side)
		}
	}
	return rows, cols
}

// copyRows copies rows as wide as a full tile, which begin at src, without gaps into dst, or
// returns false if it cannot.
func copyRows[T float](way path, dst Matrix[T], src []T, stride int) bool {
	bytes := stride * int(unsafe.Sizeof(src[0]))
	to, from := (*byte)(unsafe.Pointer(&dst.Data[0])), (*byte)(unsafe.Pointer(&src[0]))
	switch way {
	case avx512:
		copyRows128(to, from, bytes, dst.Rows)
	case avx2:
		copyRows64(to, from, bytes, dst.Rows)
	default:
		return false
	}
	return true
}

// copyStrip copies as many rows as dst has, of stripWide elements each, which begin at src.
func copyStrip[T float](dst Matrix[T], src []T, stride int) {
	size := int(unsafe.Sizeof(src[0]))
	to, from := (*byte)(unsafe.Pointer(&dst.Data[0])), (*byte)(unsafe.Pointer(&src[0]))
	if size == 4 {
		copyRows64(to, from, stride*size, dst.Rows)
	} else {
		copyRows128(to, from, stride*size, dst.Rows)
	}
}
