package store

import (
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
)

// A part of a plan has its claims, and knows which cells the plan has: a part of a part, too.
func TestPartKnowsThePlan(t *testing.T) {
	p := &Plan{Cells: make([]study.Cell, 3), IDs: []string{"a", "b", "c"},
		Claims: []study.Claim{{Says: "so"}}}
	if all := p.Part([]bool{true, true, true}); len(all.Cells) != 3 || all.Whole != nil {
		t.Errorf("%+v", all)
	}
	some := p.Part([]bool{false, true, true})
	if len(some.Cells) != 2 || len(some.Claims) != 1 || len(some.Whole) != 3 {
		t.Errorf("%+v", some)
	}
	one := some.Part([]bool{false, true})
	if len(one.Cells) != 1 || one.IDs[0] != "c" || len(one.Whole) != 3 {
		t.Errorf("%+v", one)
	}
	if len(p.Cells) != 3 || p.Whole != nil {
		t.Error("the plan became a part")
	}
}
