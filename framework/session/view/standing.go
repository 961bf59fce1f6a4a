package view

import (
	"fmt"
	"strings"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/leaderboard"
	"github.com/hansa-fl/hansa/reports/table"
)

// A Standing is where a method stands, as a title, the rows of a table, and notes below it.
type Standing struct {
	Title string
	Rows  [][]string // the first is the head
	Notes []string
}

// Standings returns where methods stand among those of runs and of files of records.
func Standings(s *session.Session, runs, methods []string) (list []Standing, err error) {
	records, err := Records(s, runs, nil)
	if err != nil {
		return nil, err
	}
	board := Leaderboard(records)
	for _, method := range methods {
		found, err := leaderboard.Standings(board, method)
		if err != nil {
			return nil, err
		}
		for i := range found {
			list = append(list, standing(&found[i]))
		}
	}
	return list, nil
}

// standing writes where a method stands.
func standing(s *leaderboard.Standing) Standing {
	w := Standing{Title: fmt.Sprintf("%s — where %s stands, by %s · %s", s.Title, s.Method,
		s.Metric, phrase.Count(s.Seeds, "seed", "seeds")),
		Rows: [][]string{{"condition", "mean", "95 % CI", "rank", "confidence set", "best mean"}}}
	tested, untested := false, false
	var without []string
	for _, p := range s.Places {
		if p.State == string(table.Missing) {
			without = append(without, p.Condition)
			continue
		}
		if p.State != "" {
			w.Rows = append(w.Rows, []string{p.Condition, "—", "", "", "", p.State})
			continue
		}
		set := "—"
		if p.To > 0 {
			set, tested = fmt.Sprintf("%d to %d", p.From, p.To), true
			if p.From == p.To {
				set = fmt.Sprint(p.From)
			}
		} else {
			untested = true
		}
		w.Rows = append(w.Rows, []string{p.Condition, p.Mean, p.Interval,
			fmt.Sprintf("%d of %d", p.Rank, p.Of), set, p.Best})
	}
	if tested {
		w.Notes = append(w.Notes, "confidence set: the ranks that the method may have, at 95 %: "+
			"it stands behind all methods that are significantly better and before all that are "+
			"significantly worse, by paired t tests over seeds, Holm-adjusted in each condition")
	}
	if untested {
		w.Notes = append(w.Notes, fmt.Sprintf("—: no confidence set, which takes another method "+
			"and %d seeds that are complete", infer.FewestSeeds))
	}
	if without != nil {
		w.Notes = append(w.Notes, "no result yet: "+strings.Join(without, "; "))
	}
	return w
}
