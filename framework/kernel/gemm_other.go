//go:build !amd64

package kernel

// run multiplies the tile.
func (t *tile[T]) run(path) { t.chains() }

// flipBlocks leaves everything to flip.
func flipBlocks[T float](path, Matrix[T], Matrix[T]) (rows, cols int) { return 0, 0 }

// copyRows leaves everything to sweep.copy.
func copyRows[T float](path, Matrix[T], []T, int) bool { return false }

// copyStrip is never called: plain Go has no use for strips.
func copyStrip[T float](Matrix[T], []T, int) {}
