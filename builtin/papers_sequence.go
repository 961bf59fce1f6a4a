package builtin

// sequencePapers returns the references of text and of the models of sequences.
func sequencePapers() map[string]string {
	return map[string]string{
		"cho2014": "K. Cho, B. van Merriënboer, C. Gulcehre, D. Bahdanau, F. Bougares, H. " +
			"Schwenk, Y. Bengio. Learning Phrase Representations using RNN Encoder-Decoder " +
			"for Statistical Machine Translation. EMNLP 2014.",
		"dosovitskiy2021": "A. Dosovitskiy, L. Beyer, A. Kolesnikov, D. Weissenborn, X. Zhai, T. " +
			"Unterthiner, M. Dehghani, M. Minderer, G. Heigold, S. Gelly, J. Uszkoreit, N. " +
			"Houlsby. An Image is Worth 16x16 Words: Transformers for Image Recognition at " +
			"Scale. ICLR 2021.",
		"jelinek1977": "F. Jelinek, R. L. Mercer, L. R. Bahl, J. K. Baker. Perplexity: a Measure " +
			"of the Difficulty of Speech Recognition Tasks. Journal of the Acoustical Society " +
			"of America 62, 1977.",
		"karpathy2015": "A. Karpathy. The Unreasonable Effectiveness of Recurrent Neural " +
			"Networks. 2015, with the text of the repository char-rnn.",
		"vaswani2017": "A. Vaswani, N. Shazeer, N. Parmar, J. Uszkoreit, L. Jones, A. N. Gomez, " +
			"Ł. Kaiser, I. Polosukhin. Attention Is All You Need. NeurIPS 2017.",
	}
}
