package fl

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/tensor"
)

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
	Owned    bool  // rows come with a natural client, and so do test rows
	Tested   bool  // there are test rows

	// Tokens is the size of the vocabulary where rows hold tokens, 0 … Tokens−1; 0: they hold
	// numbers.
	Tokens int
	// Labels is how many labels a row has, such as one for each of its tokens; 0 stands for one.
	Labels int

	// Rows is how many rows there are, training and test rows together, where that is known before
	// they are loaded; 0: it is not. Two shapes are the same whatever it is.
	Rows int

	// Stored is how many bytes a number of a row takes where rows are packed; 0: they never are.
	// Two shapes are the same whatever it is.
	Stored int

	// Domains name where rows come from, such as "photo": every row is of one of them. Nil: rows
	// have none.
	Domains []string

	// Covariates name what is known of a client before it trains, such as "age": one number for
	// every row. The covariate of a client is the mean over its rows.
	Covariates []string
}

// Equal reports whether two shapes are the same.
func (s Shape) Equal(o Shape) bool {
	return s.Features == o.Features && s.Classes == o.Classes && s.Image == o.Image &&
		s.Owned == o.Owned && s.Tested == o.Tested && s.Tokens == o.Tokens &&
		s.PerRow() == o.PerRow() && slices.Equal(s.Domains, o.Domains) &&
		slices.Equal(s.Covariates, o.Covariates)
}

// PerRow returns how many labels a row has, at least one.
func (s Shape) PerRow() int { return max(1, s.Labels) }

// An Image is channels × height × width; one row holds the channels one after another.
type Image struct{ C, H, W int }

// Len returns the number of elements of an image.
func (i Image) Len() int { return i.C * i.H * i.W }

// A Dataset is n labelled samples. It is shared and read-only once it is loaded.
type Dataset struct {
	Shape   Shape
	X       Matrix   // n×Features; it has no Data where rows are packed
	Packed  Packed   // the same rows as they are stored; nothing where X has Data
	Y       []int    // 0 ≤ Y < Classes, Shape.PerRow of them a row; nil for regression
	Target  Vector   // regression target of each row; nil for classification
	Owner   []int    // natural client of each row; nil when rows have none
	Domain  []int    // of each row, the index in Shape.Domains; nil when rows have none
	Moments *Moments // of X and Target; nil when they were not computed

	Covariates Matrix // n×len(Shape.Covariates); models never see them

	// Blend says how far the rows of an epoch are on their way from Raw to X, see TransformInput;
	// nil: clients train on X. A Descent returns them.
	Blend func(epoch, epochs int) float64
	Raw   Matrix // n×Features: the rows before preprocessing; empty where none are blended
}

// Len returns the number of samples.
func (d *Dataset) Len() int { return d.X.Rows }

// Rows returns samples lo to hi as a data set that shares memory with d.
func (d *Dataset) Rows(lo, hi int) (part Dataset) {
	d.view(&part, lo, hi)
	return part
}

// view makes part samples lo to hi of d. It sets field by field, and copies a third of what a
// literal would.
func (d *Dataset) view(part *Dataset, lo, hi int) {
	part.Shape = d.Shape
	d.rows(part, lo, hi)
	labels := d.Shape.PerRow()
	part.Y, part.Target = window(d.Y, lo*labels, hi*labels), window(d.Target, lo, hi)
	part.Owner, part.Domain = window(d.Owner, lo, hi), window(d.Domain, lo, hi)
	part.Moments, part.Blend = nil, nil
	part.Covariates, part.Raw = Matrix{}, Matrix{}
	if d.Covariates.Cols > 0 {
		part.Covariates = d.Covariates.Slice(lo, hi)
	}
	if d.Raw.Cols > 0 {
		part.Raw, part.Blend = d.Raw.Slice(lo, hi), d.Blend
	}
}

// rows sets features to rows lo to hi of those of d.
func (d *Dataset) rows(part *Dataset, lo, hi int) {
	if !d.Packed.Any() {
		part.X, part.Packed = d.X.Slice(lo, hi), Packed{}
		return
	}
	part.X, part.Packed = Matrix{Rows: hi - lo, Cols: d.X.Cols}, d.Packed.Slice(lo, hi)
}

// window returns x[lo:hi], or nil where there is no x.
func window[S ~[]T, T any](x S, lo, hi int) S {
	if x == nil {
		return nil
	}
	return x[lo:hi]
}

// Pick returns the given rows of d, in that order, copied unless they are packed. The copy has no
// moments.
func (d *Dataset) Pick(rows []int) *Dataset {
	c := &Dataset{Shape: d.Shape, X: Matrix{Rows: len(rows), Cols: d.X.Cols}}
	if d.Packed.Any() {
		c.Packed = d.Packed.Pick(rows)
	} else {
		c.X = NewMatrix(len(rows), d.X.Cols)
	}
	if d.Covariates.Cols > 0 {
		c.Covariates = NewMatrix(len(rows), d.Covariates.Cols)
	}
	if d.Raw.Cols > 0 {
		c.Raw, c.Blend = NewMatrix(len(rows), d.Raw.Cols), d.Blend
	}
	labels := d.Shape.PerRow()
	for k, r := range rows {
		if !c.Packed.Any() {
			copy(c.X.Row(k), d.X.Row(r))
		}
		if c.Covariates.Cols > 0 {
			copy(c.Covariates.Row(k), d.Covariates.Row(r))
		}
		if c.Raw.Cols > 0 {
			copy(c.Raw.Row(k), d.Raw.Row(r))
		}
		if d.Y != nil {
			c.Y = append(c.Y, window(d.Y, r*labels, (r+1)*labels)...)
		}
		if d.Target != nil {
			c.Target = append(c.Target, d.Target[r])
		}
		if d.Owner != nil {
			c.Owner = append(c.Owner, d.Owner[r])
		}
		if d.Domain != nil {
			c.Domain = append(c.Domain, d.Domain[r])
		}
	}
	return c
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

// NewMoments computes the moments of a regression data set whose row i counts w[i];
// w is non-negative and sums to 1, or nil when all rows count the same.
func NewMoments(d *Dataset, w Vector) *Moments {
	n, k := d.Len(), d.X.Cols
	m := &Moments{XX: NewMatrix(k, k), XY: make(Vector, k), X: make(Vector, k)}
	room := make(Vector, k)
	for i := range n {
		x, y, share := d.Row(i, room), d.Target[i], 1/float64(n)
		if w != nil {
			share = w[i]
		}
		for a := range k {
			m.XX.Row(a).AddScaled(share*x[a], x)
		}
		m.XY.AddScaled(share*y, x)
		m.X.AddScaled(share, x)
		m.YY += share * y * y
		m.Y += share * y
	}
	return m
}
