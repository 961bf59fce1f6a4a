package console

import (
	"fmt"
	"strings"
	"time"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
)

// mostListed is how many cells that are not done are listed where --all is not given.
const mostListed = 20

// Cells returns cells that are not done as lines, those first of which there is most to say;
// all cells, in the order of the plan, where that is asked for. A reason is said once, of the first
// cell that has it.
func Cells(s *session.RunState, plan *store.Plan, all bool, width int) string {
	var rows [][]string
	listed, left := s.Order(all), 0
	if !all && len(listed) > mostListed {
		listed, left = listed[:mostListed], len(listed)-mostListed
	}
	now, reasons := time.Now(), map[string]string{}
	for _, i := range listed {
		f, cell := &s.Cells[i], plan.Cells[s.Index[i]]
		why := f.Why
		if first, known := reasons[why]; known && len(why) > len("as ")+len(first) {
			why = "as " + first
		} else if !known {
			reasons[why] = s.IDs[i][:12]
		}
		if f.Rounds > 0 {
			why += fmt.Sprintf("; round %d of %d, saved %s", f.Rounds, cell.Rounds,
				session.Moment(f.Saved.Local(), now))
		}
		rows = append(rows, []string{s.IDs[i][:12], f.State, cell.Label(), f.Task,
			strings.TrimPrefix(why, "; ")})
	}
	if len(rows) == 0 {
		return ""
	}
	text := "\n" + Grid(rows, "", Gutter, width)
	if left > 0 {
		text += fmt.Sprintf("and %s; --all lists them\n", phrase.Count(left, "other", "others"))
	}
	return text
}
