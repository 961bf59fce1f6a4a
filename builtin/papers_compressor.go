package builtin

// compressorPapers are those of compressors.
func compressorPapers() map[string]string {
	return map[string]string{
		"karimireddy2019": "S. P. Karimireddy, Q. Rebjock, S. U. Stich, M. Jaggi. Error Feedback " +
			"Fixes SignSGD and other Gradient Compression Schemes. ICML 2019.",
		"konecny2016": "J. Konečný, H. B. McMahan, F. X. Yu, P. Richtárik, A. T. Suresh, D. Bacon. " +
			"Federated Learning: Strategies for Improving Communication Efficiency. 2016.",
		"stich2018": "S. U. Stich, J.-B. Cordonnier, M. Jaggi. Sparsified SGD with Memory. " +
			"NeurIPS 2018.",
	}
}
