package ot

import (
	"cmp"
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
	sums  tensor.Vector // theirs, by point and then in that order
	at    []four        // their coordinates in that order, those of a point together
	dim   int
	wide  int // fours of a point
}

// A four is as many coordinates of a point; beyond its dimension they are 0.
type four [4]float64

// apart returns the squared distance of two points.
func (x *four) apart(y *four) float64 {
	a, b, c, d := x[0]-y[0], x[1]-y[1], x[2]-y[2], x[3]-y[3]
	return float64(a*a) + float64(b*b) + (float64(c*c) + float64(d*d))
}

// load takes points, d×n.
func (f *neighbours) load(x tensor.Matrix) {
	f.dim, f.wide = x.Rows, (x.Rows+3)/4
	f.order, f.sums = resize(f.order, x.Cols), resize(f.sums, x.Cols)
	f.at = resize(f.at, x.Cols*f.wide)
	clear(f.sums)
	for k := range x.Rows {
		f.sums.Add(x.Row(k))
	}
	for i := range f.order {
		f.order[i] = i
	}
	slices.SortFunc(f.order, func(i, j int) int {
		return cmp.Or(cmp.Compare(f.sums[i], f.sums[j]), i-j)
	})
	slices.Sort(f.sums)
	clear(f.at)
	for r, i := range f.order {
		for k := range x.Rows {
			f.at[r*f.wide+k/4][k%4] = x.Row(k)[i]
		}
	}
}

// of returns the point nearest to point p of x, the first of several.
func (f *neighbours) of(x tensor.Matrix, p int) int {
	var first four
	sum := 0.0
	for k := range f.dim {
		v := x.Data[k*x.Cols+p]
		sum += v
		if k < 4 {
			first[k] = v
		}
	}
	best, least := len(f.order), math.Inf(1)
	reach := math.Inf(1) // of sums that can belong to a nearer point, or to one as near
	look := func(r int) {
		apart := first.apart(&f.at[r*f.wide])
		if f.wide > 1 {
			apart += f.beyond(x, p, r)
		}
		if i := f.order[r]; apart < least || apart == least && i < best {
			best, least = i, apart
			// A little more, as sums and distances are rounded.
			reach = math.Sqrt(apart*float64(f.dim))*(1+1e-9) + 1e-12*math.Abs(sum)
		}
	}
	// A few on both sides first, so that what is on one side need not all be looked at.
	const few = 4
	middle := sort.SearchFloat64s(f.sums, sum)
	lo, hi := max(0, middle-few), min(len(f.sums), middle+few)
	for r := lo; r < hi; r++ {
		look(r)
	}
	for r := hi; r < len(f.sums) && f.sums[r]-sum <= reach; r++ {
		look(r)
	}
	for r := lo - 1; r >= 0 && sum-f.sums[r] <= reach; r-- {
		look(r)
	}
	return best
}

// beyond returns what is left of the squared distance after the first four coordinates.
func (f *neighbours) beyond(x tensor.Matrix, p, r int) (sum float64) {
	for b := 1; b < f.wide; b++ {
		var part four
		for k := 4 * b; k < min(4*b+4, f.dim); k++ {
			part[k%4] = x.Data[k*x.Cols+p]
		}
		sum += part.apart(&f.at[r*f.wide+b])
	}
	return sum
}
