package builtin

// adversaryPapers are those of attacks.
func adversaryPapers() map[string]string {
	return map[string]string{
		"allenzhu2021": "Z. Allen-Zhu, F. Ebrahimianghazani, J. Li, D. Alistarh. " +
			"Byzantine-Resilient Non-Convex Stochastic Gradient Descent. ICLR 2021.",
		"baruch2019": "M. Baruch, G. Baruch, Y. Goldberg. A Little Is Enough: Circumventing " +
			"Defenses For Distributed Learning. NeurIPS 2019.",
		"gu2017": "T. Gu, B. Dolan-Gavitt, S. Garg. BadNets: Identifying Vulnerabilities in the " +
			"Machine Learning Model Supply Chain. arXiv:1708.06733, 2017.",
		"karimireddy2022": "S. P. Karimireddy, L. He, M. Jaggi. Byzantine-Robust Learning on " +
			"Heterogeneous Datasets via Bucketing. ICLR 2022.",
		"shejwalkar2021": "V. Shejwalkar, A. Houmansadr. Manipulating the Byzantine: Optimizing " +
			"Model Poisoning Attacks and Defenses for Federated Learning. NDSS 2021.",
		"tolpegin2020": "V. Tolpegin, S. Truex, M. E. Gursoy, L. Liu. Data Poisoning Attacks " +
			"Against Federated Learning Systems. ESORICS 2020.",
		"xie2019": "C. Xie, O. Koyejo, I. Gupta. Fall of Empires: Breaking Byzantine-tolerant " +
			"SGD by Inner Product Manipulation. UAI 2019.",
	}
}
