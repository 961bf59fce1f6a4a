package nn

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A Net is an architecture with resolved shapes. It is immutable.
type Net struct {
	in, out Shape
	layout  fl.Layout
	trained int             // length of the part of the vector that gradients train
	ops     []op            // in order
	widest  int             // elements of the largest activation of a sample
	spread  map[int]float64 // see builder
}

// New resolves an architecture for samples of a shape. An error names the layer that does
// not fit.
func New(in Shape, layers ...Layer) (*Net, error) {
	if in.H < 1 || in.W < 1 || in.C < 1 {
		return nil, fmt.Errorf("input %v: every side must be at least 1", in)
	}
	if len(layers) == 0 {
		return nil, errors.New("a net needs at least one layer")
	}
	b := &builder{shape: in, from: -1, widest: in.Len(), spread: map[int]float64{}}
	ops, err := b.sequence(layers)
	if err != nil {
		return nil, err
	}
	n := &Net{in: in, out: b.shape, ops: ops, widest: b.widest, spread: b.spread}
	n.layout, n.trained = b.place()
	return n, nil
}

// In returns the shape of a sample.
func (n *Net) In() Shape { return n.in }

// Out returns the shape of the scores of a sample.
func (n *Net) Out() Shape { return n.out }

// Layout names the blocks of the parameter vector, those of running statistics last, and
// the layers in the order in which they are computed; residual blocks are taken apart. The
// caller must not change it.
func (n *Net) Layout() fl.Layout { return n.layout }

// Params returns the length of the parameter vector.
func (n *Net) Params() int { return n.layout.Len() }

// Trained returns the length of the part of the parameter vector that gradients train,
// from its beginning. What follows are running statistics, which an optimiser must leave
// alone.
func (n *Net) Trained() int { return n.trained }

// FLOPs returns the floating-point operations of the dense layers, convolutions and recurrent
// layers of one sample forward by their definition, a multiplication and an addition counting
// two. A training step takes about three times as many. Convolutions in tiles do with fewer.
func (n *Net) FLOPs() int {
	total := 0
	for k, l := range n.layout.Layers {
		for _, i := range l.Blocks {
			w := &n.layout.Blocks[i]
			product := w.Name == fl.Weight && n.spread[k] == 0
			if product || w.Name == fl.Recurrent {
				total += 2 * l.Out.H * l.Out.W * w.Rows * w.Cols
			}
		}
	}
	return total
}

// Init returns parameters to start from, as PyTorch draws them by default: weights and
// biases of dense layers and convolutions uniform within ±1/√(incoming) (He et al., ICCV
// 2015, with a = √5), those of recurrent layers within ±1/√units, those of embeddings normal, and
// norms the identity.
func (n *Net) Init(rng *rand.Rand) []float32 {
	params := make([]float32, n.Params())
	for k, l := range n.layout.Layers {
		if l.Kind == fl.KindTied {
			continue // its weight is that of the embedding
		}
		bound := n.bound(k)
		for _, i := range l.Blocks {
			b := &n.layout.Blocks[i]
			v := part(params, b)
			switch b.Name {
			case fl.Weight, fl.Recurrent, fl.Bias, fl.RecurrentBias:
				for j := range v {
					if n.spread[k] > 0 {
						v[j] = float32(n.spread[k] * rng.NormFloat64())
					} else {
						v[j] = float32(bound * (2*rng.Float64() - 1))
					}
				}
			case fl.NormScale, fl.RunningVariance:
				for k := range v {
					v[k] = 1
				}
			}
		}
	}
	return params
}

// bound returns the largest magnitude of the weights of a layer at the start.
func (n *Net) bound(layer int) float64 {
	w := n.layout.Block(layer, fl.Weight)
	if u := n.layout.Block(layer, fl.Recurrent); u != nil {
		w = u
	}
	if w == nil {
		return 0
	}
	return 1 / math.Sqrt(float64(w.Cols))
}

// part returns the elements of a block in a vector.
func part(v []float32, b *fl.Block) []float32 {
	return v[b.Offset : b.Offset+b.Rows*b.Cols]
}
