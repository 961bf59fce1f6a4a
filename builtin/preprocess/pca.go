// PCA — rows by their coordinates along the directions in which they vary most.
//
//	K. Pearson. On Lines and Planes of Closest Fit to Systems of Points in Space, 1901.
//
// Notation: nᵢ, μᵢ and Wᵢ = Σ (x − μᵢ)(x − μᵢ)ᵀ are the moments of client i. All clients together
// have n, μ and W, merged by differences of means as in standardize. The covariance W/(n − 1) has
// eigenvalues λ₁ ≥ λ₂ ≥ … and eigenvectors v₁, v₂, …, and a row x becomes
//
//	⟨v₁, x − μ⟩, ⟨v₂, x − μ⟩, …,  each divided by √λₖ when whitened.
//
// Clients upload μᵢ and half of Wᵢ, and receive μ and the eigenvectors that are kept. That is what
// scikit-learn computes of all rows in one place, for any partition.
//
// Departures: the largest component of every eigenvector is positive, the first of them if they
// are many: so the signs are determined. How many features a model gets must be known before the
// data are: components beyond the share of variance to be kept are 0, and so are those without
// variance when whitened.

package preprocess

import (
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// PCA describes the preprocessor to the registry.
var PCA = fl.PreprocessorEntry{
	Name:    "pca",
	Summary: "coordinates along the directions of most variance over all clients",
	Paper:   "pearson1901",
	Deviations: "signs make the largest component of a direction positive; components beyond the " +
		"share to be kept are 0",
	New:    newPCA,
	Waives: map[string]string{"identity": "it turns the axes, for any partition"},
}

type pca struct {
	components int     // 0: as many as there are features
	share      float64 // of variance
	whiten     bool
}

var _ fl.Preprocessor = (*pca)(nil)

func newPCA(p *fl.Params) (fl.Preprocessor, error) {
	c := &pca{
		components: p.Int("components", 0, fl.AtLeast(0),
			"how many features there are then; 0: as many as before"),
		share: p.Float("share", 1, fl.LeftOpen(0, 1),
			"of the variance, to be kept by as few components as can; the others are 0"),
		whiten: p.Bool("whiten", false, "divide every component by its standard deviation"),
	}
	if s := p.Setting(); s.Known() && c.components > s.Shape.Features {
		p.Fail("components", "%d of %d features", c.components, s.Shape.Features)
	}
	return c, nil
}

// Shape implements fl.Preprocessor.
func (c *pca) Shape(in fl.Shape) (fl.Shape, error) {
	in.Image = fl.Image{}
	if c.components > 0 {
		in.Features = c.components
	}
	return in, nil
}

// Summarize implements fl.Preprocessor: a client uploads μᵢ and half of Wᵢ.
func (c *pca) Summarize(s *fl.SummaryInput) (fl.Tensors, error) {
	own := stats.NewClassMoments(1, s.Data.X.Cols)
	own.Add(s.Data.X, nil)
	return fl.Tensors{"mean": own.Mean, "scatter": packed(own.Within)}, nil
}

// Combine implements fl.Preprocessor: the server sends μ and, column by column, the directions.
func (c *pca) Combine(in *fl.CombineInput) (fl.Tensors, error) {
	d := in.Shape.Features
	all := stats.NewClassMoments(1, d)
	for _, u := range in.Uploads {
		all.Merge(&stats.ClassMoments{Count: []int{u.Samples}, Mean: u.Payload["mean"],
			Within: unpacked(u.Payload["scatter"].Data, d)})
	}
	fl.Vector(all.Within.Data).Scale(1 / float64(max(1, all.Count[0]-1)))
	var e tensor.Eigen
	values, vectors, err := e.Factor(all.Within)
	if err != nil {
		return nil, fmt.Errorf("covariance: %w", err)
	}
	kept, share := c.keep(values)
	in.Notes.Add(fmt.Sprintf("pca: %d of %d components, with %.4g%% of the variance",
		kept, d, 100*share))
	axes := fl.NewMatrix(d, kept)
	for k := range kept {
		at := d - 1 - k // values ascend
		for j, v := range vectors.Row(at) {
			axes.Row(j)[k] = v * c.scale(values, at)
		}
	}
	return fl.Tensors{"mean": all.Mean, "axes": axes}, nil
}

// keep returns how many components are kept of a covariance with these eigenvalues, ascending,
// and what share of the variance they have.
func (c *pca) keep(values fl.Vector) (kept int, share float64) {
	most := len(values)
	if c.components > 0 {
		most = c.components
	}
	total, sum := 0.0, 0.0
	for _, v := range values {
		total += math.Max(v, 0)
	}
	if total == 0 {
		return most, 1
	}
	for kept < most && !(kept > 0 && c.share < 1 && sum >= c.share*total) {
		sum += math.Max(values[len(values)-1-kept], 0)
		kept++
	}
	return kept, sum / total
}

// scale returns by what the component of an eigenvalue is multiplied. One that is no more than
// the rounding of the others has no variance.
func (c *pca) scale(values fl.Vector, at int) float64 {
	top := values[len(values)-1]
	switch {
	case !c.whiten:
		return 1
	case !(values[at] > float64(len(values))*0x1p-52*top):
		return 0
	}
	return 1 / math.Sqrt(values[at])
}

// Transform implements fl.Preprocessor.
func (c *pca) Transform(m *fl.TransformInput) (fl.Matrix, error) {
	axes, mean := m.Reference["axes"], m.Reference["mean"].Row(0)
	centered := copied(m.Rows)
	for i := range centered.Rows {
		centered.Row(i).AddScaled(-1, mean)
	}
	moved := fl.NewMatrix(m.Rows.Rows, axes.Cols)
	tensor.Mul(moved, centered, axes)
	next, _ := c.Shape(m.Shape)
	if next.Features == axes.Cols {
		return moved, nil
	}
	wide := fl.NewMatrix(moved.Rows, next.Features)
	for i := range wide.Rows {
		copy(wide.Row(i), moved.Row(i))
	}
	return wide, nil
}
