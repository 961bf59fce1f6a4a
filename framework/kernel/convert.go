package kernel

import "math"

// Narrow sets dst to x, rounded to float32.
func Narrow(dst []float32, x []float64) { narrow(active, dst, x) }

// NarrowSum sets dst to x + αy, a fused multiply-add rounded to float32.
func NarrowSum(dst []float32, x []float64, alpha float64, y []float64) {
	narrowSum(active, dst, x, alpha, y)
}

// Moved adds to x by how much now, a copy of it that was rounded to float32, has moved: x ← x +
// (now − float32(x)). So a model that is trained in float32 keeps the digits that its copy lacked,
// and one that did not move is unchanged.
func Moved(x []float64, now []float32) { moved(active, x, now) }

// Quotients sets dst to bytes divided by a number.
func Quotients(dst []float32, x []uint8, by float32) { quotients(active, dst, x, by) }

func quotients(p path, dst []float32, x []uint8, by float32) {
	fit(len(x) == len(dst))
	whole := len(x) &^ 15
	quotients32(p, dst[:whole], x[:whole], by)
	quotientsGeneric(dst[whole:], x[whole:], by)
}

func narrow(p path, dst []float32, x []float64) {
	fit(len(x) == len(dst))
	whole := len(x) &^ 7
	narrow64(p, dst[:whole], x[:whole])
	narrowGeneric(dst[whole:], x[whole:])
}

func narrowSum(p path, dst []float32, x []float64, alpha float64, y []float64) {
	fit(len(x) == len(dst) && len(y) == len(dst))
	whole := len(x) &^ 7
	narrowSum64(p, dst[:whole], x[:whole], alpha, y[:whole])
	narrowSumGeneric(dst[whole:], x[whole:], alpha, y[whole:])
}

func moved(p path, x []float64, now []float32) {
	fit(len(x) == len(now))
	whole := len(x) &^ 7
	moved64(p, x[:whole], now[:whole])
	movedGeneric(x[whole:], now[whole:])
}

// narrowGeneric rounds x to float32.
func narrowGeneric(dst []float32, x []float64) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = float32(v)
	}
}

// quotientsGeneric divides bytes by a number.
func quotientsGeneric(dst []float32, x []uint8, by float32) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = float32(v) / by
	}
}

// narrowSumGeneric rounds x + alpha·y to float32.
func narrowSumGeneric(dst []float32, x []float64, alpha float64, y []float64) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, v := range x {
		dst[i] = float32(math.FMA(alpha, y[i], v))
	}
}

// movedGeneric adds now − float32(x) to x.
func movedGeneric(x []float64, now []float32) {
	now = now[:len(x)]
	for i, v := range x {
		x[i] = v + (float64(now[i]) - float64(float32(v)))
	}
}
