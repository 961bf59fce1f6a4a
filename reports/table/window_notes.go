package table

import (
	"slices"

	"github.com/hansa-fl/hansa/reports/infer"
)

// windows returns the different windows of the rows of a table that are compared.
func (d *draft) windows() []*infer.Span {
	var list []*infer.Span
	for r, m := range d.Methods {
		for k, at := range d.block.Points {
			first := k * len(d.Metrics)
			if first < len(d.samples[r]) && d.samples[r][first].Incomparable {
				continue
			}
			for _, i := range d.CellsAt(m, d.block, at) {
				if d.In.Results[d.In.IDs[i]] == nil {
					continue
				}
				s := infer.SpanOf(d.Window(i))
				if s != nil &&
					!slices.ContainsFunc(list, func(o *infer.Span) bool { return *o == *s }) {
					list = append(list, s)
				}
			}
		}
	}
	return list
}

// thinned reports whether some run was measured in rounds that others, which are compared with
// it, were not: in the last rounds, of which final values are, or in any.
func (d *draft) thinned(any bool) bool {
	for _, m := range d.Methods {
		for _, at := range d.block.Points {
			for _, i := range d.CellsAt(m, d.block, at) {
				own, common := d.Evaluated(i), d.Rounds(i)
				if !any {
					own, common = infer.Window(d.In.Report.Final, own), d.Window(i)
				}
				if !slices.Equal(own, common) {
					return true
				}
			}
		}
	}
	return false
}

// explainWindows says which rounds values are means of.
func (d *draft) explainWindows(list []*infer.Span) {
	final, all := d.In.Report.Final, ""
	if d.thinned(false) {
		all = ", in which all methods were measured"
	}
	switch {
	case len(list) == 0:
	case len(list) == 1 && list[0].Evaluations == 1:
		d.explain("", "values are those of %s%s", list[0], all)
	case len(list) == 1 && (list[0].Dense() || list[0].Evaluations == 2):
		d.explain("", "values are means of %s%s", list[0], all)
	case len(list) == 1:
		d.explain("", "values are means of %s, %s%s", list[0],
			Counted(list[0].Evaluations, "evaluation"), all)
	case final < 1:
		d.explain("", "values are means of the last 10 %% of the rounds, of %d evaluations at most",
			infer.MostEvaluations)
	case final == 1:
		d.explain("", "values are those of the last round")
	default:
		d.explain("", "values are means of the last %d rounds", final)
	}
}
