package builtin

import (
	"github.com/hansa-fl/hansa/builtin/aggregator"
	"github.com/hansa-fl/hansa/registry"
)

// asynchronous are aggregators for servers that wait for no client.
func asynchronous(r *registry.Registry) error {
	return r.Aggregators.Add(
		aggregator.FedAsync, // each model as it arrives
		aggregator.FedBuff,  // the mean of a buffer
		aggregator.FedAT,    // the mean of tiers
	)
}

// asynchronousPapers are theirs.
func asynchronousPapers() map[string]string {
	return map[string]string{
		"xie2020": "C. Xie, S. Koyejo, I. Gupta. Asynchronous Federated Optimization. OPT 2020 " +
			"(arXiv:1903.03934).",
		"nguyen2022": "J. Nguyen, K. Malik, H. Zhan, A. Yousefpour, M. Rabbat, M. Malek, " +
			"D. Huba. Federated Learning with Buffered Asynchronous Aggregation. AISTATS 2022.",
		"chai2021": "Z. Chai, Y. Chen, A. Anwar, L. Zhao, Y. Cheng, H. Rangwala. FedAT: A " +
			"High-Performance and Communication-Efficient Federated Learning System with " +
			"Asynchronous Tiers. SC 2021.",
	}
}
