package plugins

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// preprocessor guards an fl.Preprocessor. Clients that summarise or move at once wait for each
// other.
type preprocessor guarding[fl.Preprocessor]

func guardPreprocessor(g guarded, p fl.Preprocessor) (fl.Preprocessor, error) {
	return &preprocessor{g, p}, nil
}

// Shape implements fl.Preprocessor.
func (p *preprocessor) Shape(in fl.Shape) (out fl.Shape, err error) {
	err = p.try("Shape", func() (err error) {
		if out, err = p.of.Shape(in); err != nil {
			return err
		}
		return checkShape(in, out)
	}, input{"in", &in})
	return out, err
}

// checkShape refuses shapes that differ in more than features and image, or contradict
// themselves.
func checkShape(in, out fl.Shape) error {
	rest := out
	rest.Features, rest.Image = in.Features, in.Image
	switch n := out.Image.Len(); {
	case !rest.Equal(in):
		return errors.New("returned a shape with other classes, clients, test rows or " +
			"covariates; only Features and Image may differ")
	case out.Features < 1:
		return fmt.Errorf("returned a shape of %d features", out.Features)
	case n > 0 && n != out.Features:
		return fmt.Errorf("returned a shape of images of %d pixels in rows of %d", n, out.Features)
	}
	return nil
}

// Summarize implements fl.Preprocessor.
func (p *preprocessor) Summarize(s *fl.SummaryInput) (own fl.Tensors, err error) {
	err = p.try("Summarize", func() (err error) {
		if own, err = p.of.Summarize(s); err != nil {
			return err
		}
		return checkTensors(own)
	}, input{"s", s})
	return own, err
}

// Combine implements fl.Preprocessor.
func (p *preprocessor) Combine(c *fl.CombineInput) (all fl.Tensors, err error) {
	err = p.try("Combine", func() (err error) {
		if all, err = p.of.Combine(c); err != nil {
			return err
		}
		return checkTensors(all)
	}, input{"c", c})
	return all, err
}

// Transform implements fl.Preprocessor.
func (p *preprocessor) Transform(m *fl.TransformInput) (rows fl.Matrix, err error) {
	err = p.try("Transform", func() (err error) {
		if rows, err = p.of.Transform(m); err != nil {
			return err
		}
		if rows.Rows != m.Rows.Rows {
			return fmt.Errorf("returned %d rows for %d", rows.Rows, m.Rows.Rows)
		}
		return checkMatrix(rows)
	}, input{"m", m})
	if blend := m.Blend; err == nil && blend != nil {
		m.Blend = func(epoch, epochs int) (share float64) {
			p.must("Blend", func() error {
				if share = blend(epoch, epochs); !(share >= 0 && share <= 1) {
					return fmt.Errorf("returned %v, outside [0, 1]", share)
				}
				return nil
			})
			return share
		}
	}
	return rows, err
}

// checkTensors refuses what cannot be sent.
func checkTensors(t fl.Tensors) error {
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if err := checkMatrix(t[name]); err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
	}
	return nil
}

// checkMatrix refuses matrices that are none, or not finite.
func checkMatrix(m fl.Matrix) error {
	if m.Rows < 0 || m.Cols < 0 || len(m.Data) != m.Rows*m.Cols {
		return fmt.Errorf("returned a matrix of %d×%d with %d numbers", m.Rows, m.Cols, len(m.Data))
	}
	for k, x := range m.Data {
		if x-x != 0 {
			return fmt.Errorf("returned %v in row %d, column %d", x, k/m.Cols, k%m.Cols)
		}
	}
	return nil
}
