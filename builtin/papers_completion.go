package builtin

// completionPapers are those of completion models.
func completionPapers() map[string]string {
	return map[string]string{
		"lai2022": "F. Lai, Y. Dai, S. S. V. Singapuram, J. Liu, X. Zhu, H. V. Madhyastha, " +
			"M. Chowdhury. FedScale: Benchmarking Model and System Performance of Federated " +
			"Learning at Scale. ICML 2022.",
	}
}
