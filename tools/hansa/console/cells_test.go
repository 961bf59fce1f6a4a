package console

import (
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
)

// A reason that several cells have is said once; the others name the first cell that has it.
func TestReasonsAreSaidOnce(t *testing.T) {
	s, plan := &session.RunState{}, &store.Plan{}
	for k, why := range []string{"the update of client 14 has NaN", "brief", "the update of client 14 has NaN",
		"brief", "the update of client 15 has NaN"} {
		s.IDs = append(s.IDs, strings.Repeat(string(rune('a'+k)), 64))
		s.Index = append(s.Index, k)
		s.Cells = append(s.Cells, session.CellState{State: session.StateFailed, Why: why})
		plan.Cells = append(plan.Cells, study.Cell{Method: "FedAvg", Seed: uint64(k)})
	}
	text := Cells(s, plan, false, 200)
	for part, times := range map[string]int{"client 14": 1, "as aaaaaaaaaaaa": 1, "client 15": 1, "brief": 2} {
		if strings.Count(text, part) != times {
			t.Errorf("%q is not said %d times in\n%s", part, times, text)
		}
	}
}
