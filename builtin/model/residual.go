package model

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/nn"
)

// residuals is what the residual networks of the papers have in common: what normalises, and the
// names that PyTorch's networks have for their modules. Norms that are folded are part of the
// convolutions before them, which have biases then.
type residuals struct {
	norms
	width int
}

// norms is what is normalised.
type norms struct {
	norm   string
	groups int
}

// residualWaives is what batch norms, where asked for, do not hold.
var residualWaives = map[string]string{
	"batch": "batch norms, where asked for, make a sample's loss depend on its batch",
	"gradient": "batch norms train by the statistics of the batch, and are measured by " +
		"running ones",
}

// deepWaives are those of networks so deep that some rectifier always bends between two ways to
// make the same steps, whose rounding differs.
var deepWaives = map[string]string{
	"batch":    residualWaives["batch"],
	"gradient": residualWaives["gradient"],
	"descends": "rounding decides the slope of some rectifier among so many, and parts the two " +
		"ways to make a step; gradients are compared with those of PyTorch",
}

func newResiduals(p *fl.Params, width int) residuals {
	r := residuals{
		width: p.Int("width", width, fl.Closed(1, 1024), "channels of the first convolution"),
	}
	r.norms = newNorms(p)
	return r
}

func newNorms(p *fl.Params) norms {
	return norms{
		norm: p.Choice("norm", "group", "what is normalised: groups of channels, or batches",
			"group", "batch"),
		groups: p.Int("groups", 32, fl.Closed(1, 1024), "at most so many groups of channels"),
	}
}

// folded is the norm that is part of the convolution before it.
const folded = "folded"

// normed is a norm of so many channels, by name.
func (r *norms) normed(name string, channels int) nn.Layer {
	if r.norm == "batch" {
		return nn.Named(name, nn.BatchNorm())
	}
	return nn.Named(name, nn.GroupNorm(divisor(channels, r.groups)))
}

// conv is a convolution of k×k without a bias that keeps an image but for its stride, by name.
func conv(name string, channels, k, stride int) nn.Layer {
	return nn.Named(name, nn.ConvBare(channels, k, stride, k/2))
}

// convNormed is conv with a norm after it.
func (r *residuals) convNormed(name, norm string, channels, k, stride int) []nn.Layer {
	if r.norm == folded {
		return []nn.Layer{nn.Named(name, nn.Conv(channels, k, stride, k/2))}
	}
	return []nn.Layer{conv(name, channels, k, stride), r.normed(norm, channels)}
}

// stem is the first convolution with its norm.
func (r *residuals) stem() []nn.Layer {
	return append(r.convNormed("conv1", "bn1", r.width, 3, 1), nn.ReLU())
}

// A basic is a block of two convolutions of 3×3 with a shortcut around them.
type basic struct {
	name         string
	in, out      int // channels
	stride       int
	padded       bool   // the shortcut subsamples, and projects nothing: option A of the paper
	conv, normed string // of the projection's modules
}

// block returns the layers of a block: the ReLU follows the sum.
func (r *residuals) block(b basic) []nn.Layer {
	main := append(r.convNormed(b.name+".conv1", b.name+".bn1", b.out, 3, b.stride), nn.ReLU())
	main = append(main, r.convNormed(b.name+".conv2", b.name+".bn2", b.out, 3, 1)...)
	switch {
	case b.in == b.out && b.stride == 1:
		return []nn.Layer{nn.Residual(main...), nn.ReLU()}
	case b.padded:
		shortcut := []nn.Layer{nn.Subsample(b.out, b.stride)}
		return []nn.Layer{nn.ResidualBy(shortcut, main...), nn.ReLU()}
	}
	projected := r.convNormed(b.name+"."+b.conv, b.name+"."+b.normed, b.out, 1, b.stride)
	return []nn.Layer{nn.ResidualBy(projected, main...), nn.ReLU()}
}

// imageNet is the form that the paper has for ImageNet, behind a stem for small images: a stage for
// each number of blocks, twice as wide as the one before, and half as high.
func (r *residuals) imageNet(blocks []int) func(nn.Shape, int) []nn.Layer {
	return func(_ nn.Shape, scores int) []nn.Layer {
		layers := append(r.stem(), r.stages(blocks)...)
		return append(layers, nn.GlobalAvgPool(), nn.Flatten(), nn.Named("fc", nn.Dense(scores)))
	}
}

// stages are those behind the stem.
func (r *residuals) stages(blocks []int) (layers []nn.Layer) {
	in := r.width
	for k, count := range blocks {
		out := r.width << k
		for i := range count {
			b := basic{name: fmt.Sprintf("layer%d.%d", k+1, i), in: in, out: out, stride: 1,
				conv: "downsample.0", normed: "downsample.1"}
			if k > 0 && i == 0 {
				b.stride = 2
			}
			layers, in = append(layers, r.block(b)...), out
		}
	}
	return layers
}
