package table

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/reports/infer"
)

// multipleFrom is the relative change from which on it is shown as a multiple: ×10 and above.
const multipleFrom = 9

// isMultiple reports whether the change is shown as a multiple of the baseline.
func (c *PairedDifference) isMultiple() bool {
	return c.isTold() && float64(c.Relative) >= multipleFrom
}

// inPoints reports whether the change is shown in percentage points.
func (c *PairedDifference) inPoints(unit string) bool { return c.isTold() && unit == "%" }

// isTold reports whether the change is shown at all.
func (c *PairedDifference) isTold() bool {
	return c != nil && c.Outcome != infer.NotSignificant && c.Outcome != infer.Identical
}

// changeEntry writes a comparison in a column of its own.
func changeEntry(c *PairedDifference, unit string) Entry {
	if c == nil {
		return Entry{Word: "—"}
	}
	switch c.Outcome {
	case infer.NotSignificant:
		return Entry{Word: "~", Aside: "(" + pValueText(float64(c.P)) + ")"}
	case infer.Identical:
		return Entry{Word: "identical"}
	}
	e := difference(c, unit)
	switch c.Outcome {
	case infer.Significant:
		e.Aside = "(" + pValueText(float64(c.P)) + ")"
	case infer.Constant:
		e.Aside = "(always)"
	}
	return e
}

// difference writes by how much a method differs from the baseline: as a share of it, as
// a multiple, or in units of the metric where neither means anything.
func difference(c *PairedDifference, unit string) Entry {
	relative := float64(c.Relative)
	switch {
	case c.inPoints(unit):
		return signed(float64(c.Delta), 2, " pp")
	case math.IsNaN(relative):
		delta := float64(c.Delta)
		e := style{unit: unit, digits: -1}.entry(delta, math.NaN())
		if delta > 0 && e.Whole != "" {
			e.Whole = "+" + e.Whole
		}
		return e
	case c.isMultiple():
		ratio := 1 + relative
		if ratio >= 1e5 {
			power := exponent(ratio, 2)
			e := fixed(timesPowerOfTen(ratio, -power), math.NaN(), 1)
			e.Whole, e.Scale = "×"+e.Whole, "e"+strconv.Itoa(power)
			return e
		}
		unit := math.Pow10(max(0, exponent(ratio, 3)-2))
		e := fixed(math.Round(ratio/unit)*unit, math.NaN(), max(0, decimals(ratio, 3)))
		e.Whole = "×" + e.Whole
		return e
	default:
		return signed(100*relative, percentDigits(100*relative), " %")
	}
}

// delta writes by how much a cell differs from what it is compared with, in the digits of the
// cell if it has any and is of that size; nil where it is not compared. A difference that is
// decided and would vanish in these gets up to four more.
func (s style) delta(c *Cell) *Entry {
	if c.Versus == nil {
		return nil
	}
	x := float64(c.Versus.Delta)
	fit := s.settled(float64(c.Mean), float64(c.Spread))
	size := math.Abs(timesPowerOfTen(x, -fit.power))
	found := c.Versus.Outcome == infer.Significant || c.Versus.Outcome == infer.Constant
	if found && size < 0.5*math.Pow10(-fit.digits) {
		fit.digits = min(fit.digits+4, decimals(size, 2))
	}
	var e Entry
	far := fit.power != 0 && size >= 100 || size >= 1e5
	switch none := s.digits < 0 && c.Mean == 0; {
	case none || s.unit == fl.Bytes || !infer.Finite(x) || s.unit != "%" && far:
		e = style{unit: s.unit, digits: -1}.entry(x, math.NaN())
	default:
		e = fit.written(x, math.NaN())
	}
	if x > 0 && strings.ContainsAny(e.Whole+e.Frac, "123456789") {
		e.Whole = "+" + e.Whole
	}
	return &e
}

// Parentheses writes the difference of an entry; empty where there is none.
func (e Entry) Parentheses() string {
	if e.Delta == nil {
		return ""
	}
	return "(" + e.Delta.String() + ")"
}

// percentDigits is how many digits after the point a change in percent needs: one, or
// as many as keep a small one from vanishing and one just short of −100 from reaching it.
func percentDigits(x float64) int {
	switch {
	case x == 0:
		return 1
	case x > -100 && x < -99.9:
		return min(8, max(1, decimals(100+x, 1)))
	default:
		return min(6, max(1, decimals(x, 2)))
	}
}

// signed writes x with its sign.
func signed(x float64, digits int, scale string) Entry {
	e := fixed(x, math.NaN(), digits)
	if x > 0 {
		e.Whole = "+" + e.Whole
	}
	e.Scale = scale
	return e
}

// pValueText writes a p-value, with a digit more where two would hide on which side of 0.05
// it lies.
func pValueText(p float64) string {
	switch {
	case p < 0.001:
		return "p < 0.001"
	case math.Abs(p-infer.Alpha) < 0.0005:
		return fmt.Sprintf("p = %.5f", p)
	case p < 0.0995:
		return fmt.Sprintf("p = %.3f", p)
	default:
		return fmt.Sprintf("p = %.2f", p)
	}
}

// significanceMark writes a comparison as a sign at the cell.
func significanceMark(c *PairedDifference) string {
	if c == nil {
		return ""
	}
	switch c.Outcome {
	case infer.NotSignificant:
		return "~"
	case infer.Constant:
		return "†"
	case infer.Identical:
		return "="
	case infer.Significant:
		switch p := float64(c.P); {
		case p < 0.001:
			return "***"
		case p < 0.01:
			return "**"
		}
		return "*"
	default:
		return ""
	}
}
