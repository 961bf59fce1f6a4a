package glyph

import "math/rand/v2"

// A lattice is a smooth random function on a square of pixels: independent normal numbers
// on a coarse grid, joined by the uniform cubic B-spline. That is white noise smoothed by a
// kernel which is a Gaussian's in all but its tails, of standard deviation 1/√3 cells.
type lattice struct {
	size, points int // pixels, grid points of a side
	from         []int
	weight       [][4]float64 // of four successive grid points, for each pixel of a side
	grid         []float64
	row          []float64 // the grid between its rows
}

// newLattice returns a function with so many cells of the grid to a side.
func newLattice(size, cells int) *lattice {
	n := cells + 3
	l := &lattice{size: size, points: n, from: make([]int, size),
		weight: make([][4]float64, size), grid: make([]float64, n*n), row: make([]float64, n)}
	for k := range size {
		at := (float64(k) + 0.5) * float64(cells) / float64(size)
		l.from[k] = int(at)
		t := at - float64(l.from[k])
		s := 1 - t
		l.weight[k] = [4]float64{s * s * s / 6, (4 - 6*t*t + 3*t*t*t) / 6,
			(4 - 6*s*s + 3*s*s*s) / 6, t * t * t / 6}
	}
	return l
}

// draw sets dst, a square of pixels, to a new function with about the given standard
// deviation.
func (l *lattice) draw(dst []float64, sd float64, rng *rand.Rand) {
	// The squares of the weights of a pixel sum to 151/315 in each direction, on average.
	sd *= 315.0 / 151
	for k := range l.grid {
		l.grid[k] = sd * rng.NormFloat64()
	}
	for y := range l.size {
		w, n := &l.weight[y], l.points
		above := l.grid[l.from[y]*n:]
		for k := range l.row {
			l.row[k] = w[0]*above[k] + w[1]*above[k+n] + w[2]*above[k+2*n] + w[3]*above[k+3*n]
		}
		line := dst[y*l.size:][:l.size]
		for x := range line {
			w, c := &l.weight[x], l.row[l.from[x]:][:4]
			line[x] = w[0]*c[0] + w[1]*c[1] + w[2]*c[2] + w[3]*c[3]
		}
	}
}
