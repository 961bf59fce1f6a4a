package store

import (
	"testing"

	"github.com/hansa-fl/hansa/framework/study"
)

// A part of a plan makes no claims: they are about all cells.
func TestPartMakesNoClaims(t *testing.T) {
	p := &Plan{Cells: make([]study.Cell, 2), IDs: []string{"a", "b"},
		Claims: []study.Claim{{Says: "so"}}}
	if all := p.Part([]bool{true, true}); len(all.Cells) != 2 || len(all.Claims) != 1 {
		t.Errorf("%+v", all)
	}
	if some := p.Part([]bool{false, true}); len(some.Cells) != 1 || some.Claims != nil {
		t.Errorf("%+v", some)
	}
	if len(p.Claims) != 1 {
		t.Error("the plan lost its claims")
	}
}
