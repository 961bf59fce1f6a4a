package builtin

// participationPapers are those of methods that remember which clients took part.
func participationPapers() map[string]string {
	return map[string]string{
		"gu2021": "X. Gu, K. Huang, J. Zhang, L. Huang. Fast Federated Learning in the Presence " +
			"of Arbitrary Device Unavailability. NeurIPS 2021.",
		"jhunjhunwala2022": "D. Jhunjhunwala, P. Sharma, A. Nagarkatti, G. Joshi. FedVARP: " +
			"Tackling the Variance Due to Partial Client Participation in Federated Learning. " +
			"UAI 2022.",
		"ribero2022": "M. Ribero, H. Vikalo, G. de Veciana. Federated Learning Under " +
			"Intermittent Client Availability and Time-Varying Communication Constraints. " +
			"IEEE Journal of Selected Topics in Signal Processing, 2022.",
		"robins1994": "J. M. Robins, A. Rotnitzky, L. P. Zhao. Estimation of Regression " +
			"Coefficients When Some Regressors Are Not Always Observed. Journal of the " +
			"American Statistical Association 89, 1994.",
		"sun2025": "Z. Sun, Z. Zhang, Z. Xu, G. Joshi, P. Sharma, E. Wei. Debiasing Federated " +
			"Learning with Correlated Client Participation. ICLR 2025.",
		"tan2006": "Z. Tan. A Distributional Approach for Causal Inference Using Propensity " +
			"Scores. Journal of the American Statistical Association 101, 2006.",
		"wang2024fedau": "S. Wang, M. Ji. A Lightweight Method for Tackling Unknown " +
			"Participation Statistics in Federated Learning. ICLR 2024.",
		"xiang2024": "M. Xiang, S. Ioannidis, E. Yeh, C. Joe-Wong, L. Su. Efficient Federated " +
			"Learning against Heterogeneous and Non-stationary Client Unavailability. " +
			"NeurIPS 2024.",
		"yan2024": "Y. Yan, C. Niu, Y. Ding, Z. Zheng, S. Tang, Q. Li, F. Wu, C. Lyu, Y. Feng, " +
			"G. Chen. Federated Optimization Under Intermittent Client Availability. INFORMS " +
			"Journal on Computing, 2024.",
	}
}
