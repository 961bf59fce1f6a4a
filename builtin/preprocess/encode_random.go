package preprocess

import (
	"math"
	"math/rand/v2"
	"sync"

	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/nn"
)

// A recipe determines a random encoder.
type recipe interface {
	// net returns the network for rows of a shape.
	net(in fl.Shape) (*nn.Net, error)
	// draw fills the blocks of a layer with parameters; they are zero before.
	draw(weight, bias []float32, incoming int, rng *rand.Rand)
	// finish turns what the network yields into features.
	finish(z fl.Matrix)
}

// A random encoder has parameters that the server and all clients draw from the same seed.
type random struct {
	unasked
	recipe
	seed uint64

	mu     sync.Mutex
	last   *nn.Net   // of the last rows
	params []float32 // of last
}

var _ fl.Preprocessor = (*random)(nil)

// Shape implements fl.Preprocessor.
func (r *random) Shape(in fl.Shape) (fl.Shape, error) {
	net, err := r.net(in)
	if err != nil {
		return in, err
	}
	return encoded(in, net.Out().Len()), nil
}

// Combine implements fl.Preprocessor: nothing, for clients know the seed.
func (r *random) Combine(*fl.CombineInput) (fl.Tensors, error) { return nil, nil }

// Transform implements fl.Preprocessor.
func (r *random) Transform(m *fl.TransformInput) (fl.Matrix, error) {
	net, params, err := r.frozen(m.Shape)
	if err != nil {
		return fl.Matrix{}, err
	}
	z := through(net, params, m.Rows)
	r.finish(z)
	return z, nil
}

// frozen returns the network for rows of a shape and its parameters, which are drawn once.
func (r *random) frozen(in fl.Shape) (*nn.Net, []float32, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == nil || r.last.In() != model.ShapeOf(in) {
		net, err := r.net(in)
		if err != nil {
			return nil, nil, err
		}
		r.last, r.params = net, make([]float32, net.Params())
		rng := fl.NewStream(r.seed, "encoder").Rand()
		blocks := net.Layout().Blocks // a layer's weights, then its biases
		for k := 0; k < len(blocks); k += 2 {
			w, b := blocks[k], blocks[k+1]
			r.draw(r.params[w.Offset:b.Offset], r.params[b.Offset:][:b.Rows], w.Cols, rng)
		}
	}
	return r.last, r.params, nil
}

// conv are random convolutions.
type conv struct {
	stack
	grid int
}

func (c conv) net(in fl.Shape) (*nn.Net, error) {
	return onImages(randomConv, in, append(c.layers(), nn.AvgPoolTo(c.grid), nn.Flatten()))
}

// draw draws weights from N(0, 2/incoming), which keeps the scale of what passes rectifiers.
func (conv) draw(weight, _ []float32, incoming int, rng *rand.Rand) {
	deviation := math.Sqrt(2 / float64(incoming))
	for i := range weight {
		weight[i] = float32(deviation * rng.NormFloat64())
	}
}

func (conv) finish(fl.Matrix) {}

// fourier are random Fourier features.
type fourier struct {
	features int     // D
	width    float64 // σ
}

func (f fourier) net(in fl.Shape) (*nn.Net, error) {
	return nn.New(model.ShapeOf(in), nn.Flatten(), nn.Dense(f.features))
}

// draw draws W from N(0, 1/(σ²d)) and b from [0, 2π).
func (f fourier) draw(weight, bias []float32, incoming int, rng *rand.Rand) {
	deviation := 1 / (f.width * math.Sqrt(float64(incoming)))
	for i := range weight {
		weight[i] = float32(deviation * rng.NormFloat64())
	}
	for i := range bias {
		bias[i] = float32(2 * math.Pi * rng.Float64())
	}
}

// finish turns Wx + b into features.
func (f fourier) finish(z fl.Matrix) {
	scale := math.Sqrt(2 / float64(f.features))
	for i, phase := range z.Data {
		z.Data[i] = scale * math.Cos(phase)
	}
}
