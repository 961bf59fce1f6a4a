// Clip-norm — rows that are no longer than a radius.
//
//	M. Beitollahi, A. Bie, S. Hemati, L. M. Brunswic, X. Li, X. Chen, G. Zhang. Parametric
//	Feature Transfer: One-shot Federated Learning with Foundation Models. arXiv:2402.01862,
//	2024: features of bounded length, for differential privacy.
//
// Notation: z a row, R the radius:
//
//	z ← z·min(1, R/‖z‖),    or z·R/‖z‖ with sphere = true; 0 stays 0.
//
// Training and test rows alike, so that what is learnt from clipped rows is used on such. Nothing
// is sent. A local rule that clips to the same radius then changes nothing.
//
// Departures: none.

package preprocess

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// ClipNorm describes the preprocessor to the registry.
var ClipNorm = fl.PreprocessorEntry{
	Name:    "clip-norm",
	Summary: "scales rows that are longer than a radius to it, or all rows",
	Paper:   "beitollahi2024",
	New: func(p *fl.Params) (fl.Preprocessor, error) {
		return &clipNorm{
			radius: p.Float("radius", 1, fl.Above(0), "R, largest norm of a row"),
			sphere: p.Bool("sphere", false, "all rows but 0 get the norm R"),
		}, nil
	},
	Waives: map[string]string{"identity": "it shortens rows, for any partition"},
}

type clipNorm struct {
	unasked
	radius float64
	sphere bool
}

var _ fl.Preprocessor = (*clipNorm)(nil)

// Shape implements fl.Preprocessor: rows stay rows.
func (*clipNorm) Shape(in fl.Shape) (fl.Shape, error) { return in, nil }

// Combine implements fl.Preprocessor: nothing.
func (*clipNorm) Combine(*fl.CombineInput) (fl.Tensors, error) { return nil, nil }

// Transform implements fl.Preprocessor.
func (c *clipNorm) Transform(m *fl.TransformInput) (fl.Matrix, error) {
	out := copied(m.Rows)
	for i := range out.Rows {
		row := out.Row(i)
		norm := math.Sqrt(row.Dot(row))
		if norm > c.radius || c.sphere && norm > 0 {
			row.Scale(c.radius / norm)
		}
	}
	return out, nil
}
