// Package framework is the map of the house; it holds no code.
//
// What has a name in an experiment file lives in builtin/, what has none lives
// here. A package may import only those above it in this list:
//
//	kernel   hot loops on flat slices
//	tensor   vectors and matrices on top of kernel, eigen-decompositions, what rules are made
//	         of; the only other place that may panic
//	ot       optimal transport: masked scaling, feasibility, projected marginals
//	stats    sampling designs and their exact laws, logistic regression, calibration of
//	         weights, geometric medians
//	fl       the vocabulary: nouns, contracts, parameters, streams; no algorithms
//	nn       layers of neural networks, forward and backward by hand, in float32
//	data     files → fl.Dataset; digits drawn on the fly
//	study    experiment file → cells; pure data
//	engine   the round loop
//	audit    who trains: laws, feasibility, effective importance, predicted bias
//	store    runs on disk
//	launch   jobs in worker processes, which may die
//
// The order is a test (TestImportsPointDown), not a habit.
package framework
