// Package mine aligns the means of the clients' features.
package mine

import "github.com/hansa-fl/hansa/framework/fl"

// Mine describes the preprocessor. New declares a parameter by reading it: name, default, range,
// meaning.
var Mine = fl.PreprocessorEntry{
	Name:    "mine",
	Summary: "moves every client's mean of features towards that of all clients",
	New: func(p *fl.Params) (fl.Preprocessor, error) {
		return &mine{p.Float("share", 1, fl.Closed(0, 1), "of the distance; 0: nothing moves")}, nil
	},
}

type mine struct{ share float64 }

// Shape returns the shape of transformed rows: here, that of the rows. Others may change Features
// and Image; the model is made for the shape that is returned.
func (m *mine) Shape(in fl.Shape) (fl.Shape, error) { return in, nil }

// Summarize returns what a client uploads before the first round: named matrices, of which every
// number counts as communication. Its size must not depend on the number of samples. s.Data has
// no labels, unless the entry has Traits: fl.PreprocessTraits{Labelled: true}.
func (m *mine) Summarize(s *fl.SummaryInput) (fl.Tensors, error) {
	return fl.Tensors{"mean": average(s.Data.X)}, nil
}

// Combine is the server's part: what it returns is sent to every client.
func (m *mine) Combine(c *fl.CombineInput) (fl.Tensors, error) {
	all, samples := fl.NewMatrix(1, c.Shape.Features), 0
	for _, u := range c.Uploads {
		samples += u.Samples
	}
	for _, u := range c.Uploads {
		all.Row(0).AddScaled(float64(u.Samples)/float64(samples), u.Payload["mean"].Row(0))
	}
	return fl.Tensors{"mean": all}, nil
}

// Transform returns transformed rows, each by itself: the training samples of a client, and in
// another call its test samples. Rows of no client have no w.Own and stay as they are. Transform
// draws from w.RNG and nothing else, so that a run can be repeated.
func (m *mine) Transform(w *fl.TransformInput) (fl.Matrix, error) {
	rows := fl.NewMatrix(w.Rows.Rows, w.Rows.Cols)
	copy(rows.Data, w.Rows.Data)
	if w.Own == nil {
		return rows, nil
	}
	way := w.Reference["mean"].Row(0).Clone()
	way.AddScaled(-1, average(w.Own.X).Row(0))
	for i := 0; i < rows.Rows; i++ {
		rows.Row(i).AddScaled(m.share, way)
	}
	return rows, nil
}

// average returns the mean of rows.
func average(x fl.Matrix) fl.Matrix {
	mean := fl.NewMatrix(1, x.Cols)
	for i := 0; i < x.Rows; i++ {
		mean.Row(0).AddScaled(1/float64(x.Rows), x.Row(i))
	}
	return mean
}
