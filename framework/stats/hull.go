package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// A Reach says whether moments are feasible, met by weights that are not negative and sum to 1:
// feasible moments are the convex hull of the clients' covariates hᵢ. If not, it has the proof, a
// direction c in which all clients lie beyond the target h̄: ⟨c, hᵢ − h̄⟩ ≥ Margin > 0. Distances
// count the range of each covariate, largest less smallest, as 1.
type Reach struct {
	Feasible  bool          // Distance ≤ 1e-10
	Distance  float64       // from the target to the nearest feasible moments
	Nearest   tensor.Vector // these moments
	Direction tensor.Vector // c; nil when feasible
	Margin    float64       // minᵢ ⟨c, hᵢ − h̄⟩ ≤ Distance, equal but for rounding; 0 when feasible
	Steps     int           // of Wolfe's algorithm
}

// reachTolerance is the distance up to which moments count as met.
const reachTolerance = 1e-10

// reachSteps is the number of points after which Wolfe's algorithm stops. A few for each dimension
// are usual.
const reachSteps = 10_000

// A hull is P. Wolfe's algorithm for the point of a polytope that is nearest to the origin
// (Math. Programming 11, 1976). It is an active-set method: a corral of affinely independent
// points, whose affine hull has its nearest point in their convex hull, gains the point that
// lies deepest below the plane through the nearest, until there is none. It is finite, the
// corral proves what is reached and the plane what is not, and one step takes one product with
// all points. gonum's simplex method decides feasibility only where the moments are
// independent, and has no dual, hence no certificate.
type hull struct {
	points  tensor.Matrix
	corral  []int
	share   tensor.Vector // of the points in the corral, sums to 1
	nearest tensor.Vector // Σ share·points
	along   tensor.Vector // ⟨nearest, pointᵢ⟩
	steps   int
}

// newHull finds the nearest point. There must be a point, and no coordinate that is not finite.
func newHull(points tensor.Matrix) *hull {
	h := &hull{points: points, corral: []int{0}, share: tensor.Vector{1},
		nearest: points.Row(0).Clone(), along: make(tensor.Vector, points.Rows)}
	if points.Cols == 0 {
		return h
	}
	for ; h.steps < reachSteps; h.steps++ {
		deepest, below := h.support()
		length := h.nearest.Norm()
		if length <= 1e-14 || below >= length-1e-14*(1+length) ||
			slices.Contains(h.corral, deepest) {
			break
		}
		h.corral, h.share = append(h.corral, deepest), append(h.share, 0)
		if !h.settle() {
			break
		}
	}
	return h
}

// support returns the point that lies deepest in the direction of the nearest point, and how
// far from the origin: no point of the hull is closer to it.
func (h *hull) support() (deepest int, distance float64) {
	h.points.MulVec(h.along, h.nearest)
	for i, s := range h.along {
		if s < h.along[deepest] {
			deepest = i
		}
	}
	return deepest, h.along[deepest] / h.nearest.Norm()
}

// settle goes to the nearest point of the corral's affine hull, or as far as its convex hull
// goes. There it drops the points that hold it back, and goes on. It reports whether it came
// closer to the origin.
func (h *hull) settle() bool {
	before := h.nearest.Norm()
	corral, share := slices.Clone(h.corral[:len(h.corral)-1]), h.share[:len(h.share)-1].Clone()
	for {
		affine, ok := h.affine()
		if !ok {
			break
		}
		stop, reach := -1, 1.0
		for k, a := range affine {
			if a < 0 {
				if t := h.share[k] / (h.share[k] - a); stop < 0 || t < reach {
					stop, reach = k, t
				}
			}
		}
		for k, a := range affine {
			h.share[k] = max(0, float64((1-reach)*h.share[k])+float64(reach*a))
		}
		if stop < 0 {
			break
		}
		h.corral = slices.Delete(h.corral, stop, stop+1)
		h.share = slices.Delete(h.share, stop, stop+1)
	}
	h.move()
	if h.nearest.Norm() < before {
		return true
	}
	h.corral, h.share = corral, share
	h.move()
	return false
}

// lower takes ⟨gᵢ − y, y⟩/ρ ≥ 0 from base for points gᵢ and the nearest y, which have a share in y
// only where this is 0. With ρ = 0 they have base −Inf elsewhere.
func (h *hull) lower(base tensor.Vector, rho float64) {
	const thickness = 1e-9 // of the face
	length := h.nearest.Norm()
	for i := range base {
		away := 0.0
		for j, x := range h.points.Row(i) {
			away += float64((x - h.nearest[j]) * h.nearest[j])
		}
		if rho > 0 {
			base[i] -= away / rho
		} else if away > thickness*length {
			base[i] = math.Inf(-1)
		}
	}
}

// move sets nearest to where the shares say.
func (h *hull) move() {
	h.share.Scale(1 / h.share.Sum())
	clear(h.nearest)
	for k, i := range h.corral {
		h.nearest.AddScaled(h.share[k], h.points.Row(i))
	}
}

// affine returns the shares, some of them perhaps negative, of the nearest point of the
// corral's affine hull: p + Σ βᵢ(pᵢ − p) for its first point p, by least squares.
func (h *hull) affine() (share tensor.Vector, ok bool) {
	m, n := len(h.corral)-1, h.points.Cols
	share = make(tensor.Vector, m+1)
	if m == 0 {
		share[0] = 1
		return share, true
	}
	if m > n {
		return nil, false
	}
	first := h.points.Row(h.corral[0])
	edges, from := mat.NewDense(n, m, nil), mat.NewVecDense(n, nil)
	for j, p := range first {
		from.SetVec(j, -p)
		for k, i := range h.corral[1:] {
			edges.Set(j, k, h.points.Row(i)[j]-p)
		}
	}
	beta := mat.NewVecDense(m, share[1:])
	if err := beta.SolveVec(edges, from); err != nil || !kernel.Finite(share) {
		return nil, false
	}
	share[0] = 1 - share[1:].Sum()
	return share, true
}

// reach says what was found of points (hᵢ − h̄)/unit.
func (h *hull) reach(target, unit tensor.Vector) Reach {
	r := Reach{Distance: h.nearest.Norm(), Nearest: h.nearest.Clone(), Steps: h.steps}
	r.Nearest.Mul(unit)
	r.Nearest.Add(target)
	r.Feasible = r.Distance <= reachTolerance
	if r.Feasible {
		return r
	}
	r.Direction = h.nearest.Clone()
	r.Direction.Scale(1 / r.Distance)
	_, r.Margin = h.support()
	r.Direction.Div(unit)
	return r
}
