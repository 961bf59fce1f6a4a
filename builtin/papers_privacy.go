package builtin

// privacyPapers are those of differential privacy.
func privacyPapers() map[string]string {
	return map[string]string{
		"kairouz2021": "P. Kairouz, B. McMahan, S. Song, O. Thakkar, A. Thakurta, Z. Xu. " +
			"Practical and Private (Deep) Learning Without Sampling or Shuffling. ICML 2021.",
		"mcmahan2018": "H. B. McMahan, D. Ramage, K. Talwar, L. Zhang. Learning Differentially " +
			"Private Recurrent Language Models. ICLR 2018.",
	}
}
