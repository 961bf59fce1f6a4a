package tensor

import (
	"cmp"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/kernel"
)

// TrimmedMean sets dst[i] to the mean of x[i] over the vectors x of xs, without the cut
// smallest and the cut largest of these numbers; 0 ≤ 2·cut < len(xs). It depends on the
// numbers only, not on the order of the vectors: the smallest is added first. NaN counts as
// +Inf, and a mean of zero is +0. dst may be one of xs. It allocates for more than 128 vectors.
//
// (Yin, Chen, Ramchandran, Bartlett, ICML 2018, Definition 2.)
func TrimmedMean(dst Vector, xs [][]float64, cut int) { meanOfRanks(dst, xs, cut, len(xs)-cut) }

// Median sets dst[i] to the median of x[i] over the vectors x of xs, of which there must be
// one at least. Of an even number it is the mean of the two in the middle. It is a TrimmedMean
// that leaves one number or two.
func Median(dst Vector, xs [][]float64) { TrimmedMean(dst, xs, (len(xs)-1)/2) }

// OrderStatistic sets dst[i] to the number of the given rank among x[i] over the vectors x of
// xs: 0 is the smallest, len(xs)−1 the largest. The rest is as for TrimmedMean.
func OrderStatistic(dst Vector, xs [][]float64, rank int) { meanOfRanks(dst, xs, rank, rank+1) }

// blockSize is how many numbers are sorted at a time: they stay in the first-level cache.
const blockSize = 3072

// comparators is how many integers a network for 128 vectors takes.
const comparators = 2942

// meanOfRanks sets dst[i] to the mean of the numbers of rank lo to hi, without hi.
func meanOfRanks(dst Vector, xs [][]float64, lo, hi int) {
	if lo < 0 || lo >= hi || hi > len(xs) {
		panic("tensor: no vector has these ranks")
	}
	var block [blockSize + 8]float64
	var pairs [comparators]int32
	s := newSorter(block[:], pairs[:], xs, len(dst), span{lo, hi})
	for from := 0; from < len(dst); from += s.step {
		part := dst[from:min(from+s.step, len(dst))]
		s.sort(from, len(part))
		s.mean(part, lo, hi)
	}
}

// A sorter sorts columns, a block of them at a time.
type sorter struct {
	xs      [][]float64
	room    []float64
	network kernel.Network
	step    int // columns of a block
}

// A span is ranks that are wanted, from low up to high, which is not among them.
type span struct{ low, high int }

// newSorter returns a sorter of n columns, one number of each in every vector of xs, by which the
// numbers of some ranks are found.
func newSorter(block []float64, pairs []int32, xs [][]float64, n int, of span) sorter {
	for _, x := range xs {
		if len(x) != n {
			panic("tensor: lengths do not fit")
		}
	}
	room := kernel.Aligned(block)[:blockSize]
	if least := 8 * len(xs); least > blockSize {
		room = make([]float64, least)
	}
	s := sorter{xs: xs, room: room, step: min(len(room)/max(1, len(xs)), n+7) &^ 7}
	if n > 0 && len(xs) > 0 {
		s.network = kernel.NewNetwork(pairs, len(xs), s.step, of.low, of.high)
	}
	return s
}

// rank returns the numbers of a rank in n columns.
func (s *sorter) rank(k, n int) []float64 { return s.room[k*s.step:][:n] }

// sort sorts n columns from one on, with +Inf for NaN, and reports whether all are finite.
func (s *sorter) sort(from, n int) (finite bool) {
	for k, x := range s.xs {
		copy(s.rank(k, n), x[from:])
	}
	room := s.room[:len(s.xs)*s.step]
	finite = kernel.Finite(room)
	if !finite {
		for i, v := range room {
			if v != v {
				room[i] = math.Inf(1)
			}
		}
	}
	s.network.Sort(room)
	return finite
}

// mean sets part to the mean of the numbers of rank lo to hi in as many columns, without hi.
func (s *sorter) mean(part []float64, lo, hi int) {
	clear(part)
	for k := lo; k < hi; k++ {
		kernel.Axpy(part, 1, s.rank(k, len(part)))
	}
	for i := range part {
		part[i] /= float64(hi - lo)
	}
}

// ArgSort returns in dst the indices of x by ascending number: x[dst[0]] is the smallest. Equal
// numbers, as +0 and −0 are, stay in the order of their indices, and NaN is last. It allocates
// nothing when dst has the capacity.
func ArgSort(dst []int, x Vector) []int {
	dst = indices(dst, len(x))
	slices.SortFunc(dst, func(i, j int) int { return compare(x[i], x[j], i, j) })
	return dst
}

// ArgSortDescending is ArgSort by descending number: x[dst[0]] is the largest. Equal numbers stay
// in the order of their indices here, too, and NaN is last.
func ArgSortDescending(dst []int, x Vector) []int {
	dst = indices(dst, len(x))
	slices.SortFunc(dst, func(i, j int) int { return compare(-x[i], -x[j], i, j) })
	return dst
}

// indices returns 0, 1, … n−1 in dst.
func indices(dst []int, n int) []int {
	dst = dst[:0]
	for i := range n {
		dst = append(dst, i)
	}
	return dst
}

// compare orders two numbers with their indices.
func compare(a, b float64, i, j int) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a != a && b == b:
		return 1
	case a == a && b != b:
		return -1
	}
	return cmp.Compare(i, j)
}
