package builtin

// compressorPapers are those of compressors, and of a vote on signs.
func compressorPapers() map[string]string {
	return map[string]string{
		"alistarh2017": "D. Alistarh, D. Grubic, J. Li, R. Tomioka, M. Vojnović. QSGD: " +
			"Communication-Efficient SGD via Gradient Quantization and Encoding. NeurIPS 2017.",
		"bernstein2018": "J. Bernstein, Y.-X. Wang, K. Azizzadenesheli, A. Anandkumar. signSGD: " +
			"Compressed Optimisation for Non-Convex Problems. ICML 2018.",
		"dettmers2016": "T. Dettmers. 8-Bit Approximations for Parallelism in Deep Learning. " +
			"ICLR 2016.",
		"kalamkar2019": "D. Kalamkar et al. A Study of BFLOAT16 for Deep Learning Training. 2019.",
		"vogels2019": "T. Vogels, S. P. Karimireddy, M. Jaggi. PowerSGD: Practical Low-Rank " +
			"Gradient Compression for Distributed Optimization. NeurIPS 2019.",
		"wen2017": "W. Wen, C. Xu, F. Yan, C. Wu, Y. Wang, Y. Chen, H. Li. TernGrad: Ternary " +
			"Gradients to Reduce Communication in Distributed Deep Learning. NeurIPS 2017.",
		"karimireddy2019": "S. P. Karimireddy, Q. Rebjock, S. U. Stich, M. Jaggi. Error Feedback " +
			"Fixes SignSGD and other Gradient Compression Schemes. ICML 2019.",
		"konecny2016": "J. Konečný, H. B. McMahan, F. X. Yu, P. Richtárik, A. T. Suresh, D. " +
			"Bacon. Federated Learning: Strategies for Improving Communication Efficiency. 2016.",
		"stich2018": "S. U. Stich, J.-B. Cordonnier, M. Jaggi. Sparsified SGD with Memory. " +
			"NeurIPS 2018.",
	}
}
