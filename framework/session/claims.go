package session

import (
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/verdict"
)

// checkClaims finds claims that compare numbers of different quantities, that cannot hold or that
// cannot be refuted, whatever the results are. Where a command line changes values of the file its
// claims are left as they are: what becomes of them their verdicts say.
func (x *Experiment) checkClaims(o *Overrides) (list study.Problems, err error) {
	if len(o.Set) > 0 || len(x.Cells) == 0 {
		return nil, nil
	}
	tools, err := toolbox.Builtin() // by which verdicts go, too
	if err != nil {
		return nil, err
	}
	in := &infer.Input{Cells: x.Cells, IDs: x.IDs, Report: x.Spec.Report,
		Quantity: tools.Registry.Quantity}
	in = in.WithWorst()
	scale := func(i int, metric string) (verdict.Scale, bool) {
		return x.scale(in.Original(i), metric)
	}
	for i := range x.Spec.Claims {
		for _, m := range verdict.Check(in, &x.Spec.Claims[i], scale) {
			list = append(list, study.Problem{Pos: x.Spec.ClaimAt(i, m.Predicate, m.Argument),
				Message: "claim.holds: " + m.Message, Hint: m.Hint})
		}
	}
	return append(list, x.checkWorst()...), nil
}

// checkWorst finds a worst value over an axis of a metric of which no value is worse than another.
func (x *Experiment) checkWorst() study.Problems {
	report := &x.Spec.Report
	if report.Worst == "" || len(report.Metrics) == 0 || len(x.setups) == 0 {
		return nil
	}
	for _, m := range x.setups[0].Measures {
		if m.Key == report.Metrics[0] && (m.Describes || fl.Cumulative(m.Metric.Unit())) {
			return study.Problems{{Pos: x.Spec.WorstAt.Value, Message: fmt.Sprintf("report.worst: "+
				"%s, the first metric, has no direction: nothing is better or worse in it", m.Key),
				Hint: "write another metric first"}}
		}
	}
	return nil
}

// scale returns that of a metric of the i-th cell; false where the cell does not measure it, or a
// strategy does.
func (x *Experiment) scale(i int, metric string) (verdict.Scale, bool) {
	c, built := &x.Cells[i], x.setups[i].Measures
	k := slices.IndexFunc(c.Measures, func(m study.Measure) bool { return m.Key == metric })
	b := slices.IndexFunc(built, func(m engine.Measure) bool { return m.Key == metric })
	if k < 0 || b < 0 {
		return verdict.Scale{}, false
	}
	s := verdict.Scale{Higher: built[b].Metric.Higher(), Describes: built[b].Describes}
	s.Low, s.High = x.Tools.Registry.Range(c, &c.Measures[k])
	return s, true
}
