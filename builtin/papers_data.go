package builtin

// dataPapers returns the references of data sets in published formats.
func dataPapers() map[string]string {
	return map[string]string{
		"lhoest2021": "Q. Lhoest, A. Villanova del Moral, Y. Jernite, et al. Datasets: A " +
			"Community Library for Natural Language Processing. EMNLP 2021 (system " +
			"demonstrations).",
	}
}
