package phrase

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// clipSlowly is what clip does, by trying: it drops characters until what is left fits.
func clipSlowly(text string, width int) string {
	if Width(text) <= width {
		return text
	}
	r := []rune(text)
	for len(r) > 0 && Width(string(r)) >= width {
		r = r[:len(r)-1]
	}
	return string(r) + "…"
}

// A text is clipped to its longest beginning that fits with a … behind it, of wide characters as
// of narrow ones, and as fast whatever is cut off.
func TestClipping(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	letters := []rune("abc αβ 世界é")
	for range 500 {
		var b strings.Builder
		for range rng.IntN(12) {
			b.WriteRune(letters[rng.IntN(len(letters))])
		}
		if text, width := b.String(), 1+rng.IntN(10); Clip(text, width) != clipSlowly(text, width) {
			t.Errorf("%q at %d: %q, want %q", text, width, Clip(text, width), clipSlowly(text, width))
		}
	}
	allocations := func(n int) float64 {
		text := strings.Repeat("A", n)
		return testing.AllocsPerRun(3, func() { Clip(text, 40) })
	}
	if short, long := allocations(1000), allocations(100_000); long > short {
		t.Errorf("%v allocations for 1000 characters, %v for 100,000", short, long)
	}
}
