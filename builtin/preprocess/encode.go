// Encode — images become features, by an encoder that no client trains.
//
//	A. Rahimi, B. Recht. Random Features for Large-Scale Kernel Machines. NIPS 2007, Algorithm 1.
//	A. Saxe et al. On Random Weights and Unsupervised Feature Learning. ICML 2011.
//	K. He et al. Delving Deep into Rectifiers. ICCV 2015, Section 2.2.
//
// Notation: x ∈ ℝᵈ a row, z ∈ ℝᴰ its features.
//
//	identity:        z = x
//	random-conv:     convolutions and rectifiers, between two of them the largest of 2×2 pixels,
//	                 in the end means over a grid; weights N(0, 2/incoming), no biases
//	random-fourier:  z = √(2/D)·cos(Wx + b), W ~ N(0, 1/(σ²d)), b uniform in [0, 2π), so that
//	                 E z·z′ = exp(−‖x − x′‖²/(2σ²d))
//	cnn:             convolutions, rectifiers and the largest of 2×2 pixels, then a dense layer
//	                 and its rectifier; trained on public data under a layer of scores, which is
//	                 then taken off
//	pretrained:      a network that others have trained, up to the means over pixels before its
//	                 scores, or CLIP's encoder of images, up to its projection; and what it was
//	                 trained to see: size, filter, order of channels, mean, scale
//
// What is left of an image in the end becomes features in the order row, column, channel.
//
// An encoder is drawn, or trained, from a seed of its own and not from that of the cell: it is the
// same for all seeds, as one that was trained elsewhere would be. Random ones are drawn by clients,
// which know the seed. That of cnn is trained by the server and sent to every client; one from a
// file is sent, too.
//
// Departures: the papers of aligned features take encoders trained on ImageNet; these see
// nothing but the public data that the experiment names, or take one from a file.

package preprocess

import (
	"errors"
	"fmt"

	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/nn"
)

// Encode describes the preprocessor to the registry.
var Encode = fl.PreprocessorEntry{
	Name:       "encode",
	Summary:    "images to features, by a frozen encoder: random, or trained on public data",
	Paper:      "rahimi2007",
	Deviations: "trained encoders see nothing but the public data that the experiment names",
	New:        newEncode,
	Inspect: func(c fl.Preprocessor, i *fl.Inspection) {
		if e, ok := c.(*pretrained); ok {
			e.inspect(i)
		}
	},
	Example: map[string]any{"encoder": "random-fourier", "features": int64(8)},
	Waives:  map[string]string{"identity": "features are something else than what they are of"},
}

// The encoders.
const (
	identity      = "identity"
	randomConv    = "random-conv"
	randomFourier = "random-fourier"
	trainedCNN    = "cnn"
	fromFile      = "pretrained"
)

func newEncode(p *fl.Params) (fl.Preprocessor, error) {
	kind := p.Choice("encoder", randomConv, "rows as they are; random convolutions; random "+
		"Fourier features; convolutions trained on public data; a network from a file",
		identity, randomConv, randomFourier, trainedCNN, fromFile)
	seed := uint64(p.Int("seed", 0, fl.AtLeast(0), "of the encoder, whatever that of the run"))
	features := p.Int("features", 256, fl.Closed(1, 65536), "random-fourier, cnn: how many, D")
	s := stack{
		channels: p.Ints("channels", []int{32, 64}, fl.Closed(1, 4096),
			"random-conv, cnn: of each convolution"),
		kernel: p.Int("kernel", 5, fl.Closed(1, 64),
			"random-conv, cnn: pixels to a side of their windows"),
	}
	if len(s.channels) == 0 {
		p.Fail("channels", "is empty")
	}
	grid := p.Int("grid", 2, fl.Closed(1, 64), "random-conv: D is grid² times the last of channels")
	width := p.Float("bandwidth", 0.3, fl.Above(0), "random-fourier: σ; 1 is the distance of rows "+
		"that differ by 1 in every pixel")
	t, known := newTraining(p), newPretrained(p, kind)
	var e fl.Preprocessor = flat{}
	switch kind {
	case randomConv:
		e = &random{recipe: conv{s, grid}, seed: seed}
	case randomFourier:
		e = &random{recipe: fourier{features, width}, seed: seed}
	case trainedCNN:
		e = newTrained(p, t, s, features, seed)
	case fromFile:
		e = known
	}
	if kind != trainedCNN || t.public != nil {
		fitting(p, e)
	}
	return e, nil
}

// fitting complains where an encoder does not fit the rows that it is built for.
func fitting(p *fl.Params, e fl.Preprocessor) {
	if s := p.Setting(); s.Known() && s.Shape.Features > 0 {
		if _, err := e.Shape(s.Shape); err != nil {
			p.Fail("encoder", "%v", err)
		}
	}
}

// encoded is the shape of features of rows.
func encoded(in fl.Shape, features int) fl.Shape {
	in.Features, in.Image = features, fl.Image{}
	return in
}

// unasked is the part of encoders that clients are asked nothing for.
type unasked struct{}

// Summarize implements fl.Preprocessor: nothing.
func (unasked) Summarize(*fl.SummaryInput) (fl.Tensors, error) { return nil, nil }

// flat is the encoder that leaves rows as they are.
type flat struct{ unasked }

var _ fl.Preprocessor = flat{}

// Shape implements fl.Preprocessor.
func (flat) Shape(in fl.Shape) (fl.Shape, error) { return encoded(in, in.Features), nil }

// Combine implements fl.Preprocessor: nothing.
func (flat) Combine(*fl.CombineInput) (fl.Tensors, error) { return nil, nil }

// Transform implements fl.Preprocessor.
func (flat) Transform(m *fl.TransformInput) (fl.Matrix, error) { return m.Rows, nil }

// A stack is a row of convolutions.
type stack struct {
	channels []int
	kernel   int
}

// layers returns the convolutions with their rectifiers, and between two of them what halves an
// image.
func (s stack) layers() []nn.Layer {
	var list []nn.Layer
	for k, c := range s.channels {
		if k > 0 {
			list = append(list, nn.MaxPool(2, 2))
		}
		list = append(list, nn.Conv(c, s.kernel, 1, 0), nn.ReLU())
	}
	return list
}

var errNoImages = errors.New("needs images; the rows of these data are none")

// onImages returns the network of an encoder for images of a shape.
func onImages(name string, in fl.Shape, layers []nn.Layer) (*nn.Net, error) {
	if in.Image == (fl.Image{}) {
		return nil, fmt.Errorf("%s %w", name, errNoImages)
	}
	net, err := nn.New(model.ShapeOf(in), layers...)
	if err != nil {
		return nil, fmt.Errorf("%s does not fit images of %d×%d pixels: %w", name, in.Image.H,
			in.Image.W, err)
	}
	return net, nil
}

// atOnce is how many rows run through a network together: what becomes of them on the way stays
// in the cache.
const atOnce = 32

// through returns what a network makes of rows, each of which is treated by itself.
func through(net *nn.Net, params []float32, x fl.Matrix) fl.Matrix {
	z := fl.NewMatrix(x.Rows, net.Out().Len())
	tape := net.Tape(min(atOnce, x.Rows))
	for lo := 0; lo < x.Rows; lo += atOnce {
		hi := min(lo+atOnce, x.Rows)
		batch := tape.Gather(x.Slice(lo, hi).Data, nil)
		part := z.Slice(lo, hi).Data
		for i, v := range tape.Forward(params, batch, hi-lo) {
			part[i] = float64(v)
		}
	}
	return z
}
