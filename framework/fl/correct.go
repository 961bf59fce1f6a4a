package fl

// Correct returns how many labels of d a model predicts correctly at some parameters: those whose
// class has the largest score, the first of several. It allocates.
func Correct(w Worker, params Vector, d *Dataset) int {
	labels, classes := d.Shape.PerRow(), d.Shape.Classes
	block := max(1, 256/labels)
	scores := NewMatrix(min(block, d.Len()), labels*classes)
	right := 0
	for lo := 0; lo < d.Len(); lo += block {
		hi := min(lo+block, d.Len())
		part := scores.Slice(0, hi-lo)
		Scores(w, part, params, d, lo)
		for i, y := range d.Y[lo*labels : hi*labels] {
			if largest(part.Data[i*classes:(i+1)*classes]) == y {
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
