package kernel

import "math"

// LogSumExp returns log Σ eˣ without overflow: −Inf for no elements or only −Inf, and NaN if
// one is NaN. The terms are added in stretches of 128, each as Softmax does.
func LogSumExp(x []float64) float64 { return logSumExp64(active, x) }

// Softmax sets dst to eˣ/Σeˣ, which does not overflow, and returns log Σ eˣ. Element i is
// added to lane i mod 8, and a fixed tree adds the lanes. dst may be x.
func Softmax(dst, x []float64) float64 {
	fit(len(x) == len(dst))
	return softmax64(active, dst, x)
}

// CrossEntropy takes the scores of len(labels) samples, row-major, one column per class. It
// returns the sum over samples of −log p of the label, where p is the softmax of the scores,
// and sets grad to scale times its gradient, p − 1 at the label and p elsewhere. grad may be
// scores. It panics if a label is no class.
func CrossEntropy(grad, scores []float64, labels []int, scale float64) float64 {
	return crossEntropy64(active, grad, scores, labels, scale)
}

// CrossEntropy32 is CrossEntropy for float32; the sum is made in float64.
func CrossEntropy32(grad, scores []float32, labels []int, scale float32) float64 {
	return crossEntropy32(active, grad, scores, labels, scale)
}

// shiftOf returns what to subtract from numbers before taking their exponentials: the
// largest, or 0 when that is infinite.
func shiftOf[T float](peak T) T {
	if peak-peak != 0 {
		return 0
	}
	return peak
}

// logOf returns shift + log sum.
func logOf(shift, sum float64) float64 { return shift + math.Log(sum) }

func softmax64(p path, dst, x []float64) float64 {
	shift, sum := probabilities64(p, dst, x, 1)
	return logOf(shift, sum)
}

// probabilities64 sets dst to scale·eˣ/Σeˣ and returns the two parts of Σeˣ = e^shift·sum.
func probabilities64(p path, dst, x []float64, scale float64) (shift, sum float64) {
	shift = shiftOf(peak64(p, x))
	sum = expSum64(p, dst, x, shift)
	scale64(p, dst, scale/sum)
	return shift, sum
}

// probabilities32 is probabilities64 for float32, with 16 lanes.
func probabilities32(p path, dst, x []float32, scale float32) (shift, sum float32) {
	shift = shiftOf(peak32(p, x))
	sum = expSum32(p, dst, x, shift)
	scale32(p, dst, scale/sum)
	return shift, sum
}

func logSumExp64(p path, x []float64) float64 {
	var terms [128]float64
	shift, sum := shiftOf(peak64(p, x)), 0.0
	for lo := 0; lo < len(x); lo += len(terms) {
		part := x[lo:min(lo+len(terms), len(x))]
		sum += expSum64(p, terms[:len(part)], part, shift)
	}
	return logOf(shift, sum)
}

// A logProduct adds logarithms of numbers between 1 and 1e18, by one logarithm of the product
// of 16 of them.
type logProduct struct {
	sum, product float64
	factors      int
}

func (l *logProduct) add(x float64) {
	l.product *= x
	if l.factors++; l.factors == 16 {
		l.flush()
	}
}

func (l *logProduct) flush() float64 {
	l.sum += math.Log(l.product)
	l.product, l.factors = 1, 0
	return l.sum
}

func crossEntropy64(p path, grad, scores []float64, labels []int, scale float64) float64 {
	loss, classes := logProduct{product: 1}, classesOf(grad, scores, labels)
	for i, label := range labels {
		row, x := grad[i*classes:][:classes], scores[i*classes:][:classes]
		own := x[label]
		shift, sum := probabilities64(p, row, x, scale)
		row[label] -= scale
		loss.sum += shift - own
		loss.add(sum)
	}
	return loss.flush()
}

func crossEntropy32(p path, grad, scores []float32, labels []int, scale float32) float64 {
	loss, classes := logProduct{product: 1}, classesOf(grad, scores, labels)
	for i, label := range labels {
		row, x := grad[i*classes:][:classes], scores[i*classes:][:classes]
		own := x[label]
		shift, sum := probabilities32(p, row, x, scale)
		row[label] -= scale
		loss.sum += float64(shift) - float64(own)
		loss.add(float64(sum))
	}
	return loss.flush()
}

// classesOf returns the number of columns of scores with a row for each label.
func classesOf[T float](grad, scores []T, labels []int) int {
	n := len(labels)
	fit(len(grad) == len(scores) && (n == 0 || len(scores)%n == 0) && (n > 0 || len(scores) == 0))
	if n == 0 {
		return 0
	}
	return len(scores) / n
}
