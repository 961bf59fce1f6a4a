package builtin

// fairnessPapers are those of methods that care how the model serves each client.
func fairnessPapers() map[string]string {
	return map[string]string{
		"deng2020drfa": "Y. Deng, M. M. Kamani, M. Mahdavi. Distributionally Robust Federated " +
			"Averaging. NeurIPS 2020.",
		"hu2022": "Z. Hu, K. Shaloudegi, G. Zhang, Y. Yu. Federated Learning Meets " +
			"Multi-Objective Optimization. IEEE Transactions on Network Science and " +
			"Engineering 9, 2022.",
		"li2021term": "T. Li, A. Beirami, M. Sanjabi, V. Smith. Tilted Empirical Risk " +
			"Minimization. ICLR 2021.",
		"mohri2019": "M. Mohri, G. Sivek, A. T. Suresh. Agnostic Federated Learning. ICML 2019.",
		"pillutla2024": "K. Pillutla, Y. Laguel, J. Malick, Z. Harchaoui. Federated Learning " +
			"with Superquantile Aggregation for Heterogeneous Data. Machine Learning 113, 2024.",
		"zhang2023propfair": "G. Zhang, S. Malekmohammadi, X. Chen, Y. Yu. Proportional Fairness " +
			"in Federated Learning. TMLR, 2023.",
	}
}
