package kinds

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Gather is a preprocessor that moves clients towards each other, at once or epoch by epoch.
var Gather = fl.PreprocessorEntry{
	Name:    "gather",
	Summary: "moves every client's mean some of the way to that of all",
	New: func(p *fl.Params) (fl.Preprocessor, error) {
		return &gather{
			share:  p.Float("share", 0.5, fl.Closed(0, 1), "of the way"),
			slowly: p.Bool("slowly", false, "epoch by epoch"),
		}, nil
	},
}

type gather struct {
	share  float64
	slowly bool
}

func (g *gather) Shape(in fl.Shape) (fl.Shape, error) { return in, nil }

func (g *gather) Summarize(s *fl.SummaryInput) (fl.Tensors, error) {
	return fl.Tensors{"mean": meanOf(s.Data.X)}, nil
}

// Combine weighs clients by their samples.
func (g *gather) Combine(c *fl.CombineInput) (fl.Tensors, error) {
	all, n := fl.NewMatrix(1, c.Shape.Features), 0.0
	for _, u := range c.Uploads {
		n += float64(u.Samples)
	}
	for _, u := range c.Uploads {
		all.Row(0).AddScaled(float64(u.Samples)/n, u.Payload["mean"].Row(0))
	}
	c.Notes.Add(fmt.Sprintf("%d clients gather", len(c.Uploads)))
	return fl.Tensors{"mean": all}, nil
}

// Transform leaves rows of nobody where they are.
func (g *gather) Transform(m *fl.TransformInput) (fl.Matrix, error) {
	rows := fl.NewMatrix(m.Rows.Rows, m.Rows.Cols)
	copy(rows.Data, m.Rows.Data)
	if m.Own == nil {
		return rows, nil
	}
	way := m.Reference["mean"].Row(0).Clone()
	way.AddScaled(-1, meanOf(m.Own.X).Row(0))
	for i := 0; i < rows.Rows; i++ {
		rows.Row(i).AddScaled(g.share, way)
	}
	m.Notes.Observe("way", way.Norm())
	if g.slowly {
		m.Blend = func(epoch, epochs int) float64 { return float64(epoch+1) / float64(epochs) }
	}
	return rows, nil
}

func meanOf(x fl.Matrix) fl.Matrix {
	mean := fl.NewMatrix(1, x.Cols)
	for i := 0; i < x.Rows; i++ {
		mean.Row(0).AddScaled(1/float64(x.Rows), x.Row(i))
	}
	return mean
}
