package tensor

import (
	"math"

	"github.com/hansa-fl/hansa/framework/kernel"
)

// Quantile sets dst[i] to the q-quantile of x[i] over the n vectors x of xs, of which there must be
// one at least; 0 ≤ q ≤ 1. With h = q·(n−1) it is the number of rank h, or where h is not whole
// the line between the numbers of rank ⌊h⌋ and ⌊h⌋+1 (type 7 of Hyndman and Fan, The American
// Statistician 50, 1996, which is NumPy's). The rest is as for TrimmedMean.
func Quantile(dst Vector, xs [][]float64, q float64) {
	rank, rest := quantile(len(xs), q)
	var block [blockSize + 8]float64
	var pairs [comparators]int32
	s := newSorter(block[:], pairs[:], xs, len(dst), span{rank, min(rank+2, len(xs))})
	for from := 0; from < len(dst); from += s.step {
		part := dst[from:min(from+s.step, len(dst))]
		s.sort(from, len(part))
		low := s.rank(rank, len(part))
		if rest == 0 {
			unsigned(part, low)
			continue
		}
		high := s.rank(rank+1, len(part))
		for i, a := range low {
			part[i] = between(a, high[i], rest)
		}
	}
}

// quantile returns the rank of a quantile of n numbers, and how far it is on the way to the next.
func quantile(n int, q float64) (rank int, rest float64) {
	if n == 0 || !(q >= 0 && q <= 1) {
		panic("tensor: no number has this quantile")
	}
	h := q * float64(n-1)
	rank = int(h)
	return rank, h - float64(rank)
}

// between returns the point of the line from a to b at t, and a where b is equal. A zero is +0.
func between(a, b, t float64) float64 {
	if a == b {
		return a + 0
	}
	return float64((1-t)*a) + float64(t*b) + 0
}

// unsigned copies numbers, with +0 for −0: which of the two has the lower rank depends on the
// order of the vectors.
func unsigned(dst, x []float64) {
	for i, y := range x {
		dst[i] = y + 0
	}
}

// SortColumns sets row k of dst to the numbers of rank k among x[i] over the vectors x of xs, for
// every i: row 0 to the smallest, the last to the largest. dst has a row for each of xs, and its
// rows may be xs, in their order. NaN counts as +Inf, and −0 becomes +0.
//
// What needs one or two ranks, Median, OrderStatistic or Quantile, finds without that memory.
func SortColumns(dst Matrix, xs [][]float64) {
	dst.mustFit(len(xs), dst.Cols)
	if len(xs) == 0 {
		return
	}
	var block [blockSize + 8]float64
	var pairs [comparators]int32
	s := newSorter(block[:], pairs[:], xs, dst.Cols, span{0, len(xs)})
	for from := 0; from < dst.Cols; from += s.step {
		n := min(s.step, dst.Cols-from)
		s.sort(from, n)
		for k := range xs {
			unsigned(dst.Row(k)[from:], s.rank(k, n))
		}
	}
}

// MeanAround sets dst[i] to the mean of those count numbers among x[i] over the vectors x of xs
// that are nearest to center[i]; 0 < count ≤ len(xs). Of two whose distances are equal, as rounded,
// on either side of center[i] it takes the smaller. It depends on the numbers only, not on the
// order of the vectors: the smallest is added first. NaN counts as +Inf, and a mean of zero is +0.
// Where center is not finite the mean is NaN. dst may be center or one of xs. It allocates for more
// than 128 vectors.
//
// (Around the median that is MeaMed: Xie, Koyejo, Gupta, arXiv:1802.10116, 2018; around the
// trimmed mean Phocas: the same, arXiv:1805.09682; and the last step of Bulyan: El Mhamdi,
// Guerraoui, Rouault, ICML 2018.)
func MeanAround(dst Vector, xs [][]float64, center Vector, count int) {
	dst.mustFit(center)
	meansAround(dst, xs, center, count)
}

// MeanAroundMedian is MeanAround the Median, to the bit: columns are sorted once for both.
func MeanAroundMedian(dst Vector, xs [][]float64, count int) { meansAround(dst, xs, nil, count) }

// meansAround is MeanAround, and without a center MeanAroundMedian.
func meansAround(dst Vector, xs [][]float64, center Vector, count int) {
	if count < 1 || count > len(xs) {
		panic("tensor: there are not so many vectors")
	}
	var block [blockSize + 8]float64
	var pairs [comparators]int32
	s := newSorter(block[:], pairs[:], xs, len(dst), span{0, len(xs)})
	for from := 0; from < len(dst); from += s.step {
		part := dst[from:min(from+s.step, len(dst))]
		finite := s.sort(from, len(part))
		if center == nil {
			s.mean(part, (len(xs)-1)/2, len(xs)/2+1)
		} else {
			copy(part, center[from:])
		}
		if finite {
			s.around(part, count)
			continue
		}
		for i, c := range part {
			part[i] = meanAround(s.room[i:], s.step, len(xs), c, count)
		}
	}
}

// around replaces centers by the means of the count numbers of their columns that are nearest to
// them. A number is among these if it is nearer than the one that is count ranks below it, and no
// farther than the one that is as many above.
func (s *sorter) around(part []float64, count int) {
	const most = 64 // columns at a time
	var sums, low, high [most]float64
	for i := range most {
		low[i], high[i] = math.Inf(-1), math.Inf(1)
	}
	n := len(s.xs)
	for from := 0; from < len(part); from += most {
		c := part[from:min(from+most, len(part))]
		sum := sums[:len(c)]
		clear(sum)
		for k := range n {
			below, above := low[:len(c)], high[:len(c)]
			if k >= count {
				below = s.rank(k-count, len(part))[from:][:len(c)]
			}
			if k+count < n {
				above = s.rank(k+count, len(part))[from:][:len(c)]
			}
			kernel.AddBetween(sum, below, s.rank(k, len(part))[from:][:len(c)], above, c)
		}
		for i, center := range c {
			c[i] = sum[i] / float64(count)
			if center-center != 0 {
				c[i] = math.NaN()
			}
		}
	}
}

// meanAround returns the mean of the count numbers nearest to c of n that ascend, stride apart.
func meanAround(column []float64, stride, n int, c float64, count int) float64 {
	if math.IsInf(c, 0) || c != c {
		return math.NaN()
	}
	// The nearest are neighbors. A window is too low as long as the number after its last is
	// nearer than its first.
	low, high := 0, n-count
	for low < high {
		first := (low + high) / 2
		if c-column[first*stride] > column[(first+count)*stride]-c {
			low = first + 1
		} else {
			high = first
		}
	}
	sum := 0.0
	for k := low; k < low+count; k++ {
		sum += column[k*stride]
	}
	return sum / float64(count)
}
