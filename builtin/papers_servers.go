package builtin

// serverPapers are those of aggregators that step along the mean update in a way of their own.
func serverPapers() map[string]string {
	return map[string]string{
		"hsu2019": "T.-M. H. Hsu, H. Qi, M. Brown. Measuring the Effects of Non-Identical Data " +
			"Distribution for Federated Visual Classification. arXiv:1909.06335, 2019.",
		"reddi2021": "S. J. Reddi, Z. Charles, M. Zaheer, Z. Garrett, K. Rush, J. Konečný, S. " +
			"Kumar, H. B. McMahan. Adaptive Federated Optimization. ICLR 2021.",
		"tenison2023": "I. Tenison, S. A. Sreeramadas, V. Mugunthan, E. Oyallon, I. Rish, E. " +
			"Belilovsky. Gradient Masked Averaging for Federated Learning. TMLR 2023.",
		"wang2022": "S. Wang, M. Ji. A Unified Analysis of Federated Learning with Arbitrary " +
			"Client Participation. NeurIPS 2022.",
	}
}
