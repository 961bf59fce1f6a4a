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
			if Vector(part.Data[i*classes:(i+1)*classes]).ArgMax() == y {
				right++
			}
		}
	}
	return right
}
