package engine

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Characters are drawn with probabilities in proportion to e to the scores over the temperature.
func TestSpelledByTheTemperature(t *testing.T) {
	scores, rng := fl.Vector{0, 1, -2}, rand.New(rand.NewPCG(1, 2))
	var counts, want [3]float64
	const n = 50_000
	for range n {
		counts[spelled(append(fl.Vector(nil), scores...), rng)]++
	}
	sum := 0.0
	for k, s := range scores {
		want[k] = math.Exp(s / coolness)
		sum += want[k]
	}
	for k, w := range want {
		p := w / sum
		if off := math.Abs(counts[k]/n - p); off > 4*math.Sqrt(p*(1-p)/n) {
			t.Errorf("class %d: %v of %d, want a share of %v", k, counts[k], n, p)
		}
	}
	if k := spelled(fl.Vector{math.NaN(), 1}, rng); k != 0 {
		t.Errorf("of scores that are no numbers %d is drawn", k)
	}
}
