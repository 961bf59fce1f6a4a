package table

import (
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// explainIntervals gives the confidence intervals of differences that were tested over few seeds:
// they are wide, and p alone does not say how wide. Each has its interval where there is one point,
// else it is said between what half of them lies. Views of a Comparison show them in a column.
func (d *draft) explainIntervals() {
	if d.table.View != Values {
		return
	}
	var list []string
	var least, most Number
	unit := d.table.Columns[0].Unit // of the primary metric, which is the same at all points
	for c := range d.table.Columns {
		for r := range d.table.Rows {
			v := d.table.Rows[r].Cells[c].Versus
			if v == nil || v.N > infer.FewSeeds || v.Outcome != infer.Significant &&
				v.Outcome != infer.NotSignificant || !infer.Finite(float64(v.High-v.Low)) {
				continue
			}
			half := (v.High - v.Low) / 2
			if len(list) == 0 {
				least = half
			}
			least, most = min(least, half), max(most, half)
			s := styleOf(unit, []*Cell{{Mean: v.Delta, Spread: half}})
			list = append(list, study.OneLine(d.Methods[r].Label)+" "+
				s.interval(float64(v.Low), float64(v.High))+differenceUnit(unit))
		}
	}
	switch from, to := quantity(float64(least), unit), quantity(float64(most), unit); {
	case len(list) == 0:
	case d.onePoint():
		d.explain("", "95 %% confidence intervals of the differences, not adjusted: %s",
			strings.Join(list, ", "))
	case from == to:
		d.explain("", "95 %% confidence intervals of the differences, not adjusted: ± %s", to)
	default:
		d.explain("", "95 %% confidence intervals of the differences, not adjusted: ± %s to ± %s; "+
			"hansa compare shows each", from, to)
	}
}

// differenceUnit is the unit of a difference, behind a number.
func differenceUnit(unit string) string {
	if unit == "%" {
		unit = "pp"
	}
	return Before(" ", unit)
}
