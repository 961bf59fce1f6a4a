package table

import (
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// isWorst reports whether a point of the table is the worst of an axis.
func (d *draft) isWorst(at infer.Point) bool {
	return at.IsWorst(d.In.Report.Worst) || infer.Point(d.block.At).IsWorst(d.In.Report.Worst)
}

// worstNotes says what stands at the worst point of an axis, and of every row where on the axis
// that was.
func (d *draft) worstNotes() {
	axis, told := d.In.Report.Worst, false
	for k, at := range d.block.Points {
		if !d.isWorst(at) {
			continue
		}
		for r, m := range d.Methods {
			text := d.In.WorstLabels(d.CellsAt(m, d.block, at))
			if text == "" {
				continue
			}
			cell := &d.table.Rows[r].Cells[k*len(d.Metrics)]
			cell.Notes = append(cell.Notes, d.mark("worst: "+text))
			told = true
		}
	}
	if told {
		d.explain(study.WorstLabel, "in every seed the run at the point of %s with the worst %s, "+
			"so that the mean is no better than any of %s", study.LastPart(axis), d.Metrics[0],
			strings.Join(d.In.LabelsOn(axis), ", "))
	}
}
