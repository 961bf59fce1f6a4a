package builtin

// dataPapers returns the references of data sets in published formats.
func dataPapers() map[string]string {
	return map[string]string{
		"caldas2018": "S. Caldas, S. M. K. Duddu, P. Wu, T. Li, J. Konečný, H. B. McMahan, V. " +
			"Smith, A. Talwalkar. LEAF: A Benchmark for Federated Settings. arXiv:1812.01097, " +
			"2018.",
		"lhoest2021": "Q. Lhoest, A. Villanova del Moral, Y. Jernite, et al. Datasets: A " +
			"Community Library for Natural Language Processing. EMNLP 2021 (system " +
			"demonstrations).",
	}
}
