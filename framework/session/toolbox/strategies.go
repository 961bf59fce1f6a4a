package toolbox

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins"
)

// Strategies are those of the user's.
type Strategies []*plugins.Strategy

// Foreign reports whether a component of a resolved cell is of a strategy.
func (s Strategies) Foreign(c study.Cell) bool {
	return slices.ContainsFunc(c.Sources(), func(source string) bool {
		_, digest, _ := strings.Cut(source, " ")
		return slices.ContainsFunc(s, func(one *plugins.Strategy) bool {
			return one.Digest() == digest
		})
	})
}

// Where says which line of a strategy runs, and in whose name; nothing when none does.
func (s Strategies) Where() string {
	for _, one := range s {
		if calls := one.Calls(); len(calls) > 0 {
			c := calls[0]
			return c.Pos.String() + ": " + c.Name + ": " + c.Method
		}
	}
	return ""
}

// Overdue says that a call did not return in time after it was stopped, so that nothing but the
// end of the process ends it; or nothing.
func (s Strategies) Overdue(grace time.Duration) string {
	for _, one := range s {
		for _, c := range one.Calls() {
			if c.Firm && c.Late > 0 {
				return fmt.Sprintf("took longer than %v", c.Budget)
			}
			if c.Late > grace {
				return "took too long and cannot be stopped; it was last seen here"
			}
		}
	}
	return ""
}
