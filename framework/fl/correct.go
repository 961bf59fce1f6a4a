package fl

// Correct returns how many samples of d a model classifies correctly at some parameters: those
// whose class has the largest score, the first of several. It allocates.
func Correct(w Worker, params Vector, d *Dataset) int {
	const block = 256
	scores := NewMatrix(min(block, d.Len()), d.Shape.Classes)
	right := 0
	for lo := 0; lo < d.Len(); lo += block {
		part := scores.Slice(0, min(block, d.Len()-lo))
		Scores(w, part, params, d, lo)
		for i := range part.Rows {
			if largest(part.Row(i)) == d.Y[lo+i] {
				right++
			}
		}
	}
	return right
}

// largest returns the index of the largest score, the first of several.
func largest(scores Vector) int {
	best := 0
	for c, x := range scores {
		if x > scores[best] {
			best = c
		}
	}
	return best
}
