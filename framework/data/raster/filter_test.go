package raster

import "testing"

// For all neighbours paeth is what RFC 2083, Section 6.6, says.
func TestPaeth(t *testing.T) {
	distance := func(x, y int) int { return max(x-y, y-x) }
	for left := range 256 {
		for up := range 256 {
			for corner := range 256 {
				p, want := left+up-corner, corner
				switch a, b, c := distance(p, left), distance(p, up), distance(p, corner); {
				case a <= b && a <= c:
					want = left
				case b <= c:
					want = up
				}
				if got := paeth(left, up, corner); int(got) != want {
					t.Fatalf("of %d, %d and %d it is %d, want %d", left, up, corner, got, want)
				}
			}
		}
	}
}
