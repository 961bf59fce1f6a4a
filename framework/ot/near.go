package ot

import (
	"math"
	"slices"
	"sort"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// neighbours finds the nearest of some points: in the order of the sums of their coordinates, of
// which two points that are δ apart differ by at most δ·√d. Colours of images lie along that
// diagonal, so few are looked at.
type neighbours struct {
	order []int         // points by ascending sum
	sums  tensor.Vector // theirs, in that order
	at    tensor.Vector // their coordinates, in that order, those of a point together
	dim   int
}

// load takes points, d×n.
func (f *neighbours) load(x tensor.Matrix) {
	f.dim = x.Rows
	f.order, f.sums = resize(f.order, x.Cols), resize(f.sums, x.Cols)
	f.at = resize(f.at, x.Cols*x.Rows)
	all := f.at[:x.Cols] // until the coordinates are there
	for i := range all {
		f.order[i], all[i] = i, 0
		for k := range x.Rows {
			all[i] += x.Row(k)[i]
		}
	}
	slices.SortStableFunc(f.order, func(i, j int) int {
		switch {
		case all[i] < all[j]:
			return -1
		case all[i] > all[j]:
			return 1
		}
		return i - j
	})
	for r, i := range f.order {
		f.sums[r] = all[i]
	}
	for r, i := range f.order {
		for k := range x.Rows {
			f.at[r*x.Rows+k] = x.Row(k)[i]
		}
	}
}

// of returns the point nearest to point p of x, the first of several.
func (f *neighbours) of(x tensor.Matrix, p int) int {
	sum := 0.0
	for k := range f.dim {
		sum += x.Data[k*x.Cols+p]
	}
	up := sort.SearchFloat64s(f.sums, sum)
	down := up - 1
	best, least := -1, math.Inf(1)
	reach := math.Inf(1) // of sums that can belong to a nearer point, or to one as near
	for {
		a, b := math.Inf(1), math.Inf(1)
		if up < len(f.sums) {
			a = f.sums[up] - sum
		}
		if down >= 0 {
			b = sum - f.sums[down]
		}
		if min(a, b) > reach || math.IsInf(min(a, b), 1) {
			return best
		}
		r := up
		if a <= b {
			up++
		} else {
			r = down
			down--
		}
		apart := 0.0
		for k, y := range f.at[r*f.dim:][:f.dim] {
			d := x.Data[k*x.Cols+p] - y
			apart = math.FMA(d, d, apart)
		}
		if i := f.order[r]; apart < least || apart == least && i < best {
			best, least = i, apart
			// A little more, as sums and distances are rounded.
			reach = math.Sqrt(least*float64(f.dim))*(1+1e-9) + 1e-12*math.Abs(sum)
		}
	}
}
