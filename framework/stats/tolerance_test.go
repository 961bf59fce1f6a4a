package stats

import (
	"math"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// A tolerance accepts |got − want| ≤ Abs + Rel·|want|.
type tolerance struct{ Abs, Rel float64 }

func (tol tolerance) all(t *testing.T, what string, got, want tensor.Vector) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= tol.Abs+tol.Rel*math.Abs(w)) {
			t.Fatalf("%s: number %d of %d is %v, want %v", what, i, len(want), got[i], w)
		}
	}
}

func (tol tolerance) one(t *testing.T, what string, got, want float64) {
	t.Helper()
	tol.all(t, what, tensor.Vector{got}, tensor.Vector{want})
}
