package ot

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A Support is a grid of H×W points that measures have in common, and what it costs to move
// mass between them: a part for the rows and a part for the columns,
//
//	C[(h, w), (k, l)] = Down[h, k] + Across[w, l]
//
// so that K = exp(−C/λ) is the product of a small kernel for each direction, and K·v two small
// matrix products. Points count row by row. A support of one row is any n points at any cost.
type Support struct {
	Down   tensor.Matrix // H×H
	Across tensor.Matrix // W×W
}

// Points returns the support of n points between which mass moves at cost C, n×n.
func Points(cost tensor.Matrix) Support {
	return Support{Down: tensor.NewMatrix(1, 1), Across: cost}
}

// SquaredGrid returns the points of an image, at the squared distances of their rows and columns
// over the largest one, (H−1)² + (W−1)². One row of n pixels is a histogram of n even bins.
func SquaredGrid(height, width int) Support {
	largest := float64((height-1)*(height-1) + (width-1)*(width-1))
	squares := func(n int) tensor.Matrix {
		m := tensor.NewMatrix(n, n)
		for i := range n {
			row := m.Row(i)
			for j := range row {
				if i != j { // the largest may be 0 where this is
					row[j] = float64((i-j)*(i-j)) / largest
				}
			}
		}
		return m
	}
	return Support{Down: squares(height), Across: squares(width)}
}

// Check reports what is wrong with the support.
func (s Support) Check() error {
	for _, c := range []tensor.Matrix{s.Down, s.Across} {
		if c.Rows < 1 || c.Cols != c.Rows || len(c.Data) != c.Rows*c.Cols {
			return fmt.Errorf("the costs of a direction are %d×%d with %d elements",
				c.Rows, c.Cols, len(c.Data))
		}
		if err := checkCost(c); err != nil {
			return err
		}
	}
	return nil
}

// size returns the number of points.
func (s Support) size() int { return s.Down.Rows * s.Across.Rows }
