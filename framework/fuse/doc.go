// Package fuse aligns the neurons of one network with those of another, layer by layer, so
// that the two can be averaged.
//
// Neurons of a layer have no order: two networks that compute the same may list them
// differently, and an average of their parameters then computes nothing. An Aligner finds, for
// every set of channels, a transport plan from the neurons of one network to those of the
// other, by what they compute of channels that are aligned already, and rewrites the network
// in terms of the other's neurons (Singh, Jaggi, NeurIPS 2020).
//
// Channels that the graph ties together share one plan: those that pass through rectifiers,
// pools, norms and flattening, and those that meet where a residual block ends. Of a transformer
// that is the stream that passes all blocks, with embeddings, positions, the class token, norms
// and tied scores. The first layer that yields them decides. The heads of attention are moved as
// wholes, by a plan of heads: rows of queries, keys and values, and columns of the weights after
// them. Layers that mix channels or give them places are refused: recurrent ones,
// concatenation, subsampling and those of generators.
//
// A plan need not be a permutation, nor square: networks may differ in width, never in depth, in
// the number of heads, or in their size. A plan of a part of the mass leaves neurons without
// partner as the other network has them.
//
// Beside the Aligner are a Matcher, which permutes all layers until weights agree; a Barycenter,
// which aligns many networks with what they are fused to; Atoms, which match neurons of many
// networks with global ones, of which there are as many as the data ask for; and Repair, which
// rescales the neurons of an average.
package fuse
