package stats

import (
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A MinNorm finds the shortest convex combination of vectors gᵢ whose weights are within bounds:
//
//	min ‖Σ λᵢgᵢ‖² over low ≤ λ ≤ high, Σ λᵢ = 1,
//
// by P. Wolfe's algorithm (Math. Programming 11, 1976), which is an active-set method: a corral of
// affinely independent vertices, the nearest point of whose affine hull lies in their convex hull,
// gains the vertex that lies deepest below the plane through it, until there is none. A vertex has
// all weights at a bound but one. It keeps its memory from one problem to the next.
type MinNorm struct {
	gram    tensor.Matrix
	corral  tensor.Matrix // a vertex a row
	image   tensor.Matrix // of each vertex: gram·vertex
	share   tensor.Vector // of each vertex, sums to 1
	point   tensor.Vector // λ = Σ share·corral
	slope   tensor.Vector // gram·λ
	vertex  tensor.Vector
	affine  tensor.Vector
	factor  []float64
	order   []int
	members int // vertices in the corral
}

// minNormTolerance is the duality gap at which a combination is the shortest one, of the largest
// ‖gᵢ‖².
const minNormTolerance = 1e-14

// Solve sets dst to λ, given gram = ⟨gᵢ, gⱼ⟩ and bounds that 0 ≤ low ≤ high and Σ low ≤ 1 ≤ Σ high
// hold for. It returns how much larger ‖Σ λᵢgᵢ‖² may be than the least one, its duality gap, as a
// share of the largest ‖gᵢ‖²: a certificate, computed from dst.
func (m *MinNorm) Solve(dst tensor.Vector, gram tensor.Matrix, low, high tensor.Vector) float64 {
	scale := m.open(gram)
	clear(m.slope)
	m.deepest(low, high)
	m.enter(1)
	for range 100 * (len(dst) + 10) {
		m.move()
		m.deepest(low, high)
		gap := m.point.Dot(m.slope) - m.vertex.Dot(m.slope)
		if gap <= minNormTolerance*scale || m.contains() || m.members == m.corral.Rows {
			break
		}
		m.enter(0)
		if !m.settle() {
			break
		}
	}
	m.move()
	m.deepest(low, high)
	copy(dst, m.point)
	if scale == 0 {
		return 0
	}
	return max(0, m.point.Dot(m.slope)-m.vertex.Dot(m.slope)) / scale
}

// open makes room, and returns the largest ‖gᵢ‖².
func (m *MinNorm) open(gram tensor.Matrix) (scale float64) {
	n := gram.Rows
	m.gram, m.members = gram, 0
	if m.corral.Cols != n {
		m.corral, m.image = tensor.NewMatrix(n+1, n), tensor.NewMatrix(n+1, n)
		m.share, m.affine = make(tensor.Vector, n+1), make(tensor.Vector, n+1)
		m.point, m.slope = make(tensor.Vector, n), make(tensor.Vector, n)
		m.vertex, m.order = make(tensor.Vector, n), make([]int, n)
		m.factor = make([]float64, (n+1)*(n+1))
	}
	for i := range n {
		scale = max(scale, gram.Row(i)[i])
	}
	return scale
}

// deepest sets vertex to the one with the least inner product with slope.
func (m *MinNorm) deepest(low, high tensor.Vector) {
	order := tensor.ArgSort(m.order[:0], m.slope)
	copy(m.vertex, low)
	left := 1 - low.Sum()
	for _, i := range order {
		more := min(high[i]-low[i], left)
		m.vertex[i] += more
		if left -= more; left <= 0 {
			return
		}
	}
}

// contains reports whether the vertex is in the corral.
func (m *MinNorm) contains() bool {
	for k := range m.members {
		if slices.Equal(m.corral.Row(k), m.vertex) {
			return true
		}
	}
	return false
}

// enter adds the vertex to the corral.
func (m *MinNorm) enter(share float64) {
	k := m.members
	copy(m.corral.Row(k), m.vertex)
	m.gram.MulVec(m.image.Row(k), m.vertex)
	m.share[k] = share
	m.members++
}

// leave drops a vertex from the corral.
func (m *MinNorm) leave(k int) {
	last := m.members - 1
	for ; k < last; k++ {
		copy(m.corral.Row(k), m.corral.Row(k+1))
		copy(m.image.Row(k), m.image.Row(k+1))
		m.share[k] = m.share[k+1]
	}
	m.members = last
}

// move sets the point and its slope to where the shares say.
func (m *MinNorm) move() {
	share := m.share[:m.members]
	share.Scale(1 / share.Sum())
	clear(m.point)
	clear(m.slope)
	for k, s := range share {
		m.point.AddScaled(s, m.corral.Row(k))
		m.slope.AddScaled(s, m.image.Row(k))
	}
}

// settle goes to the nearest point of the corral's affine hull, or as far as its convex hull goes.
// There it drops the vertices that hold it back, and goes on. It reports whether it could.
func (m *MinNorm) settle() bool {
	for {
		if !m.nearest() {
			m.leave(m.members - 1)
			return false
		}
		stop, reach := -1, 1.0
		for k := range m.members {
			if a := m.affine[k]; a < 0 {
				if t := m.share[k] / (m.share[k] - a); stop < 0 || t < reach {
					stop, reach = k, t
				}
			}
		}
		for k := range m.members {
			m.share[k] = max(0, (1-reach)*m.share[k]+reach*m.affine[k])
		}
		if stop < 0 {
			return true
		}
		m.leave(stop)
	}
}

// nearest sets affine to the shares, some of them perhaps negative, of the nearest point of the
// corral's affine hull. These solve (Q + σ11ᵀ)a = 1 but for their sum, where Q holds the inner
// products of vertices: that matrix is positive definite. It reports whether it is so in floats.
func (m *MinNorm) nearest() bool {
	n := m.members
	l, sigma := m.factor, 0.0
	for i := range n {
		sigma = max(sigma, m.corral.Row(i).Dot(m.image.Row(i)))
	}
	if sigma == 0 {
		return false
	}
	for i := range n {
		for j := range i + 1 {
			x := m.corral.Row(i).Dot(m.image.Row(j)) + sigma
			for k := range j {
				x -= l[i*n+k] * l[j*n+k]
			}
			if i != j {
				l[i*n+j] = x / l[j*n+j]
			} else if x > 1e-16*sigma {
				l[i*n+i] = math.Sqrt(x)
			} else {
				return false
			}
		}
	}
	a := m.affine[:n]
	for i := range n {
		a[i] = 1
		for k := range i {
			a[i] -= l[i*n+k] * a[k]
		}
		a[i] /= l[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			a[i] -= l[k*n+i] * a[k]
		}
		a[i] /= l[i*n+i]
	}
	a.Scale(1 / a.Sum())
	return a.Finite()
}
