package table

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/reports/infer"
)

// A style is how the numbers of one column are written.
type style struct {
	unit   string
	digits int // after the decimal point, for all of them; −1: each has its own
	power  int // of ten, taken out of all of them; 0: out of each that needs it
}

// maxPowerRange is by how many powers of ten the cells of a column may differ, in size or in the
// digits they need, and still have the same style.
const maxPowerRange = 2

// styleOf chooses the style of a column: ± has two significant digits and the mean at
// most six; percentages have two digits after the point. Where one needs an exponent and
// all are of a size, all get the same.
func styleOf(unit string, cells []*Cell) style {
	var numbers [][2]float64 // mean and spread
	low, high, needed := math.MaxInt, math.MinInt, false
	for _, c := range cells {
		mean, spread := float64(c.Mean), float64(c.Spread)
		if !infer.Finite(mean) || mean == 0 && !(spread > 0) {
			continue
		}
		numbers = append(numbers, [2]float64{mean, spread})
		power := powerOf(mean, spread)
		low, high = min(low, power), max(high, power)
		needed = needed || scientific(mean, spread)
	}
	switch {
	case unit == "%":
		return style{unit: unit, digits: 2}
	case needed && high-low > maxPowerRange:
		numbers = slices.DeleteFunc(numbers, func(x [2]float64) bool {
			return scientific(x[0], x[1])
		})
	case needed:
		for i, x := range numbers {
			numbers[i] = [2]float64{timesPowerOfTen(x[0], -high), timesPowerOfTen(x[1], -high)}
		}
		return style{unit: unit, digits: commonDigits(numbers), power: high}
	}
	return style{unit: unit, digits: commonDigits(numbers)}
}

// commonDigits returns how many digits after the point serve all numbers, or −1 when there
// is no such. Those without a spread follow those with one, if that leaves them two.
func commonDigits(numbers [][2]float64) int {
	varies := slices.ContainsFunc(numbers, func(x [2]float64) bool { return x[1] > 0 })
	low, high, least, room := math.MaxInt, -1, 0, math.MaxInt
	for _, x := range numbers {
		mean, spread := x[0], x[1]
		if mean != 0 {
			room = min(room, max(0, decimals(mean, 6)))
		}
		if varies && !(spread > 0) {
			least = max(least, decimals(mean, 2))
			continue
		}
		d := ownDigits(mean, spread)
		low, high = min(low, d), max(high, d)
	}
	if high < least || high-low > maxPowerRange || high > room {
		return -1
	}
	return high
}

// value writes a cell.
func (s style) value(c *Cell) Entry {
	e := Entry{Word: "—"}
	switch c.State {
	case Failed:
		e.Word = "failed"
	case Complete, Partial, NotFinite:
		spread := float64(c.Spread)
		e = s.entry(float64(c.Mean), spread)
		if c.N() < c.Planned {
			e.Aside = fmt.Sprintf("(%d/%d)", c.N(), c.Planned)
		}
	}
	e.Best, e.Notes = c.Best && !c.Again, c.Notes
	return e
}

// quotationEntry writes a published number with its digits.
func quotationEntry(q *Quote, unit string) Entry {
	if q == nil {
		return Entry{}
	}
	x := float64(q.Value)
	e := style{unit: unit, digits: -1}.entry(x, math.NaN())
	if infer.Finite(x) && unit != fl.Bytes {
		text := strconv.FormatFloat(x, 'f', -1, 64)
		if e.Scale != "" {
			text, _, _ = strings.Cut(strconv.FormatFloat(x, 'e', -1, 64), "e")
		}
		_, frac, _ := strings.Cut(text, ".")
		scale := e.Scale
		mantissa, _ := strconv.ParseFloat(text, 64)
		e = fixed(mantissa, math.NaN(), len(frac))
		e.Scale = scale
	}
	e.Notes = q.Notes
	return e
}

// entry writes a mean and its spread, which is NaN where there is none.
func (s style) entry(mean, spread float64) Entry {
	if math.IsInf(spread, 1) {
		e := s.entry(mean, math.NaN())
		e.Spread = "∞"
		return e
	}
	switch {
	case math.IsNaN(mean):
		return Entry{Word: "NaN"}
	case math.IsInf(mean, 1):
		return Entry{Word: "∞"}
	case math.IsInf(mean, -1):
		return Entry{Word: "−∞"}
	case s.unit == fl.Bytes:
		return prefixed(mean, spread)
	case s.unit == "%":
		return fixed(mean, spread, s.digits)
	case mean == 0 && !(spread > 0):
		return fixed(mean, spread, 0)
	default:
		return s.settled(mean, spread).written(mean, spread)
	}
}

// settled returns the style with the digits and the power of ten that it has for a number.
func (s style) settled(mean, spread float64) style {
	switch {
	case s.unit == "%":
		return s
	case s.power == 0 && scientific(mean, spread):
		s.power, s.digits = powerOf(mean, spread), -1
	}
	if s.digits < 0 {
		s.digits = ownDigits(timesPowerOfTen(mean, -s.power), timesPowerOfTen(spread, -s.power))
	}
	return s
}

// written writes a number in a settled style.
func (s style) written(mean, spread float64) Entry {
	if s.power != 0 {
		return powered(mean, spread, s.power, s.digits)
	}
	return fixed(mean, spread, s.digits)
}
