package view

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/figure"
	"github.com/hansa-fl/hansa/reports/table"
	"github.com/hansa-fl/hansa/reports/verdict"
)

// Claims judges the claims of the experiment of a run with its results. There may be none.
func Claims(s *Subject) table.ClaimSet {
	in := s.input(&FigureOptions{})
	set := table.JudgeClaims(session.RunName(session.Real(s.Run.Dir)), in)
	made, missing := make([]bool, len(in.Cells)), 0
	for i, id := range in.IDs {
		_, failed := in.Failures[id]
		if made[i] = failed || in.Results[id] != nil; !made[i] {
			missing++
		}
	}
	filters, ok := study.Filters(in.Cells, made)
	if missing == len(made) || !ok {
		set.Missing = missing
		return set
	}
	for _, f := range filters {
		set.Command += " --only " + phrase.Quote(f)
	}
	return set
}

// VerdictGrid returns a figure of the verdicts of runs, and says what is seen.
func VerdictGrid(sets []table.ClaimSet) (figure.Drawing, string) {
	d, claims := &figure.Verdicts{}, 0
	for _, s := range sets {
		row := figure.VerdictRow{Label: study.OneLine(s.Title)}
		for _, c := range s.Claims {
			row.Verdicts = append(row.Verdicts, c.Verdict)
			claims++
		}
		d.Rows = append(d.Rows, row)
	}
	return d, fmt.Sprintf("%s of %s; green with a tick: %s, brown with a cross: %s, yellow with a "+
		"question mark: %s, white with a dash: %s, grey with ≠: %s",
		phrase.Count(claims, "claim", "claims"),
		phrase.Count(len(sets), "run", "runs"), verdict.Holds, verdict.Refuted, verdict.Undecided,
		verdict.CannotRun, verdict.Incomparable)
}
