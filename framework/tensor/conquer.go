package tensor

import (
	"cmp"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/kernel"
)

// leaf is the most rows of a tridiagonal matrix that are not divided.
const leaf = 32

// unit is the distance from 1 to the next float64, halved.
const unit = 0x1p-53

// A conquest decomposes a symmetric tridiagonal matrix T by divide and conquer: without one
// pair of elements beside the diagonal, T falls into two halves; these are decomposed, and put
// together again by an update of rank one (Cuppen. A divide and conquer method for the
// symmetric tridiagonal eigenproblem. Numer. Math., 1981; Gu, Eisenstat. A divide-and-conquer
// algorithm for the symmetric tridiagonal eigenproblem. SIAM J. Matrix Anal. Appl., 1995).
// What must hold while it runs: rows lo to hi of q, in columns lo to hi, are the eigenvectors
// of a part that is done, d are their eigenvalues, order ascends by these, and the other
// columns of q are zero.
type conquest struct {
	n, stride int
	q, s      []float64 // n×stride; s: the eigenvectors of an update
	scratch   []float64 // n²: what an update reads of q
	d, e      []float64 // e: beside the diagonal of T
	order     []int
	space     *kernel.Workspace

	z             []float64 // T = diag(d) + ρ·z·zᵀ in the eigenvectors of its halves
	side          []side    // where each of these is not zero
	kept, dropped []int     // rows by ascending d: those that the update changes, the others
	secular       secular
}

// A side is where an eigenvector of the halves is not zero.
type side uint8

const (
	upper side = iota
	both
	lower
	sides
)

func (c *conquest) resize(n int) {
	c.n, c.stride = n, apart(n)
	c.q, c.s = room(c.q, n*c.stride), room(c.s, n*c.stride)
	c.d, c.e, c.z = room(c.d, n), room(c.e, n), room(c.z, n)
	c.order, c.kept, c.dropped = room(c.order, n), room(c.kept, n), room(c.dropped, n)
	c.side = room(c.side, n)
	c.secular.resize(n)
}

// begin takes over a tridiagonal matrix, and n² elements of scratch.
func (c *conquest) begin(t *reduction, scratch []float64, space *kernel.Workspace) {
	copy(c.d, t.diagonal)
	copy(c.e, t.beside)
	clear(c.q)
	c.scratch, c.space = scratch, space
}

// row returns columns lo to hi of row i of q.
func (c *conquest) row(i, lo, hi int) []float64 { return c.q[i*c.stride+lo : i*c.stride+hi] }

// solve decomposes rows lo to hi.
func (c *conquest) solve(lo, hi int) error {
	if hi-lo <= leaf {
		return c.iterate(lo, hi)
	}
	mid := lo + (hi-lo)/2
	beside := math.Abs(c.e[mid-1])
	c.d[mid-1] -= beside
	c.d[mid] -= beside
	if err := c.solve(lo, mid); err != nil {
		return err
	}
	if err := c.solve(mid, hi); err != nil {
		return err
	}
	u := update{conquest: c, lo: lo, mid: mid, hi: hi}
	return u.run()
}

// An update of rank one makes the eigenvectors of T from those of its halves, rows lo to mid
// and mid to hi.
type update struct {
	*conquest
	lo, mid, hi int
	rho         float64
	count       [sides]int // of the rows kept
}

func (u *update) run() error {
	u.couple()
	u.deflate()
	if len(u.kept) == 0 {
		return nil
	}
	first, second, others := u.gather()
	if err := u.secular.solve(u.s, u.stride, u.rho); err != nil {
		return err
	}
	u.multiply(0, first, u.lo)
	u.multiply(u.count[upper], second, u.mid)
	u.put(others)
	return nil
}

// couple finds ρ and z, of length 1, and the rows by ascending d.
func (u *update) couple() {
	beside := u.e[u.mid-1]
	u.rho = 2 * math.Abs(beside)
	for i := u.lo; i < u.mid; i++ {
		u.z[i], u.side[i] = u.q[i*u.stride+u.mid-1]*math.Sqrt2/2, upper
	}
	for i := u.mid; i < u.hi; i++ {
		u.z[i] = u.q[i*u.stride+u.mid] * math.Copysign(math.Sqrt2/2, beside)
		u.side[i] = lower
	}
	all := u.kept[:u.hi-u.lo]
	u.merge(all, u.order[u.lo:u.mid], u.order[u.mid:u.hi])
	copy(u.order[u.lo:], all)
}

// merge puts two lists of rows by ascending d together in dst.
func (c *conquest) merge(dst, a, b []int) {
	for k := range dst {
		if len(a) == 0 || len(b) > 0 && c.d[b[0]] < c.d[a[0]] {
			dst[k], b = b[0], b[1:]
		} else {
			dst[k], a = a[0], a[1:]
		}
	}
}

// deflate drops the rows that the update changes by no more than roundings.
func (u *update) deflate() {
	order := u.order[u.lo:u.hi]
	largest := max(math.Abs(u.d[order[0]]), math.Abs(u.d[order[len(order)-1]]))
	for _, i := range order {
		largest = max(largest, math.Abs(u.z[i]))
	}
	tolerance := 8 * unit * largest
	u.kept, u.dropped = u.kept[:0], u.dropped[:0]
	last := -1 // the row before, when it may be kept
	for _, i := range order {
		if u.rho*math.Abs(u.z[i]) <= tolerance {
			u.dropped = append(u.dropped, i)
			continue
		}
		if last >= 0 && u.rotate(last, i, tolerance) {
			u.dropped = append(u.dropped, last)
		} else if last >= 0 {
			u.kept = append(u.kept, last)
		}
		last = i
	}
	if last >= 0 {
		u.kept = append(u.kept, last)
	}
}

// rotate turns rows i and j so that z[i] becomes 0, and returns true, if what this leaves beside
// the diagonal is negligible.
func (u *update) rotate(i, j int, tolerance float64) bool {
	length := math.Sqrt(math.FMA(u.z[i], u.z[i], u.z[j]*u.z[j]))
	c, s := u.z[j]/length, u.z[i]/length
	if math.Abs((u.d[j]-u.d[i])*c*s) > tolerance {
		return false
	}
	u.z[i], u.z[j] = 0, length
	if u.side[i] != u.side[j] {
		u.side[j] = both
	}
	x, y := u.row(i, u.lo, u.hi), u.row(j, u.lo, u.hi)
	turn(x, y, c, s)
	di, dj := u.d[i], u.d[j]
	u.d[i] = math.FMA(c*c, di, s*s*dj)
	u.d[j] = math.FMA(c*c, dj, s*s*di)
	return true
}

// turn sets (x, y) ← (c·x − s·y, c·y + s·x).
func turn(x, y []float64, c, s float64) {
	y = y[:len(x)]
	for k, a := range x {
		b := y[k]
		x[k], y[k] = math.FMA(c, a, -s*b), math.FMA(c, b, s*a)
	}
}

// gather moves the problem into secular, and copies the rows of q: of those kept, sorted by
// their sides, the columns that are not zero; and all of the others.
func (u *update) gather() (first, second kernel.Matrix[float64], others []float64) {
	u.count = [sides]int{}
	for _, i := range u.kept {
		u.count[u.side[i]]++
	}
	next := [sides]int{0, u.count[upper], u.count[upper] + u.count[both]}
	first = kernel.RowMajor(u.scratch, next[lower], u.mid-u.lo)
	rest := u.scratch[first.Rows*first.Cols:]
	second = kernel.RowMajor(rest, u.count[both]+u.count[lower], u.hi-u.mid)
	others = rest[second.Rows*second.Cols:]
	u.secular.begin(len(u.kept))
	for j, i := range u.kept {
		at := next[u.side[i]]
		next[u.side[i]]++
		u.secular.set(j, at, u.d[i], u.z[i])
		if u.side[i] != lower {
			copy(first.Data[at*first.Cols:], u.row(i, u.lo, u.mid))
		}
		if u.side[i] != upper {
			copy(second.Data[(at-u.count[upper])*second.Cols:], u.row(i, u.mid, u.hi))
		}
	}
	for k, i := range u.dropped {
		copy(others[k*(u.hi-u.lo):], u.row(i, u.lo, u.hi))
		u.z[k] = u.d[i]
	}
	return first, second, others
}

// multiply sets the columns of q from col on, in as many rows as were kept, to the product of
// s, from its column skip on, and rows that were gathered.
func (u *update) multiply(skip int, rows kernel.Matrix[float64], col int) {
	k := len(u.kept)
	q := spaced(u.q[u.lo*u.stride+col:], k, rows.Cols, u.stride)
	kernel.Gemm64(u.space, q, spaced(u.s[skip:], k, rows.Rows, u.stride), rows, false)
}

// put puts the other rows behind those that were kept, and finds their order.
func (u *update) put(others []float64) {
	k := len(u.kept)
	for j := range u.kept {
		u.kept[j] = u.lo + j
		u.d[u.lo+j] = u.secular.values[j]
	}
	for j := range u.dropped {
		i := u.lo + k + j
		u.dropped[j] = i
		copy(u.row(i, u.lo, u.hi), others[j*(u.hi-u.lo):])
		u.d[i] = u.z[j]
	}
	slices.SortStableFunc(u.dropped, func(i, j int) int { return cmp.Compare(u.d[i], u.d[j]) })
	u.merge(u.order[u.lo:u.hi], u.kept, u.dropped)
}
