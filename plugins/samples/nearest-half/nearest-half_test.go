package nearesthalf

import (
	"os"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/plugins/trial"
)

// Of n clients fewer than half may send anything: the result is no longer than the longest of the
// others, and the file is as short as the guide says.
func TestFewerThanHalfMoveNothing(t *testing.T) {
	for seed := range uint64(50) {
		rng := trial.Random(seed)
		n := 5 + rng.IntN(6)
		r := trial.Cohort(rng, n, 6)
		honest := 0.0
		for k := range r.Updates {
			if k < (n-1)/2 {
				r.Updates[k].Params.AddConst(1e6)
			} else {
				honest = max(honest, r.Updates[k].Params.Norm())
			}
		}
		out, err := new(nearestHalf).Aggregate(r)
		if err != nil {
			t.Fatal(err)
		}
		if norm := fl.Vector(out.Params).Norm(); norm > honest {
			t.Errorf("seed %d: the norm is %v, that of the others at most %v", seed, norm, honest)
		}
	}
	text, err := os.ReadFile("nearest-half.go")
	lines := 0
	for line := range strings.Lines(string(text)) {
		if line != "\n" && !strings.HasPrefix(line, "//") {
			lines++
		}
	}
	if err != nil || lines > 30 {
		t.Errorf("it has %d lines of code, %v", lines, err)
	}
}
