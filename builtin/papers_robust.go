package builtin

// robustPapers are those of aggregators that few faulty clients cannot move far.
func robustPapers() map[string]string {
	return map[string]string{
		"allouah2023smea": "Y. Allouah, R. Guerraoui, N. Gupta, R. Pinot, J. Stephan. On the " +
			"Privacy-Robustness-Utility Trilemma in Distributed Learning. ICML 2023.",
		"allouah2025caf": "Y. Allouah, R. Guerraoui, J. Stephan. Towards Trustworthy Federated " +
			"Learning with Untrusted Participants. ICML 2025.",
		"blanchard2017": "P. Blanchard, E. M. El Mhamdi, R. Guerraoui, J. Stainer. Machine " +
			"Learning with Adversaries: Byzantine Tolerant Gradient Descent. NIPS 2017.",
		"cao2021": "X. Cao, M. Fang, J. Liu, N. Z. Gong. FLTrust: Byzantine-robust Federated " +
			"Learning via Trust Bootstrapping. NDSS 2021.",
		"elmhamdi2018": "E. M. El Mhamdi, R. Guerraoui, S. Rouault. The Hidden Vulnerability of " +
			"Distributed Learning in Byzantium. ICML 2018.",
		"elmhamdi2020": "E. M. El Mhamdi, R. Guerraoui, A. Guirguis, L. N. Hoang, S. Rouault. " +
			"Genuinely Distributed Byzantine Machine Learning. PODC 2020.",
		"fung2020": "C. Fung, C. J. M. Yoon, I. Beschastnikh. The Limitations of Federated " +
			"Learning in Sybil Settings. RAID 2020.",
		"karimireddy2021": "S. P. Karimireddy, L. He, M. Jaggi. Learning from History for " +
			"Byzantine Robust Optimization. ICML 2021.",
		"ozdayi2021": "M. S. Ozdayi, M. Kantarcioglu, Y. R. Gel. Defending against Backdoors in " +
			"Federated Learning with Robust Learning Rate. AAAI 2021.",
		"pillutla2022rfa": "K. Pillutla, S. M. Kakade, Z. Harchaoui. Robust Aggregation for " +
			"Federated Learning. IEEE Transactions on Signal Processing 70, 2022.",
		"sun2019": "Z. Sun, P. Kairouz, A. T. Suresh, H. B. McMahan. Can You Really Backdoor " +
			"Federated Learning? arXiv:1911.07963, 2019.",
		"xie2018": "C. Xie, O. Koyejo, I. Gupta. Generalized Byzantine-tolerant SGD. " +
			"arXiv:1802.10116, 2018.",
		"xu2022signguard": "J. Xu, S.-L. Huang, L. Song, T. Lan. Byzantine-robust Federated " +
			"Learning through Collaborative Malicious Gradient Filtering. ICDCS 2022.",
		"yin2018": "D. Yin, Y. Chen, K. Ramchandran, P. Bartlett. Byzantine-Robust Distributed " +
			"Learning: Towards Optimal Statistical Rates. ICML 2018.",
	}
}
