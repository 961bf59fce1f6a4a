package view

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/figure"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/table"
	"github.com/hansa-fl/hansa/reports/verdict"
)

// Claims judges the claims of the experiment of a run with its results, or with those of the part
// that filters keep. There may be none.
func Claims(s *Subject, only []string) (table.ClaimSet, error) {
	plan, err := s.Plan.Only(only)
	if err != nil {
		return table.ClaimSet{}, err
	}
	in := s.Gather(s.Run, plan, nil)
	set := judged(session.RunName(session.Real(s.Run.Dir)), in)
	in = in.Begun()
	filters, _ := study.Filters(in.Whole, in.Kept())
	for _, f := range filters {
		set.Command += " --only " + phrase.Quote(f)
	}
	return set, nil
}

// judged returns the verdicts on the claims of a run, and counts what has no result.
func judged(name string, in *infer.Input) table.ClaimSet {
	set := table.JudgeClaims(name, in)
	in = in.Begun()
	for _, id := range in.IDs {
		if _, failed := in.Failures[id]; !failed && in.Results[id] == nil {
			set.Missing++
		}
	}
	return set
}

// VerdictGrid returns a figure of the verdicts of runs, and says what is seen.
func VerdictGrid(sets []table.ClaimSet) (figure.Drawing, string) {
	d, claims := &figure.Verdicts{}, 0
	for _, s := range sets {
		row := figure.VerdictRow{Label: s.Name()}
		for _, c := range s.Claims {
			row.Verdicts = append(row.Verdicts, c.Verdict)
			claims++
		}
		d.Rows = append(d.Rows, row)
	}
	return d, fmt.Sprintf("%s of %s; green with a tick: %s, brown with a cross: %s, yellow with a "+
		"question mark: %s, white with a dash: %s, grey with ≠: %s, light grey with a dot: %s",
		phrase.Count(claims, "claim", "claims"),
		phrase.Count(len(sets), "run", "runs"), verdict.Holds, verdict.Refuted, verdict.Undecided,
		verdict.CannotRun, verdict.Incomparable, verdict.NotJudged)
}
