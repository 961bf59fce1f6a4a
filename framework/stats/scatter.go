package stats

import (
	"math"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// ClassMoments are counts, means and squares of features z ∈ ℝᵈ by class. Those of parts of the
// data, merged in any order, are those of all of it. Squares are taken about means and means are
// merged by their differences (Chan, Golub, LeVeque, Updating formulae and a pairwise algorithm
// for computing sample variances, 1979), so that nothing is lost where means are large beside
// deviations, as it is in Σ z·zᵀ − N·μ·μᵀ.
type ClassMoments struct {
	Count  []int         // of each of C classes
	Mean   tensor.Matrix // C×d; 0 for a class of which there is nothing
	Within tensor.Matrix // d×d: Σ (z − mean of its class)·(z − mean of its class)ᵀ, symmetric

	here     []int         // Count of what is being added
	hereMean tensor.Matrix // Mean of it
	cross    crossing
}

// NewClassMoments returns the moments of no rows.
func NewClassMoments(classes, width int) *ClassMoments {
	return &ClassMoments{Count: make([]int, classes), Mean: tensor.NewMatrix(classes, width),
		Within: tensor.NewMatrix(width, width)}
}

// Reset removes all rows and keeps the memory.
func (m *ClassMoments) Reset() {
	clear(m.Count)
	clear(m.Mean.Data)
	clear(m.Within.Data)
}

// Add adds the rows of x, n×d. Row i is of class class[i]; below 0, it is left out. Without
// classes, class = nil, all are of class 0. It allocates on first use only.
func (m *ClassMoments) Add(x tensor.Matrix, class []int) {
	if m.here == nil {
		m.here, m.hereMean = make([]int, len(m.Count)), tensor.NewMatrix(m.Mean.Rows, m.Mean.Cols)
	}
	clear(m.here)
	clear(m.hereMean.Data)
	for i := range x.Rows {
		if c := classOf(class, i); c >= 0 {
			m.here[c]++
			m.hereMean.Row(c).Add(x.Row(i))
		}
	}
	for c, n := range m.here {
		m.hereMean.Row(c).Scale(1 / float64(max(n, 1)))
	}
	for i := range x.Rows {
		if c := classOf(class, i); c >= 0 {
			row := m.cross.row(m.Within)
			copy(row, x.Row(i))
			row.Sub(m.hereMean.Row(c))
		}
	}
	m.join(m.here, m.hereMean)
}

func classOf(class []int, i int) int {
	if class == nil {
		return 0
	}
	return class[i]
}

// Merge adds the rows of o, which has the same classes and width and is not changed.
func (m *ClassMoments) Merge(o *ClassMoments) {
	tensor.Vector(m.Within.Data).Add(o.Within.Data)
	m.join(o.Count, o.Mean)
}

// join merges counts and means, of which the squares about the means are in Within or cross.
func (m *ClassMoments) join(count []int, mean tensor.Matrix) {
	for c, n := range count {
		if n == 0 {
			continue
		}
		all := float64(m.Count[c] + n)
		apart := m.cross.row(m.Within)
		copy(apart, mean.Row(c))
		apart.Sub(m.Mean.Row(c))
		m.Mean.Row(c).AddScaled(float64(n)/all, apart)
		apart.Scale(math.Sqrt(float64(m.Count[c]) * (float64(n) / all)))
		m.Count[c] += n
	}
	m.cross.flush(m.Within)
	kernel.Mirror64(whole(m.Within))
}

// Total returns the moments of all classes as those of one: with N = Count[0], the covariance of
// the features is Within/N, or Within/(N − 1).
func (m *ClassMoments) Total() *ClassMoments {
	t := NewClassMoments(1, m.Mean.Cols)
	for c, n := range m.Count {
		t.join([]int{n}, m.Mean.Slice(c, c+1))
	}
	tensor.Vector(t.Within.Data).Add(m.Within.Data)
	return t
}

// A crossing adds up Σ r·rᵀ over rows that are added one by one, a block at a time.
type crossing struct {
	block tensor.Matrix
	used  int
	space kernel.Workspace
}

// crossRows is how many rows are multiplied at a time: the inner length of one block of a
// product.
const crossRows = 256

// row returns the place of the next row of what is added to what lies on and below the diagonal
// of sum. It must be filled before the next call.
func (c *crossing) row(sum tensor.Matrix) tensor.Vector {
	if c.block.Cols != sum.Cols {
		c.block = tensor.NewMatrix(crossRows, sum.Cols)
	}
	if c.used == crossRows {
		c.flush(sum)
	}
	c.used++
	return c.block.Row(c.used - 1)
}

// flush adds what is left.
func (c *crossing) flush(sum tensor.Matrix) {
	if c.used == 0 {
		return
	}
	rows := kernel.RowMajor(c.block.Data, c.used, sum.Cols)
	kernel.Lower64(&c.space, whole(sum), rows.T(), rows, true)
	c.used = 0
}

// whole returns m as the kernels see it.
func whole(m tensor.Matrix) kernel.Matrix[float64] {
	return kernel.RowMajor(m.Data, m.Rows, m.Cols)
}
