package ot

import (
	"errors"
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// CheckMeasures reports what is wrong with a problem whose masses need not sum to 1, for
// [Partial] and [Unbalanced]: the first mistake in its shape, in a, in b, and in C. Masses are
// ≥ 0, and those of a, and of b, sum to more than 0 and to 1e300 at most.
func (t Transport) CheckMeasures() error {
	if err := t.checkShape(); err != nil {
		return err
	}
	return errors.Join(checkMeasure("a", t.A), checkMeasure("b", t.B), checkCost(t.Cost))
}

// checkShape reports whether the lengths of the parts differ.
func (t Transport) checkShape() error {
	if c := t.Cost; len(t.A) != c.Rows || len(t.B) != c.Cols || len(c.Data) != c.Rows*c.Cols {
		return fmt.Errorf("the cost is %d×%d with %d elements, but a has %d elements and b has %d",
			c.Rows, c.Cols, len(c.Data), len(t.A), len(t.B))
	}
	return nil
}

// checkMeasure reports why x, called name, is not a measure of some mass.
func checkMeasure(name string, x tensor.Vector) error {
	for i, v := range x {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("%s[%d] is %v, which is no mass", name, i, v)
		}
	}
	if s := x.Sum(); !(s > 0 && s <= largestCost) {
		return fmt.Errorf("%s sums to %v, not to a number above 0 and at most 1e300", name, s)
	}
	return nil
}
