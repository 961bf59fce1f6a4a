package builtin

// personalPapers are those of local rules whose clients have models of their own, and of methods
// that learn from scores or features instead of parameters.
func personalPapers() map[string]string {
	return map[string]string{
		"andreux2020": "M. Andreux, J. Ogier du Terrail, C. Beguier, E. W. Tramel. Siloed " +
			"Federated Learning for Multi-Centric Histopathology Datasets. MICCAI Workshop " +
			"DART 2020.",
		"arivazhagan2019": "M. G. Arivazhagan, V. Aggarwal, A. K. Singh, S. Choudhary. Federated " +
			"Learning with Personalization Layers. arXiv:1912.00818, 2019.",
		"collins2021": "L. Collins, H. Hassani, A. Mokhtari, S. Shakkottai. Exploiting Shared " +
			"Representations for Personalized Federated Learning. ICML 2021.",
		"deng2020": "Y. Deng, M. M. Kamani, M. Mahdavi. Adaptive Personalized Federated " +
			"Learning. arXiv:2003.13461, 2020.",
		"diao2021": "E. Diao, J. Ding, V. Tarokh. HeteroFL: Computation and Communication " +
			"Efficient Federated Learning for Heterogeneous Clients. ICLR 2021.",
		"dinh2020": "C. T. Dinh, N. H. Tran, T. D. Nguyen. Personalized Federated Learning with " +
			"Moreau Envelopes. NeurIPS 2020.",
		"fallah2020": "A. Fallah, A. Mokhtari, A. Ozdaglar. Personalized Federated Learning with " +
			"Theoretical Guarantees: A Model-Agnostic Meta-Learning Approach. NeurIPS 2020.",
		"ghosh2020": "A. Ghosh, J. Chung, D. Yin, K. Ramchandran. An Efficient Framework for " +
			"Clustered Federated Learning. NeurIPS 2020.",
		"jiang2019": "Y. Jiang, J. Konečný, K. Rush, S. Kannan. Improving Federated Learning " +
			"Personalization via Model Agnostic Meta Learning. arXiv:1909.12488, 2019.",
		"li2021ditto": "T. Li, S. Hu, A. Beirami, V. Smith. Ditto: Fair and Robust Federated " +
			"Learning Through Personalization. ICML 2021.",
		"li2021fedbn": "X. Li, M. Jiang, X. Zhang, M. Kamp, Q. Dou. FedBN: Federated Learning on " +
			"Non-IID Features via Local Batch Normalization. ICLR 2021.",
		"li2019fedmd": "D. Li, J. Wang. FedMD: Heterogenous Federated Learning via Model " +
			"Distillation. NeurIPS Workshop on Federated Learning, arXiv:1910.03581, 2019.",
		"li2021fedkt": "Q. Li, B. He, D. Song. Practical One-Shot Federated Learning for " +
			"Cross-Silo Setting. IJCAI 2021.",
		"liang2020": "P. P. Liang, T. Liu, L. Ziyin, N. B. Allen, R. P. Auerbach, D. Brent, R. " +
			"Salakhutdinov, L.-P. Morency. Think Locally, Act Globally: Federated Learning with " +
			"Local and Global Representations. arXiv:2001.01523, 2020.",
		"lin2020": "T. Lin, L. Kong, S. U. Stich, M. Jaggi. Ensemble Distillation for Robust " +
			"Model Fusion in Federated Learning. NeurIPS 2020.",
		"luo2021": "M. Luo, F. Chen, D. Hu, Y. Zhang, J. Liang, J. Feng. No Fear of " +
			"Heterogeneity: Classifier Calibration for Federated Learning with Non-IID Data. " +
			"NeurIPS 2021.",
		"zhang2022dense": "J. Zhang, C. Chen, B. Li, L. Lyu, S. Wu, S. Ding, C. Shen, C. Wu. " +
			"DENSE: Data-Free One-Shot Federated Learning. NeurIPS 2022.",
		"yu2020": "T. Yu, E. Bagdasaryan, V. Shmatikov. Salvaging Federated Learning by Local " +
			"Adaptation. arXiv:2002.04758, 2020.",
	}
}
