package fl

import "github.com/hansa-fl/hansa/framework/tensor"

type (
	// A Vector is a flat vector, for instance the parameters θ ∈ ℝᵈ.
	Vector = tensor.Vector
	// A Matrix is row-major, one sample per row.
	Matrix = tensor.Matrix
)

// NewMatrix returns a zero matrix.
func NewMatrix(rows, cols int) Matrix { return tensor.NewMatrix(rows, cols) }

// A Shape says what the rows of a data set are.
type Shape struct {
	Features int   // columns of X
	Classes  int   // number of classes; 0 for regression
	Image    Image // zero when rows are not images
	Owned    bool  // rows come with a natural client
}

// An Image is channels × height × width; one row holds the channels one after another.
type Image struct{ C, H, W int }

// A Dataset is n labelled samples. It is shared and read-only once it is loaded.
type Dataset struct {
	Shape   Shape
	X       Matrix   // n×Features
	Y       []int    // class of each row, 0 ≤ Y < Classes; nil for regression
	Target  Vector   // regression target of each row; nil for classification
	Owner   []int    // natural client of each row; nil when rows have none
	Moments *Moments // of X and Target; nil when they were not computed
}

// Len returns the number of samples.
func (d *Dataset) Len() int { return d.X.Rows }

// Rows returns samples lo to hi as a data set that shares memory with d.
func (d *Dataset) Rows(lo, hi int) Dataset {
	part := Dataset{Shape: d.Shape, X: d.X.Slice(lo, hi)}
	if d.Y != nil {
		part.Y = d.Y[lo:hi]
	}
	if d.Target != nil {
		part.Target = d.Target[lo:hi]
	}
	if d.Owner != nil {
		part.Owner = d.Owner[lo:hi]
	}
	return part
}

// Moments are the sufficient statistics of a regression data set for squared loss:
// with them a full gradient costs O(d²), whatever the number of samples.
type Moments struct {
	XX Matrix  // XᵀX/n, d×d
	XY Vector  // Xᵀy/n, length d
	X  Vector  // mean of the rows, length d
	YY float64 // yᵀy/n
	Y  float64 // mean of the targets
}

// NewMoments computes the moments of a regression data set.
func NewMoments(d *Dataset) *Moments {
	n, k := d.Len(), d.X.Cols
	m := &Moments{XX: NewMatrix(k, k), XY: make(Vector, k), X: make(Vector, k)}
	for i := range n {
		x, y := d.X.Row(i), d.Target[i]
		for a := range k {
			m.XX.Row(a).AddScaled(x[a], x)
		}
		m.XY.AddScaled(y, x)
		m.X.AddScaled(1, x)
		m.YY += y * y
		m.Y += y
	}
	m.scale(1 / float64(n))
	return m
}

// Mix returns Σᵢ wᵢ mᵢ, the moments of the mixture that draws from data set i with
// probability wᵢ.
func Mix(w Vector, ms []Moments) *Moments {
	k := len(ms[0].XY)
	mix := &Moments{XX: NewMatrix(k, k), XY: make(Vector, k), X: make(Vector, k)}
	for i := range ms {
		Vector(mix.XX.Data).AddScaled(w[i], ms[i].XX.Data)
		mix.XY.AddScaled(w[i], ms[i].XY)
		mix.X.AddScaled(w[i], ms[i].X)
		mix.YY += w[i] * ms[i].YY
		mix.Y += w[i] * ms[i].Y
	}
	return mix
}

func (m *Moments) scale(by float64) {
	Vector(m.XX.Data).Scale(by)
	m.XY.Scale(by)
	m.X.Scale(by)
	m.YY *= by
	m.Y *= by
}
