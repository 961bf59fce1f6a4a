package reports

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/reports/infer"
)

// many is the relative change from which on it is told as a multiple: ×10 and above.
const many = 9

// fold reports whether the change is told as a multiple of the baseline.
func (c *Comparison) fold() bool { return c.tells() && float64(c.Relative) >= many }

// points reports whether the change is told in percentage points.
func (c *Comparison) points(unit string) bool { return c.tells() && unit == "%" }

// tells reports whether the change is told at all.
func (c *Comparison) tells() bool {
	return c != nil && c.Outcome != infer.NotSignificant && c.Outcome != infer.Identical
}

// change writes a comparison in a column of its own.
func change(c *Comparison, unit string) entry {
	if c == nil {
		return entry{word: "—"}
	}
	switch c.Outcome {
	case infer.NotSignificant:
		return entry{word: "~", aside: "(" + chance(float64(c.P)) + ")"}
	case infer.Identical:
		return entry{word: "identical"}
	}
	e := difference(c, unit)
	switch c.Outcome {
	case infer.Significant:
		e.aside = "(" + chance(float64(c.P)) + ")"
	case infer.Constant:
		e.aside = "(always)"
	}
	return e
}

// difference writes by how much a method differs from the baseline: as a share of it, as
// a multiple, or in units of the metric where neither means anything.
func difference(c *Comparison, unit string) entry {
	relative := float64(c.Relative)
	switch {
	case c.points(unit):
		return signed(float64(c.Delta), 2, " pp")
	case math.IsNaN(relative):
		delta := float64(c.Delta)
		e := style{unit: unit, digits: -1}.entry(delta, math.NaN())
		if delta > 0 && e.whole != "" {
			e.whole = "+" + e.whole
		}
		return e
	case c.fold():
		ratio := 1 + relative
		if ratio >= 1e5 {
			power := exponent(ratio, 2)
			e := fixed(shift(ratio, -power), math.NaN(), 1)
			e.whole, e.scale = "×"+e.whole, "e"+strconv.Itoa(power)
			return e
		}
		unit := math.Pow10(max(0, exponent(ratio, 3)-2))
		e := fixed(math.Round(ratio/unit)*unit, math.NaN(), max(0, decimals(ratio, 3)))
		e.whole = "×" + e.whole
		return e
	default:
		return signed(100*relative, percentDigits(100*relative), " %")
	}
}

// delta writes by how much a cell differs from what it is compared with, in the digits of the
// cell if it has any and is of that size; nil where it is not compared. A difference that is
// decided and would vanish in these gets up to four more.
func (s style) delta(c *Cell) *entry {
	if c.Versus == nil {
		return nil
	}
	x := float64(c.Versus.Delta)
	fit := s.settled(float64(c.Mean), float64(c.Spread))
	size := math.Abs(shift(x, -fit.power))
	found := c.Versus.Outcome == infer.Significant || c.Versus.Outcome == infer.Constant
	if found && size < 0.5*math.Pow10(-fit.digits) {
		fit.digits = min(fit.digits+4, decimals(size, 2))
	}
	var e entry
	far := fit.power != 0 && size >= 100 || size >= 1e5
	switch none := s.digits < 0 && c.Mean == 0; {
	case none || s.unit == "floats" || !infer.Finite(x) || s.unit != "%" && far:
		e = style{unit: s.unit, digits: -1}.entry(x, math.NaN())
	default:
		e = fit.written(x, math.NaN())
	}
	if x > 0 && strings.ContainsAny(e.whole+e.frac, "123456789") {
		e.whole = "+" + e.whole
	}
	return &e
}

// parentheses writes the difference of an entry; empty where there is none.
func (e entry) parentheses() string {
	if e.delta == nil {
		return ""
	}
	return "(" + e.delta.String() + ")"
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
func signed(x float64, digits int, scale string) entry {
	e := fixed(x, math.NaN(), digits)
	if x > 0 {
		e.whole = "+" + e.whole
	}
	e.scale = scale
	return e
}

// chance writes a p-value, with a digit more where two would hide on which side of 0.05
// it lies.
func chance(p float64) string {
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

// star writes a comparison as a sign at the cell.
func star(c *Comparison) string {
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
