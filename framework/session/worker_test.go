package session

import (
	"strings"
	"testing"
)

// What the worker is asked to compute by other numbers than those of hansa is refused.
func TestOtherNumbers(t *testing.T) {
	w := &worker{numerics: func() (string, error) { return "these", nil }}
	err := w.load(&order{Compiled: true, Numerics: "those"})
	if err == nil || !strings.Contains(err.Error(), "these instead of those") {
		t.Error(err)
	}
}
