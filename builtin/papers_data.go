package builtin

// dataPapers returns the references of data sets in published formats.
func dataPapers() map[string]string {
	return map[string]string{
		"aizman2019": "A. Aizman, G. Maltby, T. Breuel. High Performance I/O for Large Scale " +
			"Deep Learning. IEEE Big Data 2019.",
		"caldas2018": "S. Caldas, S. M. K. Duddu, P. Wu, T. Li, J. Konečný, H. B. McMahan, V. " +
			"Smith, A. Talwalkar. LEAF: A Benchmark for Federated Settings. arXiv:1812.01097, " +
			"2018.",
		"coates2011": "A. Coates, A. Y. Ng, H. Lee. An Analysis of Single-Layer Networks in " +
			"Unsupervised Feature Learning. AISTATS 2011.",
		"cohen2017": "G. Cohen, S. Afshar, J. Tapson, A. van Schaik. EMNIST: Extending MNIST to " +
			"Handwritten Letters. IJCNN 2017.",
		"netzer2011": "Y. Netzer, T. Wang, A. Coates, A. Bissacco, B. Wu, A. Y. Ng. Reading " +
			"Digits in Natural Images with Unsupervised Feature Learning. NIPS Workshop on Deep " +
			"Learning and Unsupervised Feature Learning, 2011.",
		"le2015": "Y. Le, X. Yang. Tiny ImageNet Visual Recognition Challenge. Course report, " +
			"Stanford University, 2015.",
		"lhoest2021": "Q. Lhoest, A. Villanova del Moral, Y. Jernite, et al. Datasets: A " +
			"Community Library for Natural Language Processing. EMNLP 2021 (system " +
			"demonstrations).",
		"liu2015": "Z. Liu, P. Luo, X. Wang, X. Tang. Deep Learning Face Attributes in the Wild. " +
			"ICCV 2015.",
		"sattler2021": "F. Sattler, K.-R. Müller, W. Samek. Clustered Federated Learning: " +
			"Model-Agnostic Distributed Multitask Optimization under Privacy Constraints. IEEE " +
			"Transactions on Neural Networks and Learning Systems 32(8), 2021.",
	}
}
