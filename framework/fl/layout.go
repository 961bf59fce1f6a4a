package fl

// A Layout says how a parameter vector is laid out: its blocks, in order and without gaps,
// and what a network computes with them.
type Layout struct {
	Blocks []Block
	Layers []Layer // the graph, in the order of computation; nil when the model has none
}

// A Block is one weight matrix or bias within a parameter vector.
type Block struct {
	Name       string // its role in its layer: Weight, Bias, …
	Layer      int    // layers with parameters count from 0; a bias shares its layer's number
	Rows, Cols int    // outgoing × incoming; a bias is Rows×1
	Offset     int    // index of the first element in the vector
}

// The names of the blocks of networks.
const (
	Weight          = "weight"    // of dense and conv: outgoing × incoming
	Bias            = "bias"      // of dense and conv: outgoing × 1
	NormScale       = "scale"     // of norms: channels × 1
	NormOffset      = "offset"    // of norms: channels × 1
	Recurrent       = "recurrent" // of lstm and gru: gates·units × units, from the step before
	RecurrentBias   = "inner"     // of gru: units × 1; in the new state, it is reset
	RunningMean     = "mean"      // of batch norms: channels × 1; follows the batches, not trained
	RunningVariance = "variance"  // of batch norms: channels × 1; follows the batches, not trained
)

// A Layer is one layer of a network: a node of its graph. Layer-wise methods read from it which
// blocks feed which: a permutation of the outgoing rows of a weight permutes the channels of every
// layer reached through From, up to the incoming columns of the next weights; both branches of a
// KindAdd share one permutation. A flatten turns channel c of In into the elements p·C + c of a
// vector, for all pixels p.
type Layer struct {
	Kind    LayerKind
	Name    string // of the module that PyTorch would hold its parameters in; "" without any
	From    []int  // the layers that feed it, by index in Layout.Layers; -1 is the input
	In, Out Image  // of one sample; a vector of n numbers is n channels of one pixel
	Blocks  []int  // its parameters, by index in Layout.Blocks

	// Height and width of the window, its step, and the zeros around the image, of
	// convolutions and pooling. A convolution's incoming columns are in the order row,
	// column, channel: KH·KW·In.C. Of subsampling, the step, and the zero channels in front.
	KH, KW, Stride, Pad int

	Groups int // of a group norm, which divide the channels in order
}

// A LayerKind says what a layer computes.
type LayerKind string

// The kinds of layers.
const (
	KindDense     LayerKind = "dense"
	KindConv      LayerKind = "conv"
	KindDepthwise LayerKind = "depthwise" // a convolution of every channel alone: channels × KH·KW
	KindMaxPool   LayerKind = "max-pool"
	KindAvgPool   LayerKind = "avg-pool"
	KindReLU      LayerKind = "relu"
	KindReLU6     LayerKind = "relu6" // min(max(x, 0), 6)
	KindGroupNorm LayerKind = "group-norm"
	KindBatchNorm LayerKind = "batch-norm"
	KindFlatten   LayerKind = "flatten"
	KindAdd       LayerKind = "add"    // where the two branches of a residual block join
	KindConcat    LayerKind = "concat" // the channels of one branch after those of another
	KindSubsample LayerKind = "subsample"
	KindTanh      LayerKind = "tanh"
	KindSigmoid   LayerKind = "sigmoid"
	KindGELU      LayerKind = "gelu"
	KindQuickGELU LayerKind = "quick-gelu" // x·σ(1.702x)
	KindDropout   LayerKind = "dropout"

	// Of generators of images.
	KindUnflatten LayerKind = "unflatten" // a vector as an image, in the order of flatten
	KindUpsample  LayerKind = "upsample"  // every pixel is the nearest one of a smaller image
	KindLeakyReLU LayerKind = "leaky-relu"

	// Of sequences, whose positions are the rows of images of one column.
	KindEmbedding LayerKind = "embedding"  // weight: tokens × channels
	KindPosition  LayerKind = "position"   // adds its weight: positions × channels
	KindToken     LayerKind = "token"      // its weight, a position, comes before all others
	KindLSTM      LayerKind = "lstm"       // of rows: input, forget, cell and output gates
	KindGRU       LayerKind = "gru"        // of rows: reset and update gates, new state
	KindLayerNorm LayerKind = "layer-norm" // over the channels of every position
	KindAttention LayerKind = "attention"  // causal, of queries, keys and values side by side
	KindSelf      LayerKind = "self"       // attention that is not causal
	KindSequence  LayerKind = "sequence"   // pixels of an image, row by row, as positions
	KindFirst     LayerKind = "first"      // the first position
	KindLast      LayerKind = "last"       // the last position
	KindTied      LayerKind = "tied"       // scores of tokens, by the weight of the embedding
)

// Len returns the length of the vector that l lays out.
func (l Layout) Len() int {
	n := 0
	for _, b := range l.Blocks {
		n += b.Rows * b.Cols
	}
	return n
}

// Head returns W and b where the layout is that of a linear head, W·x + b, and else nil.
func (l Layout) Head() (w, b *Block) {
	if len(l.Layers) != 1 || l.Layers[0].Kind != KindDense {
		return nil, nil
	}
	if w, b = l.Block(0, Weight), l.Block(0, Bias); w == nil || b == nil {
		return nil, nil
	}
	return w, b
}

// Of returns the part of a parameter vector that is the block, sharing its memory.
func (b *Block) Of(params Vector) Matrix {
	n := b.Rows * b.Cols
	return Matrix{Rows: b.Rows, Cols: b.Cols, Data: params[b.Offset : b.Offset+n : b.Offset+n]}
}

// Block returns the block of a name of layer k, or nil when it has none.
func (l Layout) Block(k int, name string) *Block {
	for _, i := range l.Layers[k].Blocks {
		if b := &l.Blocks[i]; b.Name == name {
			return b
		}
	}
	return nil
}
