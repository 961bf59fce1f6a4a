package ot

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/floats"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A Frontier is the least total variation of p̃ from p for every budget of variance
// Σ_A q_A ‖Y_A‖², as a convex curve that falls. Points are exact, to what they say of themselves;
// chords between them lie above the curve, and their tangents below it.
type Frontier struct {
	Points []FrontierPoint `json:"points"` // by ascending variance and descending total variation
	Error  float64         `json:"error"`  // by which total variation on a chord may be too large
}

// A FrontierPoint is a plan on the frontier.
type FrontierPoint struct {
	Variance float64 `json:"variance"` // Σ_A q_A ‖Y_A‖²
	TV       float64 `json:"tv"`       // ½ ‖p̃ − p‖₁
	Bound    float64 `json:"bound"`    // c: no other plan has less Variance + 4c·TV
	Gap      float64 `json:"gap"`      // but for 2·Gap
}

// Frontier returns the frontier of convex weights: Y ≥ 0 and Σ_{i∈A} Y[i, A] = 1 in every cohort.
// It begins with equal weights, of least variance, and ends with the least variance of the least
// total variation. Points in between are added where chords may be wrong by most, until nowhere by
// more than accuracy, or there are so many points. Each solution stops at epsilon or after maxSteps
// passes: see VariancePlan.
func (m Masked) Frontier(points int, accuracy, epsilon float64, maxSteps int) Frontier {
	t := m.tradeOff(epsilon, maxSteps)
	at := func(c float64) FrontierPoint { return t.at(c).onFrontier() }
	plan := t.end(m.Feasibility().Deficiency)
	last := plan.onFrontier()
	if plan.TV <= settled { // λ solves the problem for any c that leaves it inside
		last.Bound = min(last.Bound, -floats.Min(plan.Lambda)/2)
	}
	return sandwich(at(0), last, points, accuracy, at)
}

func (plan VariancePlan) onFrontier() FrontierPoint {
	return FrontierPoint{plan.Variance, plan.TV, plan.Bound, plan.Gap}
}

// AnyWeights returns the frontier of weights of any sign and any sum, but for a mean sum of 1 and
// given the inclusion probabilities π alone. A client has the same weight in all of its cohorts,
// with which Σ_A q_A ‖Y_A‖² = Σ πᵢwᵢ². No plan of convex weights lies below this curve.
//
// It consists of inverse probability weights pᵢ/πᵢ that are clipped to a range: from equal weights,
// whose sum is the size of the cohort but for a factor, to those of Horvitz and Thompson, where
// every client with p > 0 participates, with variance Σ pᵢ²/πᵢ. At the price c it is the range
// [μ − c, μ + c], with μ so that the mean sum is 1.
func AnyWeights(p, pi tensor.Vector, points int, accuracy float64) Frontier {
	at := func(c float64) FrontierPoint { return clipped(p, pi, c) }
	top, least := 0.0, 0.0
	for i, x := range p {
		if pi[i] > 0 {
			top = max(top, x/pi[i])
		} else {
			least += x
		}
	}
	// Beyond this price nothing is clipped from above, and from below where something is missing.
	c := top
	if least > 0 {
		c += 1 / pi.Sum()
	}
	return sandwich(at(0), at(c), points, accuracy, at)
}

// clipped returns the point of AnyWeights at a price.
func clipped(p, pi tensor.Vector, c float64) FrontierPoint {
	weight := func(i int, mu float64) float64 { return min(max(p[i]/pi[i], mu-c), mu+c) }
	total := func(mu float64) (sum float64) {
		for i, x := range pi {
			if x > 0 {
				sum += x * weight(i, mu)
			}
		}
		return sum
	}
	low, high := -c, c+1
	for total(high) < 1 {
		high *= 2
	}
	for range 100 {
		if mid := (low + high) / 2; total(mid) < 1 {
			low = mid
		} else {
			high = mid
		}
	}
	pt := FrontierPoint{Bound: c}
	for i, x := range pi {
		w := 0.0
		if x > 0 {
			w = weight(i, high)
		}
		pt.Variance += x * w * w
		pt.TV += math.Abs(x*w-p[i]) / 2
	}
	return pt
}

// sandwich refines a convex curve between two points of it: the tangent at the price that is the
// slope of a chord touches the curve where the chord is farthest from it (G. Rote. The Convergence
// Rate of the Sandwich Algorithm for Approximating Convex Functions. Computing 48, 1992).
func sandwich(
	first, last FrontierPoint, points int, accuracy float64, at func(c float64) FrontierPoint,
) Frontier {
	if same(first, last) {
		return Frontier{Points: []FrontierPoint{last}}
	}
	list := []FrontierPoint{first, last}
	excess := []float64{above(first, last)} // of the chords
	for {
		worst := 0
		for k, e := range excess {
			if e > excess[worst] {
				worst = k
			}
		}
		if excess[worst] <= accuracy || len(list) >= points {
			return Frontier{Points: list, Error: excess[worst]}
		}
		a, b := list[worst], list[worst+1]
		pt := at((b.Variance - a.Variance) / (4 * (a.TV - b.TV)))
		if same(a, pt) || same(pt, b) || pt.Variance <= a.Variance || pt.Variance >= b.Variance {
			excess[worst] = 0 // the chord itself is the curve
			continue
		}
		list = append(list[:worst+1], append([]FrontierPoint{pt}, list[worst+1:]...)...)
		two := []float64{above(a, pt), above(pt, b)}
		excess = append(excess[:worst], append(two, excess[worst+1:]...)...)
	}
}

// same reports whether two points differ by no more than rounding.
func same(a, b FrontierPoint) bool {
	return math.Abs(a.Variance-b.Variance) <= 1e-12*b.Variance || math.Abs(a.TV-b.TV) <= 1e-12
}

// above returns by how much the total variation on a chord may exceed that on the curve, which lies
// above the tangents at its ends: the distance from where these meet, or of what they leave of the
// triangle that is as high as wide. No curve falls below its last point.
func above(a, b FrontierPoint) float64 {
	width, height := b.Variance-a.Variance, a.TV-b.TV
	// Tangents: V = V_a + 4c_a (TV_a − TV) and V = V_b − 4c_b (TV − TV_b).
	steep, flat := 4*a.Bound, 4*b.Bound
	if flat <= steep {
		return 0
	}
	down := min(height, max(0, (flat*height-width)/(flat-steep))) // from a to where they meet
	across := steep * down
	return max(0, down-height*across/width)
}

// Least returns the least total variation that variance allows, by chords: at most Error too large.
// It is false where the variance is less than equal weights have.
func (f *Frontier) Least(variance float64) (tv float64, ok bool) {
	first, last := f.Points[0], f.Points[len(f.Points)-1]
	if variance < first.Variance*(1-1e-12) {
		return 0, false
	}
	if variance >= last.Variance {
		return last.TV, true
	}
	k := sort.Search(len(f.Points)-1, func(k int) bool { return f.Points[k+1].Variance > variance })
	a, b := f.Points[k], f.Points[k+1]
	return a.TV - (a.TV-b.TV)*max(0, variance-a.Variance)/(b.Variance-a.Variance), true
}
