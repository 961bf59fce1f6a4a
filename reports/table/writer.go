package table

import (
	"math"

	"github.com/hansa-fl/hansa/reports/infer"
)

// A Writer writes numbers of one metric as tables write them: with the digits that their intervals
// have, the same for all.
type Writer struct{ style style }

// NewWriter returns a Writer of numbers with a unit ("%", "B", "s"; empty for a plain number).
// Intervals are those of the numbers: low, high.
func NewWriter(unit string, intervals [][2]float64) Writer {
	var cells []*Cell
	for _, i := range intervals {
		cells = append(cells, &Cell{Mean: Number((i[0] + i[1]) / 2),
			Spread: Number((i[1] - i[0]) / 2)})
	}
	return Writer{styleOf(unit, cells)}
}

// Value writes a number with an interval from low to high, both NaN for none, without the interval.
func (w Writer) Value(x, low, high float64) string {
	e := w.style.entry(x, (high-low)/2)
	e.Spread = ""
	return e.String()
}

// Interval writes an interval: "[83.10, 84.92]"; "—" where there is none.
func (w Writer) Interval(low, high float64) string { return w.style.interval(low, high) }

// Difference writes by how much a method differs from another, with its sign.
func (w Writer) Difference(v *PairedDifference) string {
	text := w.Value(float64(v.Delta), float64(v.Low), float64(v.High))
	if v.Delta > 0 {
		text = "+" + text
	}
	return text
}

// PValue writes a probability: "0.032", "< 0.001"; "—" where there is none.
func PValue(p Number) string { return probability(p).String() }

// Amount writes a number of a unit by itself, with its unit.
func Amount(x float64, unit string) string {
	e := style{unit: unit, digits: -1}.entry(x, math.NaN())
	text := e.String()
	if unit != "" && e.Scale == "" && infer.Finite(x) {
		text += " " + unit
	}
	return text
}
