package stats

import (
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// Clusters are what k-means found.
type Clusters struct {
	Centers    tensor.Matrix // k×d
	Labels     []int         // of each row, the nearest center; the first of them if they are many
	Inertia    float64       // Σ of the squared distances from it
	Iterations int           // in which centers moved
	Converged  bool          // every center is the mean of its rows, or has none
}

// KMeans puts the rows of x, n×d with n ≥ 1, into k ≥ 1 clusters by the iteration of Lloyd, from
// rows drawn as far apart as k-means++ has them: each with a probability proportional to its
// squared distance from those before (Arthur, Vassilvitskii, SODA 2007). A cluster that loses its
// rows is moved to the row that is farthest from its center; it stays empty if there are fewer than
// k different rows. Inertia never rises. It allocates.
func KMeans(x tensor.Matrix, k, maxIterations int, rng *rand.Rand) Clusters {
	c := Clusters{Centers: tensor.NewMatrix(k, x.Cols), Labels: make([]int, x.Rows)}
	square, count := make(tensor.Vector, x.Rows), make([]int, k)
	square.Fill(1)
	for j := range k {
		copy(c.Centers.Row(j), x.Row(index(square, rng)))
		c.assign(x, square, j+1)
	}
	for ; c.Iterations < maxIterations; c.Iterations++ {
		if !c.update(x, square, count) {
			c.Converged = true
			return c
		}
		c.assign(x, square, k)
	}
	return c
}

// index returns an index with a probability proportional to weight ≥ 0, and 0 if all are 0.
func index(weight tensor.Vector, rng *rand.Rand) int {
	left := rng.Float64() * weight.Sum()
	last := 0
	for i, w := range weight {
		if w > 0 {
			last = i
			if left -= w; left < 0 {
				return i
			}
		}
	}
	return last
}

// assign finds the nearest of the first k centers for every row, and the squared distance.
func (c *Clusters) assign(x tensor.Matrix, square tensor.Vector, k int) {
	c.Inertia = 0
	for i := range x.Rows {
		square[i] = math.Inf(1)
		for j := range k {
			if s := kernel.SquaredDistance(x.Row(i), c.Centers.Row(j)); s < square[i] {
				c.Labels[i], square[i] = j, s
			}
		}
		c.Inertia += square[i]
	}
}

// update moves every center to the mean of its rows, and reports whether any has moved.
func (c *Clusters) update(x tensor.Matrix, square tensor.Vector, count []int) (moved bool) {
	clear(count)
	for _, j := range c.Labels {
		count[j]++
	}
	for j, n := range count {
		if n > 0 {
			continue
		}
		if far := c.farthest(square, count); far >= 0 {
			count[c.Labels[far]]--
			count[j], c.Labels[far], square[far] = 1, j, 0
		}
	}
	means := tensor.NewMatrix(c.Centers.Rows, c.Centers.Cols)
	for i, j := range c.Labels {
		means.Row(j).AddScaled(1/float64(count[j]), x.Row(i))
	}
	for j, n := range count {
		if n > 0 && means.Row(j).Distance(c.Centers.Row(j)) > 0 {
			copy(c.Centers.Row(j), means.Row(j))
			moved = true
		}
	}
	return moved
}

// farthest returns the row that is farthest from its center and not alone there, −1 if none is
// away from it.
func (c *Clusters) farthest(square tensor.Vector, count []int) int {
	far := -1
	for i, s := range square {
		if s > 0 && count[c.Labels[i]] > 1 && (far < 0 || s > square[far]) {
			far = i
		}
	}
	return far
}
