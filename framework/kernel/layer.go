package kernel

// AddBias32 adds bias to every row of y, a row-major matrix of len(bias) columns.
func AddBias32(y, bias []float32) { addBias(active, y, bias) }

// AddBiasReLU32 adds bias to every row of y and sets what is negative to 0. A NaN stays.
func AddBiasReLU32(y, bias []float32) { addBiasReLU(active, y, bias) }

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

func addBias(p path, y, bias []float32) {
	if rows := rowsOf(y, bias); rows > 0 {
		bias32(p, y, bias, rows)
	}
}

func addBiasReLU(p path, y, bias []float32) {
	if rows := rowsOf(y, bias); rows > 0 {
		biasReLU32(p, y, bias, rows)
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

func biasGeneric(y, bias []float32, rows int) {
	for i := range rows {
		row := y[i*len(bias):][:len(bias)]
		for j, b := range bias {
			row[j] += b
		}
	}
}

func biasReLUGeneric(y, bias []float32, rows int) {
	for i := range rows {
		row := y[i*len(bias):][:len(bias)]
		for j, b := range bias {
			sum := row[j] + b
			if sum < 0 {
				sum = 0
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
