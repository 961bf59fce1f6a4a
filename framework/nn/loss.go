package nn

import "github.com/hansa-fl/hansa/framework/kernel"

// CrossEntropy returns the mean of −log softmax(scores)[y] over the batch, for the scores
// that Train returned, and keeps its gradient for Backward or Descend. y holds the class of
// each sample, or of each position of each sample where there are scores of every position.
func (t *Tape) CrossEntropy(scores []float32, y []int) float64 {
	slopes := t.slopes[:len(scores)]
	return kernel.CrossEntropy32(slopes, scores, y, 1/float32(len(y))) / float64(len(y))
}

// SquaredError returns the mean of ‖scores − target‖² over the batch, for the scores that
// Train returned, and keeps its gradient for Backward or Descend. target has a row for each
// sample, as long as its scores.
func (t *Tape) SquaredError(scores []float32, target []float64) float64 {
	loss, share := 0.0, 1/float64(t.pass.n)
	slopes := t.slopes[:len(scores)]
	target = target[:len(scores)]
	for i, s := range scores {
		r := float64(s) - target[i]
		loss += r * r
		slopes[i] = float32(2 * share * r)
	}
	return loss * share
}
