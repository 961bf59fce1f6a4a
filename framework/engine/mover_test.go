package engine_test

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// A mover is a preprocessor made of functions; what is nil does nothing.
type mover struct {
	shape     func(in fl.Shape) (fl.Shape, error)
	summarize func(s *fl.SummaryInput) (fl.Tensors, error)
	combine   func(c *fl.CombineInput) (fl.Tensors, error)
	transform func(m *fl.TransformInput) (fl.Matrix, error)
}

func (p mover) Shape(in fl.Shape) (fl.Shape, error) {
	if p.shape == nil {
		return in, nil
	}
	return p.shape(in)
}

func (p mover) Summarize(s *fl.SummaryInput) (fl.Tensors, error) {
	if p.summarize == nil {
		return nil, nil
	}
	return p.summarize(s)
}

func (p mover) Combine(c *fl.CombineInput) (fl.Tensors, error) {
	if p.combine == nil {
		return nil, nil
	}
	return p.combine(c)
}

func (p mover) Transform(m *fl.TransformInput) (fl.Matrix, error) {
	if p.transform == nil {
		return m.Rows, nil
	}
	return p.transform(m)
}

// mapped returns rows whose every number is f of what it was.
func mapped(x fl.Matrix, f func(v float64) float64) fl.Matrix {
	y := fl.NewMatrix(x.Rows, x.Cols)
	for k, v := range x.Data {
		y.Data[k] = f(v)
	}
	return y
}

// each is a preprocessor that makes f of every number.
func each(f func(v float64) float64) mover {
	return mover{transform: func(m *fl.TransformInput) (fl.Matrix, error) { return mapped(m.Rows, f), nil }}
}

func stages(chain ...fl.Preprocessor) []engine.Stage {
	var list []engine.Stage
	for k, p := range chain {
		list = append(list, engine.Stage{Name: fmt.Sprintf("p%d", k), Preprocessor: p})
	}
	return list
}

// halls is a world of clients with ten training rows each and, if those are owned, one or two
// test rows.
type halls struct {
	cloud
	owned bool
}

func (h halls) Load(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
	train, _, err = h.cloud.Load(l)
	test = train.Pick([]int{0, 1, 2, 3, 4, 5, 6, 8, 10})
	if !h.owned {
		test.Owner = nil
	}
	return train, test, err
}

func hall(owned bool, chain ...fl.Preprocessor) *engine.Setup {
	s := toy()
	s.Source, s.Preprocess = halls{cloud{10, 3}, owned}, stages(chain...)
	return s
}
