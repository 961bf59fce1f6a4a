package contract

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A mover is a preprocessor that moves every client's mean to that of all, and does something
// else beside it.
type mover struct {
	shape     func(in fl.Shape) (fl.Shape, error)
	summarize func(s *fl.SummaryInput, own fl.Tensors) fl.Tensors
	combine   func(c *fl.CombineInput, all fl.Matrix)
	transform func(m *fl.TransformInput, x fl.Matrix) (fl.Matrix, error)
}

func (p *mover) Shape(in fl.Shape) (fl.Shape, error) {
	if p.shape == nil {
		return in, nil
	}
	return p.shape(in)
}

func (p *mover) Summarize(s *fl.SummaryInput) (fl.Tensors, error) {
	own := fl.Tensors{"mean": middle(s.Data.X)}
	if p.summarize != nil {
		own = p.summarize(s, own)
	}
	return own, nil
}

func (p *mover) Combine(c *fl.CombineInput) (fl.Tensors, error) {
	all, n := fl.NewMatrix(1, c.Shape.Features), 0.0
	for _, u := range c.Uploads {
		fl.Vector(all.Data).AddScaled(float64(u.Samples), u.Payload["mean"].Data)
		n += float64(u.Samples)
	}
	fl.Vector(all.Data).Scale(1 / n)
	if p.combine != nil {
		p.combine(c, all)
	}
	return fl.Tensors{"mean": all}, nil
}

var errWhose = errors.New(`rows of no client cannot be moved; partition = "natural" gives them owners`)

func (p *mover) Transform(m *fl.TransformInput) (fl.Matrix, error) {
	if m.Own == nil && p.transform == nil {
		return fl.Matrix{}, errWhose
	}
	x := fl.NewMatrix(m.Rows.Rows, m.Rows.Cols)
	for i := range x.Rows {
		copy(x.Row(i), m.Rows.Row(i))
		if m.Own != nil {
			fl.Vector(x.Row(i)).AddScaled(-1, middle(m.Own.X).Data)
		}
		fl.Vector(x.Row(i)).AddScaled(1, m.Reference["mean"].Data)
	}
	if p.transform != nil {
		return p.transform(m, x)
	}
	return x, nil
}

// middle is the mean of rows.
func middle(x fl.Matrix) fl.Matrix {
	mean := fl.NewMatrix(1, x.Cols)
	for i := range x.Rows {
		fl.Vector(mean.Data).AddScaled(1/float64(x.Rows), x.Row(i))
	}
	return mean
}

// center moves every client's mean to that of all, all at once or epoch by epoch.
var center = fl.PreprocessorEntry{
	Name: "center", Summary: "one mean for all",
	New: func(p *fl.Params) (fl.Preprocessor, error) {
		if !p.Bool("slowly", false, "epoch by epoch") {
			return &mover{}, nil
		}
		return moving(func(m *fl.TransformInput, x fl.Matrix) {
			m.Blend = func(epoch, epochs int) float64 { return float64(epoch+1) / float64(epochs) }
		}), nil
	},
}

// hint moves rows by what only those know that see labels; it is no aligner, and draws.
var hint = fl.PreprocessorEntry{
	Name: "hint", Summary: "adds a column of noise, as loud as labels are",
	Traits: fl.PreprocessTraits{Labelled: true},
	Waives: map[string]string{"identity": "it adds a column", "row-wise": "it draws for every row"},
	New: func(*fl.Params) (fl.Preprocessor, error) {
		return &mover{
			shape: func(in fl.Shape) (fl.Shape, error) {
				in.Features, in.Image = in.Features+1, fl.Image{}
				return in, nil
			},
			transform: func(m *fl.TransformInput, x fl.Matrix) (fl.Matrix, error) {
				wide := fl.NewMatrix(x.Rows, x.Cols+1)
				for i := range x.Rows {
					copy(wide.Row(i), x.Row(i))
					wide.Row(i)[x.Cols] = m.RNG.NormFloat64()
					if m.Own != nil && m.Own.Y != nil {
						wide.Row(i)[x.Cols] *= float64(m.Own.Y[0])
					}
				}
				return wide, nil
			},
		}, nil
	},
}

// moving is a mover that does something else to the rows.
func moving(do func(m *fl.TransformInput, x fl.Matrix)) *mover {
	return &mover{transform: func(m *fl.TransformInput, x fl.Matrix) (fl.Matrix, error) {
		if m.Own == nil {
			return fl.Matrix{}, errWhose
		}
		do(m, x)
		return x, nil
	}}
}

func TestBadPreprocessors(t *testing.T) {
	calls := 0
	as := func(breaks, found string, p *mover) citizen[fl.Preprocessor] {
		return made(breaks, found, func() fl.Preprocessor { return p })
	}
	shaped := func(do func(in *fl.Shape)) *mover {
		return &mover{shape: func(in fl.Shape) (fl.Shape, error) {
			do(&in)
			return in, nil
		}}
	}
	catches(t, preprocessors(), preprocessors().checks, []citizen[fl.Preprocessor]{
		as("shape", "error: Shape: too small", &mover{shape: func(in fl.Shape) (fl.Shape, error) {
			return in, errors.New("too small")
		}}),
		as("shape", "10 rows became 10×3, want 2 features", shaped(func(in *fl.Shape) {
			in.Features--
		})),
		as("shape", "becomes", shaped(func(in *fl.Shape) { in.Classes++ })),
		as("shape", "images of 8 pixels in rows of 3", shaped(func(in *fl.Shape) {
			in.Image = fl.Image{C: 2, H: 2, W: 2}
		})),
		as("shape", "client 0, test rows: 5 rows became 4×3", &mover{transform: func(
			m *fl.TransformInput, x fl.Matrix) (fl.Matrix, error) {
			if m.Rows.Rows == 5 {
				x = x.Slice(1, 5)
			}
			return x, nil
		}}),
		as("shape", "a client with 1 sample and a dead feature: client 0: NaN", moving(func(
			m *fl.TransformInput, x fl.Matrix) {
			if m.Own.Len() == 1 {
				x.Data[0] = math.NaN()
			}
		})),

		as("read-only", "Summarize changed the data", &mover{summarize: func(
			s *fl.SummaryInput, own fl.Tensors) fl.Tensors {
			s.Data.X.Data[0]++
			return own
		}}),
		as("read-only", "Combine changed the uploads", &mover{combine: func(
			c *fl.CombineInput, _ fl.Matrix) {
			c.Uploads[0].Payload["mean"].Data[0]++
		}}),
		as("read-only", "Transform changed the data", moving(func(m *fl.TransformInput, x fl.Matrix) {
			m.Own.X.Data[0]--
		})),
		as("read-only", "Transform changed the reference", &mover{transform: func(
			m *fl.TransformInput, x fl.Matrix) (fl.Matrix, error) {
			m.Reference["seen"] = fl.NewMatrix(1, 1)
			return x, nil
		}}),

		as("repeatable", "client 0: uploads differ", &mover{summarize: func(
			s *fl.SummaryInput, own fl.Tensors) fl.Tensors {
			calls++
			own["calls"] = fl.Matrix{Rows: 1, Cols: 1, Data: []float64{float64(calls)}}
			return own
		}}),
		made("forgets", "after other data: client 0: element 0", func() fl.Preprocessor {
			first := 0.0
			return moving(func(m *fl.TransformInput, x fl.Matrix) {
				if first == 0 {
					first = m.Reference["mean"].Data[0]
				}
				x.Data[0] += m.Reference["mean"].Data[0] - first
			})
		}),
		made("forgets", "after other data: client 0: uploads differ", func() fl.Preprocessor {
			largest := 0
			return &mover{summarize: func(s *fl.SummaryInput, own fl.Tensors) fl.Tensors {
				largest = max(largest, s.Data.Len())
				own["largest"] = fl.Matrix{Rows: 1, Cols: 1, Data: []float64{float64(largest)}}
				return own
			}}
		}),
		made("at-once", "beside another, is another", func() fl.Preprocessor {
			shared := new(crowding)
			return moving(func(_ *fl.TransformInput, x fl.Matrix) {
				if shared.enter(runtime.Gosched) {
					x.Data[0]++
				}
			})
		}),

		as("label-blind", "client 0: uploads differ", &mover{summarize: func(
			s *fl.SummaryInput, own fl.Tensors) fl.Tensors {
			if s.Data.Y != nil || s.Data.Target != nil {
				own["labels"] = fl.NewMatrix(1, 1)
			}
			return own
		}}),
		as("size", "10 samples: mean 1×3 rows 10×3", &mover{summarize: func(
			s *fl.SummaryInput, own fl.Tensors) fl.Tensors {
			own["rows"] = s.Data.X
			return own
		}}),
		as("size", "1 sample: 6 floats, 10 samples: 3", &mover{summarize: func(
			s *fl.SummaryInput, own fl.Tensors) fl.Tensors {
			if s.Data.Len() == 1 {
				own["all"] = s.Data.X
			}
			return own
		}}),
		as("row-wise", "client 0, row 1 alone: element 0", moving(func(m *fl.TransformInput, x fl.Matrix) {
			x.Data[0] += 1e-9
		})),
		as("equal", "client 0: element 0", &mover{combine: func(c *fl.CombineInput, all fl.Matrix) {
			copy(all.Data, c.Uploads[0].Payload["mean"].Data)
		}}),
		as("ownerless", "panic", &mover{transform: func(m *fl.TransformInput, x fl.Matrix) (fl.Matrix, error) {
			_ = m.Own.X
			return x, nil
		}}),
		as("ownerless", "NaN or Inf", &mover{transform: func(m *fl.TransformInput, x fl.Matrix) (fl.Matrix, error) {
			if m.Own == nil {
				x.Data[0] = math.Inf(1)
			}
			return x, nil
		}}),
		as("ownerless", "an error without words", &mover{transform: func(
			m *fl.TransformInput, x fl.Matrix) (fl.Matrix, error) {
			if m.Own == nil {
				return x, errors.New("")
			}
			return x, nil
		}}),
		as("blend", "client 0: a share 2 in epoch 1 of 2", moving(func(m *fl.TransformInput, _ fl.Matrix) {
			m.Blend = func(epoch, _ int) float64 { return 2 * float64(epoch) }
		})),
		as("identity", "client 0: element 0", &mover{combine: func(_ *fl.CombineInput, all fl.Matrix) {
			all.Data[0] += 0.01
		}}),
	})
}

// A blend between rows of different widths is none.
func TestBlendOfOtherWidth(t *testing.T) {
	e := hint
	e.Name, e.New = "", func(p *fl.Params) (fl.Preprocessor, error) {
		c, err := hint.New(p)
		wide := c.(*mover).transform
		c.(*mover).transform = func(m *fl.TransformInput, x fl.Matrix) (fl.Matrix, error) {
			m.Blend = func(int, int) float64 { return 0.5 }
			return wide(m, x)
		}
		return c, err
	}
	all := examined(t, preprocessors(), e)
	if len(all) != 1 || all[0].Check != "blend" {
		t.Error(fmt.Sprint(all))
	}
}
