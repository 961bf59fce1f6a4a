package model

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/nn"
)

// residuals is what the residual networks of the papers have in common: what normalises, and the
// names that PyTorch's networks have for their modules.
type residuals struct {
	norm   string
	groups int
	width  int
}

// residualWaives is what batch norms, where asked for, do not hold.
var residualWaives = map[string]string{
	"batch": "batch norms, where asked for, make a sample's loss depend on its batch",
	"gradient": "batch norms train by the statistics of the batch, and are measured by " +
		"running ones",
}

// deepWaives are those of networks so deep that some rectifier always bends between two ways to make
// the same steps, whose rounding differs.
var deepWaives = map[string]string{
	"batch":    residualWaives["batch"],
	"gradient": residualWaives["gradient"],
	"descends": "rounding decides the slope of some rectifier among so many, and parts the two ways " +
		"to make a step; gradients are compared with those of PyTorch",
}

func newResiduals(p *fl.Params, width int) residuals {
	return residuals{
		width: p.Int("width", width, fl.Closed(1, 1024), "channels of the first convolution"),
		norm: p.Choice("norm", "group", "what is normalised: groups of channels, or batches",
			"group", "batch"),
		groups: p.Int("groups", 32, fl.Closed(1, 1024), "at most so many groups of channels"),
	}
}

// normed is a norm of so many channels, by name.
func (r *residuals) normed(name string, channels int) nn.Layer {
	if r.norm == "batch" {
		return nn.Named(name, nn.BatchNorm())
	}
	return nn.Named(name, nn.GroupNorm(divisor(channels, r.groups)))
}

// conv is a convolution of k×k without a bias that keeps an image but for its stride, by name.
func conv(name string, channels, k, stride int) nn.Layer {
	return nn.Named(name, nn.ConvBare(channels, k, stride, k/2))
}

// stem is the first convolution with its norm.
func (r *residuals) stem() []nn.Layer {
	return []nn.Layer{conv("conv1", r.width, 3, 1), r.normed("bn1", r.width), nn.ReLU()}
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
	main := []nn.Layer{
		conv(b.name+".conv1", b.out, 3, b.stride), r.normed(b.name+".bn1", b.out), nn.ReLU(),
		conv(b.name+".conv2", b.out, 3, 1), r.normed(b.name+".bn2", b.out),
	}
	switch {
	case b.in == b.out && b.stride == 1:
		return []nn.Layer{nn.Residual(main...), nn.ReLU()}
	case b.padded:
		return []nn.Layer{nn.ResidualBy([]nn.Layer{nn.Subsample(b.out, b.stride)}, main...), nn.ReLU()}
	}
	projected := []nn.Layer{conv(b.name+"."+b.conv, b.out, 1, b.stride),
		r.normed(b.name+"."+b.normed, b.out)}
	return []nn.Layer{nn.ResidualBy(projected, main...), nn.ReLU()}
}

// imageNet is the form that the paper has for ImageNet, behind a stem for small images: a stage for
// each number of blocks, twice as wide as the one before, and half as high.
func (r *residuals) imageNet(blocks []int) func(nn.Shape, int) []nn.Layer {
	return func(_ nn.Shape, scores int) []nn.Layer {
		layers, in := r.stem(), r.width
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
		return append(layers, nn.GlobalAvgPool(), nn.Flatten(), nn.Named("fc", nn.Dense(scores)))
	}
}
