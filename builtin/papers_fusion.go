package builtin

// fusionPapers are those of aggregators that merge models of one round.
func fusionPapers() map[string]string {
	return map[string]string{
		"ainsworth2023": "S. K. Ainsworth, J. Hayase, S. Srinivasa. Git Re-Basin: Merging Models " +
			"modulo Permutation Symmetries. ICLR 2023.",
		"jin2023": "X. Jin, X. Ren, D. Preotiuc-Pietro, P. Cheng. Dataless Knowledge Fusion by " +
			"Merging Weights of Language Models. ICLR 2023.",
		"matena2022": "M. Matena, C. Raffel. Merging Models with Fisher-Weighted Averaging. " +
			"NeurIPS 2022.",
		"stoica2024": "G. Stoica, D. Bolya, J. Bjorner, P. Ramesh, T. Hearn, J. Hoffman. ZipIt! " +
			"Merging Models from Different Tasks without Training. ICLR 2024.",
		"wang2020fedma": "H. Wang, M. Yurochkin, Y. Sun, D. Papailiopoulos, Y. Khazaeni. " +
			"Federated Learning with Matched Averaging. ICLR 2020.",
		"wortsman2022": "M. Wortsman, G. Ilharco, S. Y. Gadre, R. Roelofs, R. Gontijo-Lopes, A. " +
			"S. Morcos, H. Namkoong, A. Farhadi, Y. Carmon, S. Kornblith, L. Schmidt. Model " +
			"soups: averaging weights of multiple fine-tuned models improves accuracy without " +
			"increasing inference time. ICML 2022.",
	}
}
