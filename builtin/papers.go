package builtin

import "maps"

// Papers returns the references that entries cite by key, each written once.
func Papers() map[string]string {
	papers := map[string]string{}
	for _, list := range paperLists() {
		maps.Copy(papers, list)
	}
	return papers
}

// paperLists returns the references in parts. No two have the same key.
func paperLists() []map[string]string {
	return []map[string]string{
		firstPapers(), personalPapers(), serverPapers(), fairnessPapers(), robustPapers(),
		adversaryPapers(), completionPapers(), asynchronousPapers(), compressorPapers(),
		guardPapers(), selectionPapers(), participationPapers(), privacyPapers(), fromLeCun(),
		fromTan(), sequencePapers(), dataPapers(), fusionPapers(),
		alignmentPapers(),
	}
}

// firstPapers returns the first part of the references.
func firstPapers() map[string]string {
	return map[string]string{
		"chan1979": "T. F. Chan, G. H. Golub, R. J. LeVeque. Updating Formulae and a Pairwise " +
			"Algorithm for Computing Sample Variances. Technical report, Stanford " +
			"University, 1979.",
		"acar2021": "D. A. E. Acar, Y. Zhao, R. Matas Navarro, M. Mattina, P. N. Whatmough, V. " +
			"Saligrama. Federated Learning Based on Dynamic Regularization. ICLR 2021.",
		"beitollahi2024": "M. Beitollahi, A. Bie, S. Hemati, L. M. Brunswic, X. Li, X. Chen, G. " +
			"Zhang. Parametric Feature Transfer: One-shot Federated Learning with Foundation " +
			"Models. arXiv:2402.01862, 2024.",
		"chang2011": "C.-C. Chang, C.-J. Lin. LIBSVM: A Library for Support Vector Machines. ACM " +
			"Transactions on Intelligent Systems and Technology 2, 2011.",
		"code": "Y.-H. Chiang, K. Terai, T.-W. Chiang, H. Lin, Y. Ji, J. C. S. Lui. " +
			"Optimal-Transport-Based One-Shot Federated Learning for Artificial Intelligence " +
			"of Things. IEEE Internet of Things Journal, 2024.",
		"eichner2019": "H. Eichner, T. Koren, B. McMahan, N. Srebro, K. Talwar. Semi-Cyclic " +
			"Stochastic Gradient Descent. ICML 2019.",
		"fedavot": "S. A. Rahimi, D. Kalogerias. FedAVOT: Exact Distribution Alignment in " +
			"Federated Learning via Masked Optimal Transport.",
		"fedipw": "Who Trains Matters: Federated Learning under Enrollment and Participation " +
			"Selection Biases.",
		"ganin2016": "Y. Ganin, E. Ustinova, H. Ajakan, P. Germain, H. Larochelle, F. " +
			"Laviolette, M. Marchand, V. Lempitsky. Domain-Adversarial Training of Neural " +
			"Networks. JMLR 17, 2016.",
		"gong2012": "B. Gong, Y. Shi, F. Sha, K. Grauman. Geodesic Flow Kernel for Unsupervised " +
			"Domain Adaptation. CVPR 2012.",
		"gonzalez2008": "R. C. Gonzalez, R. E. Woods. Digital Image Processing. 3rd edition, " +
			"Prentice Hall 2008.",
		"guan2025": "Z. Guan, Y. Zhou, X. Gu. Capture Global Feature Statistics for One-Shot " +
			"Federated Learning. AAAI 2025.",
		"he2016": "K. He, X. Zhang, S. Ren, J. Sun. Deep Residual Learning for Image " +
			"Recognition. CVPR 2016.",
		"hull1994": "J. J. Hull. A Database for Handwritten Text Recognition Research. IEEE " +
			"Transactions on Pattern Analysis and Machine Intelligence 16, 1994.",
		"jhunjhunwala2023": "D. Jhunjhunwala, S. Wang, G. Joshi. FedExP: Speeding Up Federated " +
			"Averaging via Extrapolation. ICLR 2023.",
		"karimireddy2020": "S. P. Karimireddy, S. Kale, M. Mohri, S. J. Reddi, S. U. Stich, A. " +
			"T. Suresh. SCAFFOLD: Stochastic Controlled Averaging for Federated Learning. " +
			"ICML 2020.",
		"karimireddy2020mime": "S. P. Karimireddy, M. Jaggi, S. Kale, M. Mohri, S. J. Reddi, S. " +
			"U. Stich, A. T. Suresh. Mime: Mimicking Centralized Stochastic Algorithms in " +
			"Federated Learning. arXiv:2008.03606, 2020.",
		"kingma2015":  "D. Kingma, J. Ba. Adam: A Method for Stochastic Optimization. ICLR 2015.",
		"koenker1978": "R. Koenker, G. Bassett. Regression Quantiles. Econometrica 46, 1978.",
		"kohavi1996": "R. Kohavi. Scaling Up the Accuracy of Naive-Bayes Classifiers: A " +
			"Decision-Tree Hybrid. KDD 1996.",
		"krizhevsky2009": "A. Krizhevsky. Learning Multiple Layers of Features from Tiny " +
			"Images. Technical report, University of Toronto, 2009.",
	}
}

// fromLeCun returns the second part of the references.
func fromLeCun() map[string]string {
	return map[string]string{
		"lecun1998": "Y. LeCun, L. Bottou, Y. Bengio, P. Haffner. Gradient-Based Learning " +
			"Applied to Document Recognition. Proceedings of the IEEE 86, 1998.",
		"chen2022": "W. Chen, S. Horváth, P. Richtárik. Optimal Client Sampling for Federated " +
			"Learning. TMLR 2022.",
		"li2020": "X. Li, K. Huang, W. Yang, S. Wang, Z. Zhang. On the Convergence of FedAvg on " +
			"Non-IID Data. ICLR 2020.",
		"li2020fair": "T. Li, M. Sanjabi, A. Beirami, V. Smith. Fair Resource Allocation in " +
			"Federated Learning. ICLR 2020.",
		"li2020prox": "T. Li, A. K. Sahu, M. Zaheer, M. Sanjabi, A. Talwalkar, V. Smith. " +
			"Federated Optimization in Heterogeneous Networks. MLSys 2020.",
		"li2021moon": "Q. Li, B. He, D. Song. Model-Contrastive Federated Learning. CVPR 2021.",
		"li2022": "Q. Li, Y. Diao, Q. Chen, B. He. Federated Learning on Non-IID Data " +
			"Silos: An Experimental Study. ICDE 2022.",
		"lyu2023": "Y. Li, X. Lyu. Convergence Analysis of Sequential Federated Learning on " +
			"Heterogeneous Data. NeurIPS 2023.",
		"loshchilov2019": "I. Loshchilov, F. Hutter. Decoupled Weight Decay Regularization. " +
			"ICLR 2019.",
		"mcmahan2017": "B. McMahan, E. Moore, D. Ramage, S. Hampson, B. Agüera y Arcas. " +
			"Communication-Efficient Learning of Deep Networks from Decentralized " +
			"Data. AISTATS 2017.",
		"mishchenko2022": "K. Mishchenko, G. Malinovsky, S. Stich, P. Richtárik. ProxSkip: Yes! " +
			"Local Gradient Steps Provably Lead to Communication Acceleration! Finally! ICML 2022.",
		"ot-preprocessing": "L. M. Pereira, M. H. Amini. Optimal Transport-based Domain " +
			"Alignment as a Preprocessing Step for Federated Learning. ICIP 2025.",
		"pearson1901": "K. Pearson. On Lines and Planes of Closest Fit to Systems of Points in " +
			"Space. Philosophical Magazine 2, 1901.",
		"platt1998": "J. Platt. Fast Training of Support Vector Machines Using Sequential " +
			"Minimal Optimization. Advances in Kernel Methods, 1998.",
		"qu2022": "Z. Qu, X. Li, R. Duan, Y. Liu, B. Tang, Z. Lu. Generalized Federated Learning " +
			"via Sharpness Aware Minimization. ICML 2022.",
		"rahimi2007": "A. Rahimi, B. Recht. Random Features for Large-Scale Kernel Machines. " +
			"NIPS 2007.",
		"ribero2023": "M. Ribero, H. Vikalo, G. de Veciana. Federated Learning under " +
			"Intermittent Client Availability and Time-Varying Communication Constraints. " +
			"IEEE Journal of Selected Topics in Signal Processing 17, 2023.",
		"rodio2023": "A. Rodio, F. Faticanti, O. Marfoq, G. Neglia, E. Leonardi. Federated " +
			"Learning under Heterogeneous and Correlated Client Availability. INFOCOM 2023.",
		"saenko2010": "K. Saenko, B. Kulis, M. Fritz, T. Darrell. Adapting Visual Category " +
			"Models to New Domains. ECCV 2010.",
		"sagawa2020": "S. Sagawa, P. W. Koh, T. Hashimoto, P. Liang. Distributionally Robust " +
			"Neural Networks for Group Shifts. ICLR 2020.",
		"simard2003": "P. Simard, D. Steinkraus, J. Platt. Best Practices for Convolutional " +
			"Neural Networks Applied to Visual Document Analysis. ICDAR 2003.",
		"sandler2018": "M. Sandler, A. Howard, M. Zhu, A. Zhmoginov, L.-C. Chen. MobileNetV2: " +
			"Inverted Residuals and Linear Bottlenecks. CVPR 2018.",
		"simonyan2015": "K. Simonyan, A. Zisserman. Very Deep Convolutional Networks for " +
			"Large-Scale Image Recognition. ICLR 2015.",
		"singh2020": "S. P. Singh, M. Jaggi. Model Fusion via Optimal Transport. NeurIPS 2020.",
		"slot-align": "Distribution Alignment for One-Shot Federated Learning via Optimal " +
			"Transport. ICML 2026, arXiv:2606.16655.",
		"kessy2018": "A. Kessy, A. Lewin, K. Strimmer. Optimal Whitening and Decorrelation. The " +
			"American Statistician 72, 2018.",
		"sun2016": "B. Sun, J. Feng, K. Saenko. Return of Frustratingly Easy Domain " +
			"Adaptation. AAAI 2016.",
		"sutskever2013": "I. Sutskever, J. Martens, G. Dahl, G. Hinton. On the Importance of " +
			"Initialization and Momentum in Deep Learning. ICML 2013.",
	}
}

// fromTan returns the last part of the references.
func fromTan() map[string]string {
	return map[string]string{
		"tan2022": "Y. Tan, G. Long, L. Liu, T. Zhou, Q. Lu, J. Jiang, C. Zhang. FedProto: " +
			"Federated Prototype Learning across Heterogeneous Clients. AAAI 2022.",
		"wang2020nova": "J. Wang, Q. Liu, H. Liang, G. Joshi, H. V. Poor. Tackling the Objective " +
			"Inconsistency Problem in Heterogeneous Federated Optimization. NeurIPS 2020.",
		"wang2024": "S. Wang, M. Ji. A Lightweight Method for Tackling Unknown Participation " +
			"Statistics in Federated Averaging. ICLR 2024.",
		"xiao2017": "H. Xiao, K. Rasul, R. Vollgraf. Fashion-MNIST: a Novel Image Dataset for " +
			"Benchmarking Machine Learning Algorithms. arXiv:1708.07747, 2017.",
		"xu2021": "J. Xu, S. Wang, L. Wang, A. C.-C. Yao. FedCM: Federated Learning with " +
			"Client-level Momentum. arXiv:2106.10874, 2021.",
		"yang2021": "C. Yang, Q. Wang, M. Xu, Z. Chen, K. Bian, Y. Liu, X. Liu. Characterizing " +
			"Impacts of Heterogeneity in Federated Learning upon Large-Scale Smartphone Data. " +
			"WWW 2021.",
		"zagoruyko2016": "S. Zagoruyko, N. Komodakis. Wide Residual Networks. BMVC 2016.",
		"yurochkin2019": "M. Yurochkin, M. Agarwal, S. Ghosh, K. Greenewald, N. Hoang, Y. " +
			"Khazaeni. Bayesian Nonparametric Federated Learning of Neural " +
			"Networks. ICML 2019.",
	}
}
