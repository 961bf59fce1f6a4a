package kernel

// RowMoments32 sets sum to Σ x and dot to Σ x·y, by row, of row-major matrices of len(sum) rows.
// Both are added up in double precision, element i of a row in lane i mod 16, and a fixed tree adds
// the lanes. A sum of zero is +0.
func RowMoments32(sum, dot []float64, x, y []float32) { sumRows(active, sum, dot, x, y) }

// rowLanes is how many sums there are of a row.
const rowLanes = 16

func sumRows(p path, sum, dot []float64, x, y []float32) {
	fit(len(dot) == len(sum) && len(y) == len(x))
	if len(sum) == 0 {
		return
	}
	cols := len(x) / len(sum)
	fit(cols*len(sum) == len(x))
	if cols%rowLanes != 0 || cols == 0 {
		p = generic
	}
	rowMoments32(p, sum, dot, x, y, cols)
}

// Blend32 sets dst to a·x + (b·y + c), by two fused multiply-adds; by holds a, b and c. dst may be
// x or y.
func Blend32(dst, x, y []float32, by [3]float32) {
	fit(len(x) == len(dst) && len(y) == len(dst))
	blend32(active, dst, x, y, by[:])
}

func blendGeneric(dst, x, y, by []float32) {
	x, y = x[:len(dst)], y[:len(dst)]
	a, b, c := by[0], by[1], by[2]
	for i, v := range x {
		dst[i] = fma32(v, a, fma32(y[i], b, c))
	}
}

// rowMomentsGeneric is RowMoments32. Products are exact.
func rowMomentsGeneric(sum, dot []float64, x, y []float32, cols int) {
	for r := range sum {
		var sums, dots [rowLanes]float64
		xs, ys := x[r*cols:][:cols], y[r*cols:][:cols]
		for i, v := range xs {
			sums[i%rowLanes] += float64(v)
			dots[i%rowLanes] += float64(v) * float64(ys[i])
		}
		for half := rowLanes / 2; half > 0; half /= 2 {
			for k := range half {
				sums[k] += sums[half+k]
				dots[k] += dots[half+k]
			}
		}
		sum[r], dot[r] = sums[0]+0, dots[0]+0
	}
}
