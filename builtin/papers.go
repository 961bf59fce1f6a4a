package builtin

// Papers returns the references that entries cite by key, each written once.
func Papers() map[string]string {
	return map[string]string{
		"fedavot": "S. A. Rahimi, D. Kalogerias. FedAVOT: Exact Distribution Alignment in " +
			"Federated Learning via Masked Optimal Transport.",
		"hansen1943": "M. H. Hansen, W. N. Hurwitz. On the Theory of Sampling from Finite " +
			"Populations. Annals of Mathematical Statistics 14, 1943.",
		"hsu2019": "T.-M. H. Hsu, H. Qi, M. Brown. Measuring the Effects of Non-Identical Data " +
			"Distribution for Federated Visual Classification. arXiv:1909.06335, 2019.",
		"lecun1998": "Y. LeCun, L. Bottou, Y. Bengio, P. Haffner. Gradient-Based Learning Applied to " +
			"Document Recognition. Proceedings of the IEEE 86, 1998.",
		"li2020": "X. Li, K. Huang, W. Yang, S. Wang, Z. Zhang. On the Convergence of FedAvg on " +
			"Non-IID Data. ICLR 2020.",
		"li2020fair": "T. Li, M. Sanjabi, A. Beirami, V. Smith. Fair Resource Allocation in Federated " +
			"Learning. ICLR 2020.",
		"li2022": "Q. Li, Y. Diao, Q. Chen, B. He. Federated Learning on Non-IID Data Silos: An " +
			"Experimental Study. ICDE 2022.",
		"mcmahan2017": "B. McMahan, E. Moore, D. Ramage, S. Hampson, B. Agüera y Arcas. " +
			"Communication-Efficient Learning of Deep Networks from Decentralized Data. " +
			"AISTATS 2017.",
		"yurochkin2019": "M. Yurochkin, M. Agarwal, S. Ghosh, K. Greenewald, N. Hoang, Y. Khazaeni. " +
			"Bayesian Nonparametric Federated Learning of Neural Networks. ICML 2019.",
	}
}
