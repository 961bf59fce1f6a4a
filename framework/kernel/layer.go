package kernel

import "math"

// AddBias32 adds bias to every row of y, a row-major matrix of len(bias) columns.
func AddBias32(y, bias []float32) { addBias(active, y, bias, lowest()) }

// AddBiasReLU32 adds bias to every row of y and sets what is negative to 0. A NaN stays.
func AddBiasReLU32(y, bias []float32) { addBias(active, y, bias, 0) }

// ReLUBackward32 turns the gradient of the outputs of a ReLU into that of its inputs: where
// out ≤ 0, grad becomes 0.
func ReLUBackward32(grad, out []float32) {
	fit(len(grad) == len(out))
	reluBack32(active, grad, out)
}

// AddColumns32 adds the rows of a to dst, which is the gradient of a bias: a is a row-major
// matrix of len(dst) columns. Rows are added in fours, dst + ((r₀ + r₁) + (r₂ + r₃)), and
// those left over one by one.
func AddColumns32(dst, a []float32) { addColumns(active, dst, a) }

// ScaleRows32 sets every row of dst to a∘x + z, by a fused multiply-add each, and what is then
// negative to 0 if relu is true; a NaN stays. dst and x are row-major matrices of len(a)
// columns, and z is one more or a single row. dst may be x or z.
func ScaleRows32(dst, x, a, z []float32, relu bool) {
	s := scaling{dst, x, a, z, relu}
	s.run(active)
}

// Moments32 sets sum to Σ x and dot to Σ x·y, by column, of row-major matrices of len(sum)
// columns. Both are added up in double precision, one row after another.
func Moments32(sum, dot []float64, x, y []float32) { moments(active, sum, dot, x, y) }

func moments(p path, sum, dot []float64, x, y []float32) {
	n := len(sum)
	fit(n > 0 && len(dot) == n && len(x)%n == 0 && len(y) == len(x))
	if n%16 != 0 || len(x) == 0 {
		p = generic
	}
	moments32(p, sum, dot, x, y, len(x)/n)
}

// A scaling is what ScaleRows32 is asked for.
type scaling struct {
	dst, x, a, z []float32
	relu         bool
}

func (s *scaling) run(p path) {
	rows, n := rowsOf(s.dst, s.a), len(s.a)
	fit(len(s.x) == len(s.dst) && (len(s.z) == n || len(s.z) == len(s.dst)))
	if rows == 0 {
		return
	}
	at := [3]int{rows, 0, int(math.Float32bits(lowest()))}
	if len(s.z) > n {
		at[1] = 1
	}
	if s.relu {
		at[2] = 0
	}
	affine32(whole(p, n), s.dst, s.x, s.a, s.z, at[:])
}

// whole returns a path on which so many float32 fill registers.
func whole(p path, n int) path {
	switch {
	case n%8 != 0 || n == 0:
		return generic
	case n%16 != 0:
		return min(p, avx2)
	}
	return p
}

// lowest returns what is below every number.
func lowest() float32 { return float32(math.Inf(-1)) }

func addBias(p path, y, bias []float32, floor float32) {
	if rows := rowsOf(y, bias); rows > 0 {
		bias32(p, y, bias, rows, floor)
	}
}

func addColumns(p path, dst, a []float32) {
	rows, n := rowsOf(a, dst), len(dst)
	if rows >= 4 {
		columns32(p, dst, a, rows/4)
	}
	for i := rows &^ 3; i < rows; i++ {
		axpy32(p, dst, 1, a[i*n:(i+1)*n])
	}
}

// rowsOf returns how many rows as long as the given one a row-major matrix has.
func rowsOf[T float](a, row []T) int {
	if len(row) == 0 {
		fit(len(a) == 0)
		return 0
	}
	fit(len(a)%len(row) == 0)
	return len(a) / len(row)
}

func biasGeneric(y, bias []float32, rows int, floor float32) {
	for i := range rows {
		row := y[i*len(bias):][:len(bias)]
		for j, b := range bias {
			sum := row[j] + b
			if sum < floor {
				sum = floor
			}
			row[j] = sum
		}
	}
}

func reluBackGeneric(grad, out []float32) {
	for i, x := range out {
		if x <= 0 {
			grad[i] = 0
		}
	}
}

// affineGeneric sets rows of dst to a∘x + z: as many as at says first, while z moves on by as
// many rows as it says then, and to no less than the float32 whose bits it says at last.
func affineGeneric(dst, x, a, z []float32, at []int) {
	n, floor := len(a), math.Float32frombits(uint32(at[2]))
	for i := range at[0] {
		to, xs, zs := dst[i*n:][:n], x[i*n:][:n], z[i*at[1]*n:][:n]
		for j, scale := range a {
			sum := fma32(xs[j], scale, zs[j])
			if sum < floor {
				sum = floor
			}
			to[j] = sum
		}
	}
}

// momentsGeneric sets sum to Σ x and dot to Σ x·y, by column. Products are exact.
func momentsGeneric(sum, dot []float64, x, y []float32, rows int) {
	clear(sum)
	clear(dot)
	n := len(sum)
	dot = dot[:n]
	for i := range rows {
		xs, ys := x[i*n:][:n], y[i*n:][:n]
		for c, v := range xs {
			sum[c] += float64(v)
			dot[c] += float64(v) * float64(ys[c])
		}
	}
}

func columnsGeneric(dst, a []float32, fours int) {
	n := len(dst)
	for i := range fours {
		r0, r1 := a[4*i*n:][:n], a[(4*i+1)*n:][:n]
		r2, r3 := a[(4*i+2)*n:][:n], a[(4*i+3)*n:][:n]
		for j, d := range dst {
			dst[j] = d + ((r0[j] + r1[j]) + (r2[j] + r3[j]))
		}
	}
}
