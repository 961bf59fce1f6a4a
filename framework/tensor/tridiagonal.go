package tensor

import (
	"math"

	"github.com/hansa-fl/hansa/framework/kernel"
)

const (
	panel  = 32  // reflections that change the rest of the matrix together
	stripe = 128 // rows of the rest that are changed together; a multiple of 8
	sheaf  = 64  // reflections that change the eigenvectors together, at most 3·panel
)

// A reduction brings a symmetric matrix A into tridiagonal form T = HᵀAH, from its last row up
// (Dongarra, Sorensen, Hammarling. Block reduction of matrices to condensed forms for
// eigenvalue computations. J. Comput. Appl. Math., 1989; there from the first row down).
//
// H = Hₙ₋₁ ⋯ H₁, and Hⱼ = I − τⱼ·v·vᵀ makes row j zero left of its two last elements. Within a
// panel of rows the reflections wait: what they make of A is A + VᵀW + WᵀV, with a row of V and one
// of W for each, and the next row is updated when it is needed.
type reduction struct {
	n, stride        int
	a                []float64 // rows of A up to the diagonal block of 8, then those of all V
	vwv              []float64 // three panels: V, W and V again
	diagonal, beside []float64 // of T: elements (j, j) and (j+1, j)
	tau              []float64
	weights          [panel]float64
	gram, triangle   []float64 // sheaf×sheaf
	product          []float64 // n×sheaf
}

func (r *reduction) resize(n int) {
	r.n, r.stride = n, apart(n)
	r.a = room(r.a, rounded(n)*r.stride)
	r.vwv = room(r.vwv, 3*panel*r.stride)
	r.diagonal, r.beside, r.tau = room(r.diagonal, n), room(r.beside, n), room(r.tau, n)
	r.gram, r.triangle = room(r.gram, sheaf*sheaf), room(r.triangle, sheaf*sheaf)
	r.product = room(r.product, n*sheaf)
}

// load takes over A divided by a power of two that leaves its largest element near 1, and
// returns its exponent. So no square overflows, and what underflows is negligible.
func (r *reduction) load(a Matrix) (exponent int) {
	largest := 0.0
	for i := range r.n {
		for _, x := range a.Row(i)[:i+1] {
			largest = max(largest, math.Abs(x))
		}
	}
	_, exponent = math.Frexp(largest)
	half := exponent / 2 // 2 to the power of −exponent may be no number
	clear(r.a)
	for i := range r.n {
		row := r.a[i*r.stride:]
		copy(row, a.Row(i)[:i+1])
		kernel.Scale(row[:i+1], math.Ldexp(1, -half))
		kernel.Scale(row[:i+1], math.Ldexp(1, half-exponent))
		for j := i &^ 7; j < i; j++ {
			r.a[j*r.stride+i] = row[j]
		}
	}
	return exponent
}

// run finds the reflections and T.
func (r *reduction) run(space *kernel.Workspace) {
	for end := r.n; end > 0; end -= panel {
		base := max(end-panel, 0)
		for j := end - 1; j >= base; j-- {
			r.eliminate(j, base, end)
		}
		if base > 0 {
			r.update(base, space)
		}
	}
}

// eliminate finds the reflection for row j of the panel of rows base to end, and its row of W.
func (r *reduction) eliminate(j, base, end int) {
	row, w := r.a[j*r.stride:][:r.stride], r.vwv[(panel+j-base)*r.stride:]
	vs, ws := r.a[(j+1)*r.stride:], w[r.stride:] // those of the panel before this one
	weights := r.weights[:end-1-j]
	for _, m := range [2][2][]float64{{vs, ws}, {ws, vs}} {
		for k := range weights {
			weights[k] = m[1][k*r.stride+j]
		}
		kernel.GemvTStrided(row[:j+1], m[0], r.stride, weights)
	}
	r.diagonal[j] = row[j]
	if j == 0 {
		return
	}
	clear(row[j:])
	v, w := row[:j], w[:rounded(j)]
	r.beside[j-1], r.tau[j] = reflect(v)
	kernel.Symv(w, r.a, r.stride, row[:len(w)]) // beyond v are zeros
	w = w[:j]
	for _, m := range [2][2][]float64{{vs, ws}, {ws, vs}} {
		kernel.GemvStrided(weights, m[1], r.stride, v)
		kernel.GemvTStrided(w, m[0], r.stride, weights)
	}
	kernel.Scale(w, -r.tau[j])
	kernel.Axpy(w, -r.tau[j]/2*kernel.Dot(w, v), v)
}

// reflect replaces x by the v with last element 1 for which (I − τ·v·vᵀ)·x has one element
// that is not 0, the last, and returns that and τ.
func reflect(x []float64) (last, tau float64) {
	// Below, numbers are so small beside the matrix that their squares would lose digits.
	const negligible = 1e-280
	head, end := x[:len(x)-1], &x[len(x)-1]
	alpha, square := *end, kernel.Dot(head, head)
	*end = 1
	if square < negligible {
		clear(head)
		return alpha, 0
	}
	last = -math.Copysign(math.Sqrt(math.FMA(alpha, alpha, square)), alpha)
	kernel.Scale(head, 1/(alpha-last))
	return last, (last - alpha) / last
}

// update applies the reflections of the panel above row base to the rows before.
func (r *reduction) update(base int, space *kernel.Workspace) {
	for k := range panel {
		v := r.a[(base+k)*r.stride:][:base]
		copy(r.vwv[k*r.stride:], v)
		copy(r.vwv[(2*panel+k)*r.stride:], v)
	}
	for lo := 0; lo < base; lo += stripe {
		hi := min(lo+stripe, base)
		rest := spaced(r.a[lo*r.stride:], hi-lo, hi, r.stride)
		vw := spaced(r.vwv[lo:], 2*panel, hi-lo, r.stride)
		wv := spaced(r.vwv[panel*r.stride:], 2*panel, hi, r.stride)
		kernel.Gemm64(space, rest, vw.T(), wv, true)
	}
}

// back sets z ← z·H₁⋯Hₙ₋₁, which turns eigenvectors of T in rows into those of A. For a sheaf
// of reflections that is z ← z − (z·Vᵀ)·(R·V) with a triangular R (Schreiber, Van Loan. A
// storage-efficient WY representation for products of Householder transformations. SIAM J.
// Sci. Stat. Comput., 1989).
func (r *reduction) back(z Matrix, space *kernel.Workspace) {
	for lo := 1; lo < r.n; lo += sheaf {
		k, cols := min(sheaf, r.n-lo), min(lo+sheaf, r.n)-1
		v := spaced(r.a[lo*r.stride:], k, cols, r.stride)
		gram := kernel.RowMajor(r.gram[:k*k], k, k)
		kernel.Gemm64(space, gram, v, v.T(), false)
		triangle := kernel.RowMajor(r.triangle[:k*k], k, k)
		r.join(triangle, gram, lo)
		rv := spaced(r.vwv, k, cols, r.stride)
		kernel.Gemm64(space, rv, triangle, v, false)
		part := spaced(z.Data, r.n, cols, z.Cols)
		zv := kernel.RowMajor(r.product[:r.n*k], r.n, k)
		kernel.Gemm64(space, zv, part, v.T(), false)
		kernel.Gemm64(space, part, zv, rv, true)
	}
}

// join sets t = −R for the reflections from lo on, whose products are gram = V·Vᵀ: column i of
// R is −τᵢ·R·gram[:, i] above the diagonal, and τᵢ on it.
func (r *reduction) join(t, gram kernel.Matrix[float64], lo int) {
	clear(t.Data)
	k := t.Rows
	for i := range k {
		tau := r.tau[lo+i]
		for p := range i {
			sum := 0.0
			for q := p; q < i; q++ {
				sum = math.FMA(t.Data[p*k+q], gram.Data[q*k+i], sum)
			}
			t.Data[p*k+i] = -tau * sum
		}
		t.Data[i*k+i] = -tau
	}
}
