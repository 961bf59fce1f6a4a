package fl

// An InputWorker is the Worker of a model whose scores are differentiated at the rows that it
// scores: what trains a generator of rows.
type InputWorker interface {
	Worker
	// InputGradient adds to dst, a row for each row of x, the gradient at x of
	//
	//	Σ slopes·scores + weight·D,
	//
	// where the scores are those of Scores, slopes has as many, and the rows run together. D ≥ 0 is
	// how far their moments are from the running statistics of batch norms: the sum over all of
	// these of ‖mean − running mean‖ + ‖variance − running variance‖ of what enters them. It
	// returns D; 0 where there are none, and with weight = 0. Rows of tokens have no gradient.
	InputGradient(dst Matrix, params Vector, x, slopes Matrix, weight float64) (distance float64)
}
