package builtin

// participationPapers are those of methods that remember which clients took part.
func participationPapers() map[string]string {
	return map[string]string{
		"gu2021": "X. Gu, K. Huang, J. Zhang, L. Huang. Fast Federated Learning in the Presence " +
			"of Arbitrary Device Unavailability. NeurIPS 2021.",
		"jhunjhunwala2022": "D. Jhunjhunwala, P. Sharma, A. Nagarkatti, G. Joshi. FedVARP: " +
			"Tackling the Variance Due to Partial Client Participation in Federated Learning. " +
			"UAI 2022.",
		"wang2024fedau": "S. Wang, M. Ji. A Lightweight Method for Tackling Unknown " +
			"Participation Statistics in Federated Learning. ICLR 2024.",
	}
}
