package nn

import "github.com/hansa-fl/hansa/framework/fl"

// A Kind says what a layer computes.
type Kind string

// The kinds of layers.
const (
	KindDense     Kind = "dense"
	KindConv      Kind = "conv"
	KindMaxPool   Kind = "max-pool"
	KindAvgPool   Kind = "avg-pool"
	KindReLU      Kind = "relu"
	KindGroupNorm Kind = "group-norm"
	KindBatchNorm Kind = "batch-norm"
	KindFlatten   Kind = "flatten"
	KindAdd       Kind = "add" // where the two branches of a residual block join
)

// A LayerInfo is one layer of a net: a node of its graph. Layer-wise methods read from it
// which blocks feed which: a permutation of the outgoing rows of a weight permutes the
// channels of everything that is reached through From, up to the incoming columns of the
// next weights; both branches of a KindAdd share one permutation. A flatten turns channel
// c of In into the elements p·C + c of a vector, for all pixels p.
type LayerInfo struct {
	Kind    Kind
	From    []int // the layers that feed it, by index in Net.Describe; -1 is the input
	In, Out Shape // of one sample

	Layer  int       // number in fl.Block.Layer; -1 without parameters
	Blocks fl.Layout // its parameters, in order of their names below

	// Height and width of the window, its step, and the zeros around the image, of
	// convolutions and pooling. A convolution's incoming columns are in the order row,
	// column, channel: KH·KW·In.C.
	KH, KW, Stride, Pad int

	Groups int // of a group norm, which divide the channels in order
}

// The names of blocks.
const (
	Weight   = "weight"   // of dense and conv: outgoing × incoming
	Bias     = "bias"     // of dense and conv: outgoing × 1
	Scale    = "scale"    // of norms: channels × 1
	Offset   = "offset"   // of norms: channels × 1
	Mean     = "mean"     // of batch norms, running: channels × 1; not trained
	Variance = "variance" // of batch norms, running: channels × 1; not trained
)

// Block returns the block of a name, or nil.
func (l *LayerInfo) Block(name string) *fl.Block {
	for i := range l.Blocks {
		if l.Blocks[i].Name == name {
			return &l.Blocks[i]
		}
	}
	return nil
}
