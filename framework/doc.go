// Package framework is the map of the house; it holds no code.
//
// What has a name in an experiment file lives in builtin/, what has none lives
// here. A package may import only those above it in this list:
//
//	kernel   hot loops on flat slices
//	tensor   vectors and matrices on top of kernel, eigen-decompositions, what rules are made
//	         of; the only other place that may panic
//	ot       optimal transport: masked scaling, feasibility, projected marginals; entropic and
//	         exact plans; between Gaussians
//	stats    sampling designs and their exact distributions, logistic regression, calibration of
//	         weights, moments of classes, mixtures, geometric medians
//	privacy  accountants of differential privacy, noise on integers and of prefix sums, sums in a
//	         finite ring; research, not deployment
//	fl       the vocabulary: nouns, contracts, parameters, streams; no algorithms
//	nn       layers of neural networks, forward and backward by hand, in float32
//	fuse     networks aligned neuron by neuron
//	host     files that a user names, and memory
//	data     files → fl.Dataset; digits drawn on the fly
//	weights  safetensors, and the names that PyTorch has for parameters
//	study    experiment file → cells; pure data
//	engine   the round loop
//	audit    participation: cohorts, feasibility, effective importance, where training
//	         will settle
//	store    runs on disk
//	launch   jobs in worker processes, which may die
//
// Two more stand above these; session also above registry, builtin, plugins and parts of reports:
//
//	diagnose what hansa doctor asks, of this machine and of a cluster
//	session  hansa as a library: experiments are read, run, examined and gathered
//
// The order is a test (TestImportsPointDown), not a habit.
package framework
