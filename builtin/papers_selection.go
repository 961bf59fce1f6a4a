package builtin

// selectionPapers are those of selections of the server.
func selectionPapers() map[string]string {
	return map[string]string{
		"yates1953": "F. Yates, P. M. Grundy. Selection Without Replacement from Within Strata " +
			"with Probability Proportional to Size. Journal of the Royal Statistical Society B " +
			"15, 1953.",
		"madow1949": "W. G. Madow. On the Theory of Systematic Sampling, II. Annals of " +
			"Mathematical Statistics 20, 1949.",
		"sampford1967": "M. R. Sampford. On Sampling without Replacement with Unequal " +
			"Probabilities of Selection. Biometrika 54, 1967.",
		"chen1994": "X.-H. Chen, A. P. Dempster, J. S. Liu. Weighted Finite Population Sampling " +
			"to Maximize Entropy. Biometrika 81, 1994.",
		"cho2022": "Y. J. Cho, J. Wang, G. Joshi. Towards Understanding Biased Client " +
			"Selection in Federated Learning. AISTATS 2022.",
		"fraboni2021": "Y. Fraboni, R. Vidal, L. Kameni, M. Lorenzi. Clustered Sampling: " +
			"Low-Variance and Improved Representativity for Clients Selection in Federated " +
			"Learning. ICML 2021.",
		"balakrishnan2022": "R. Balakrishnan, T. Li, T. Zhou, N. Himayat, V. Smith, J. " +
			"Bilmes. Diverse Client Selection for Federated Learning via Submodular " +
			"Maximization. ICLR 2022.",
		"lai2021": "F. Lai, X. Zhu, H. V. Madhyastha, M. Chowdhury. Oort: Efficient Federated " +
			"Learning via Guided Participant Selection. OSDI 2021.",
		"rizk2022": "E. Rizk, S. Vlaski, A. H. Sayed. Federated Learning Under Importance " +
			"Sampling. IEEE Transactions on Signal Processing 70, 2022.",
	}
}
