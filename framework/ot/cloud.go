package ot

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// A CloudMap moves points of ℝᵈ as a plan between two clouds x₁ … xₙ and y₁ … y_m does, at squared
// distances, all points of a cloud of the same mass. A point xᵢ of the cloud goes to the mean of
// what its mass becomes, the barycentric projection of the plan T, and any other point x keeps its
// place beside the nearest of them (S. Ferradans, N. Papadakis, G. Peyré, J.-F. Aujol. Regularized
// discrete optimal transport. SIAM Journal on Imaging Sciences, 2014, Section 4):
//
//	xᵢ ↦ ŷᵢ = Σⱼ Tᵢⱼyⱼ / Σⱼ Tᵢⱼ,  x ↦ ŷᵢ + (x − xᵢ),  i = argmin ‖x − xᵢ‖, the first of several.
//
// Clouds are d×n: a row holds a coordinate of all points. So an image in planes of channels is a
// cloud of its pixels.
//
// The zero value is ready but for the settings. Memory is kept from one problem to the next,
// and nothing is allocated for a problem that is no larger than one before.
type CloudMap struct {
	Lambda    float64 // λ ≥ 0 of an entropic plan, in units of squared distance; 0: an exact one
	Epsilon   float64 // see Entropic
	MaxSweeps int     // see Entropic

	exact    Exact
	entropic sinkhorn
	a, b     tensor.Vector // uniform masses
	cost     tensor.Matrix // n×m; the plan, if that is exact
	from     tensor.Matrix // d×n
	beyond   tensor.Matrix // d×m: what is between the first target and the others
	image    tensor.Matrix // d×n, ŷ
	mass     tensor.Vector // of the rows of the plan but for u
	offset   tensor.Vector // of a coordinate of y from that of the first, times v
	near     neighbours
	ties     []int // points of the cloud, those of one place together
}

// A CloudPlan says how the plan of a CloudMap was found.
type CloudPlan struct {
	Residual  float64 // as Exact or Entropic has it
	Sweeps    int     // as they count
	Converged bool
}

// Fit finds the plan from one cloud to another and what it makes of the points of the first. Points
// of the cloud at one place go to one place: an exact plan sends each of them somewhere else, and
// which of them where is arbitrary, so that they go to the mean of that. That is where an entropic
// plan sends them as λ → 0.
func (c *CloudMap) Fit(from, to tensor.Matrix) (CloudPlan, error) {
	plan, err := c.fit(from, to)
	if err == nil && c.Lambda == 0 {
		c.joinTies()
	}
	return plan, err
}

// joinTies moves the images of points at one place to their mean.
func (c *CloudMap) joinTies() {
	n := c.from.Cols
	c.ties = resize(c.ties, n)
	for i := range c.ties {
		c.ties[i] = i
	}
	slices.SortFunc(c.ties, func(i, j int) int { return cmp.Or(c.compare(i, j), i-j) })
	for lo := 0; lo < n; {
		hi := lo + 1
		for hi < n && c.compare(c.ties[lo], c.ties[hi]) == 0 {
			hi++
		}
		if hi > lo+1 {
			c.join(c.ties[lo:hi])
		}
		lo = hi
	}
}

// compare orders points of the cloud by their coordinates.
func (c *CloudMap) compare(i, j int) int {
	for k := range c.from.Rows {
		if d := cmp.Compare(c.from.Row(k)[i], c.from.Row(k)[j]); d != 0 {
			return d
		}
	}
	return 0
}

// join moves the images of some points to their mean.
func (c *CloudMap) join(ids []int) {
	for k := range c.image.Rows {
		row, sum := c.image.Row(k), 0.0
		for _, i := range ids {
			sum += row[i]
		}
		for _, i := range ids {
			row[i] = sum / float64(len(ids))
		}
	}
}

// fit is Fit, but for ties.
func (c *CloudMap) fit(from, to tensor.Matrix) (CloudPlan, error) {
	n, m := from.Cols, to.Cols
	switch {
	case from.Rows != to.Rows || from.Rows < 1 || n < 1 || m < 1:
		return CloudPlan{}, fmt.Errorf("clouds of %d points in ℝ^%d and %d in ℝ^%d",
			n, from.Rows, m, to.Rows)
	case !(c.Lambda >= 0):
		return CloudPlan{}, fmt.Errorf("λ is %v", c.Lambda)
	}
	spread := spreadOf(from, to)
	if !kernel.Finite(from.Data) || !kernel.Finite(to.Data) || !(spread <= largestCost) {
		return CloudPlan{}, errors.New("clouds with points that are not finite, or too far")
	}
	c.a, c.b = resize(c.a, n), resize(c.b, m)
	fill(c.a, 1/float64(n))
	fill(c.b, 1/float64(m))
	c.cost = resized(c.cost, n, m)
	c.from, c.image = resized(c.from, from.Rows, n), resized(c.image, from.Rows, n)
	copy(c.from.Data, from.Data)
	c.near.load(c.from)
	c.beyond = resized(c.beyond, to.Rows, m)
	for k := range to.Rows {
		floats.AddConst(-to.Row(k)[0], append(c.beyond.Row(k)[:0], to.Row(k)...))
	}
	if c.Lambda == 0 {
		return c.fitExact(to), nil
	}
	return c.fitEntropic(to, spread), nil
}

func (c *CloudMap) fitExact(to tensor.Matrix) CloudPlan {
	squaredDistances(c.cost, c.from, to)
	answer := c.exact.Solve(Transport{Cost: c.cost, A: c.a, B: c.b})
	c.exact.Plan(c.cost)
	fill(c.b, 1)
	c.project(to, c.cost, c.b)
	return CloudPlan{answer.Residual, answer.Sweeps, answer.Converged}
}

// plain is what squared distances may be in units of λ for the iteration to begin with that: no
// element of K that matters underflows, and larger λ before would only be a detour.
const plain = 500

func (c *CloudMap) fitEntropic(to tensor.Matrix, spread float64) CloudPlan {
	c.crossProducts(to)
	s := &c.entropic
	s.start(len(c.a), len(c.b))
	s.a, s.b, s.cost = c.a, c.b, c.cost
	var residual float64
	lambda := max(c.Lambda, finest*spread, 1/largestCost)
	if spread <= plain*lambda {
		residual = s.run(lambda, c.Epsilon, c.MaxSweeps)
	} else {
		residual = s.descend(lambda, spread, c.Epsilon, c.MaxSweeps)
	}
	c.project(to, s.k, s.v)
	return CloudPlan{residual, s.sweeps, residual <= c.Epsilon && s.lambda == c.Lambda}
}

// crossProducts sets the costs to ‖y‖² − 2⟨x, y⟩ from the first target, which differ from squared
// distances by ‖x‖²: that is of no consequence for a plan, and faster.
func (c *CloudMap) crossProducts(to tensor.Matrix) {
	first := tensor.Vector(c.cost.Row(0))
	clear(first)
	for k := range to.Rows {
		for j, y := range c.beyond.Row(k) {
			first[j] = math.FMA(y, y, first[j])
		}
	}
	for i := c.cost.Rows - 1; i >= 0; i-- { // the first row last
		row := tensor.Vector(c.cost.Row(i))
		copy(row, first)
		for k := range to.Rows {
			row.AddScaled(-2*(c.from.Row(k)[i]-to.Row(k)[0]), c.beyond.Row(k))
		}
	}
}

// spreadOf returns what squared distances between points of two clouds are at most.
func spreadOf(x, y tensor.Matrix) (sum float64) {
	for k := range x.Rows {
		low := min(floats.Min(x.Row(k)), floats.Min(y.Row(k)))
		wide := max(floats.Max(x.Row(k)), floats.Max(y.Row(k))) - low
		sum += wide * wide
	}
	return sum
}

// squaredDistances sets dst, n×m, to those between the points of two clouds.
func squaredDistances(dst, x, y tensor.Matrix) {
	clear(dst.Data)
	for k := range x.Rows {
		to := y.Row(k)
		for i, from := range x.Row(k) {
			row := dst.Row(i)[:len(to)]
			for j, at := range to {
				apart := from - at
				row[j] = math.FMA(apart, apart, row[j])
			}
		}
	}
}

// project sets ŷ by a plan diag(u)·K·diag(v), whose u does not matter. The coordinates are those
// of the first target and what the plan has beyond: where all targets agree, that is where every
// point goes.
func (c *CloudMap) project(to, k tensor.Matrix, v tensor.Vector) {
	c.mass, c.offset = resize(c.mass, k.Rows), resize(c.offset, k.Cols)
	k.MulVec(c.mass, v)
	clear(c.offset)
	for d := range to.Rows {
		y, image := to.Row(d), c.image.Row(d)
		floats.MulTo(c.offset[:to.Cols], v[:to.Cols], c.beyond.Row(d))
		k.MulVec(image, c.offset)
		for i, moved := range image {
			image[i] = y[0] + moved/c.mass[i]
		}
	}
}

// Image returns ŷ, d×n. It belongs to the map and lasts until the next Fit.
func (c *CloudMap) Image() tensor.Matrix { return c.image }

// Apply sets dst to where the points x go. Both are d×k, and may be the same.
func (c *CloudMap) Apply(dst, x tensor.Matrix) error {
	if x.Rows != c.from.Rows || dst.Rows != x.Rows || dst.Cols != x.Cols {
		return fmt.Errorf("points %d×%d become %d×%d, by a map of ℝ^%d",
			x.Rows, x.Cols, dst.Rows, dst.Cols, c.from.Rows)
	}
	for p := range x.Cols {
		i := c.near.of(x, p)
		for k := range x.Rows {
			dst.Row(k)[p] = c.image.Row(k)[i] + (x.Row(k)[p] - c.from.Row(k)[i])
		}
	}
	return nil
}

// A CloudBarycenter is a cloud in the middle of others.
type CloudBarycenter struct {
	Points     tensor.Matrix // d×n
	Moved      float64       // root of the mean square of the steps that the points took last
	Steps      int
	Converged  bool // Moved is at most ε
	Unfinished int  // plans of the last step that did not converge themselves
}

// Barycenter moves the points of a cloud, n of the same mass, to where Σ wₛ·W₂²(cloudₛ, ·) has no
// descent by their places: each to the mean of where the plans to the clouds take it, until none
// does (M. Cuturi, A. Doucet. Fast computation of Wasserstein barycenters. ICML 2014, Algorithm 2,
// for steps of 1; P. C. Álvarez-Esteban et al. A fixed-point approach to barycenters in
// Wasserstein space. Journal of Mathematical Analysis and Applications, 2016). That ends in a
// local minimum, and with exact plans no step increases the objective: here points at one place
// may part, as an exact plan takes them. Entropic plans shrink the cloud. Weights are in
// proportion. The answer is the caller's; what the map was fitted to is forgotten.
func (c *CloudMap) Barycenter(
	w tensor.Vector, clouds []tensor.Matrix, from tensor.Matrix, epsilon float64, steps int,
) (CloudBarycenter, error) {
	total := w.Sum()
	if len(w) != len(clouds) || !(total > 0) || math.IsInf(total, 1) ||
		floats.Min(w) < 0 {
		return CloudBarycenter{}, errors.New("the weights of clouds are not that")
	}
	b := CloudBarycenter{Points: tensor.NewMatrix(from.Rows, from.Cols)}
	copy(b.Points.Data, from.Data)
	next := tensor.NewMatrix(from.Rows, from.Cols)
	for b.Steps < max(1, steps) && !b.Converged {
		clear(next.Data)
		b.Unfinished = 0
		for s, cloud := range clouds {
			if w[s] == 0 {
				continue
			}
			plan, err := c.fit(b.Points, cloud)
			if err != nil {
				return b, fmt.Errorf("cloud %d: %w", s, err)
			}
			if !plan.Converged {
				b.Unfinished++
			}
			tensor.Vector(next.Data).AddScaled(w[s]/total, c.image.Data)
		}
		b.Steps++
		apart := 0.0
		for k, x := range next.Data {
			d := x - b.Points.Data[k]
			apart += d * d
		}
		b.Moved = math.Sqrt(apart / float64(from.Cols))
		b.Converged = b.Moved <= epsilon
		b.Points, next = next, b.Points
	}
	return b, nil
}
