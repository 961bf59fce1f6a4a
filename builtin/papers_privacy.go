package builtin

// privacyPapers are those of differential privacy.
func privacyPapers() map[string]string {
	return map[string]string{
		"agarwal2021": "N. Agarwal, P. Kairouz, Z. Liu. The Skellam Mechanism for Differentially " +
			"Private Federated Learning. NeurIPS 2021.",
		"balle2018": "B. Balle, Y.-X. Wang. Improving the Gaussian Mechanism for Differential " +
			"Privacy: Analytical Calibration and Optimal Denoising. ICML 2018.",
		"kairouz2021ddg": "P. Kairouz, Z. Liu, T. Steinke. The Distributed Discrete Gaussian " +
			"Mechanism for Federated Learning with Secure Aggregation. ICML 2021.",
		"kairouz2021": "P. Kairouz, B. McMahan, S. Song, O. Thakkar, A. Thakurta, Z. Xu. " +
			"Practical and Private (Deep) Learning Without Sampling or Shuffling. ICML 2021.",
		"mcmahan2018": "H. B. McMahan, D. Ramage, K. Talwar, L. Zhang. Learning Differentially " +
			"Private Recurrent Language Models. ICLR 2018.",
	}
}
