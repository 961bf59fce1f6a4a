package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/nn"
	"github.com/hansa-fl/hansa/framework/weights"
)

// A Pretrained architecture is one of networks whose parameters others have published: all but what
// makes scores of features.
type Pretrained struct {
	Name     string
	Side     int      // height and width of the images that it takes, in three channels
	Features int      // that it makes of one
	Beside   []string // what names of tensors begin with that make scores

	layers func(norm string) []nn.Layer
	rename func(f *weights.File) error // nil where modules have the names of tensors
}

// Architectures returns those that are known:
//
//	squeezenet1_0     F. Iandola et al. SqueezeNet: AlexNet-Level Accuracy with 50× Fewer
//	                  Parameters and < 0.5 MB Model Size. arXiv:1602.07360, 2016, Table 1; behind
//	                  fire9
//	resnet18          K. He et al. CVPR 2016, Table 1, 18-layer, for ImageNet
//	resnet20-cifar10  the same, Section 4.2, option A
//	vit-b32-clip      A. Radford et al. Learning Transferable Visual Models From Natural Language
//	                  Supervision. ICML 2021, Table 20, ViT-B/32: the projected class token
//	vit-b32-openclip  the same with GELU, as OpenCLIP trains it (M. Cherti et al. CVPR 2023)
//
// Features of the first three are means over pixels, and their modules have the names of
// torchvision, and of its like for CIFAR.
func Architectures() []*Pretrained {
	clip := func(name string, gelu nn.Layer) *Pretrained {
		v := clipped{patch: 32, width: 768, depth: 12, heads: 12, features: 512, gelu: gelu}
		return &Pretrained{name, 224, v.features, besideCLIP, v.layers, v.rename}
	}
	return []*Pretrained{
		{"squeezenet1_0", 227, 512, []string{"classifier."}, squeezeNet, nil},
		{"resnet18", 224, 512, []string{"fc."}, func(norm string) []nn.Layer {
			return averaged(resNetForImageNet(64, norm))
		}, nil},
		{"resnet20-cifar10", 32, 64, []string{"linear."}, func(norm string) []nn.Layer {
			r := resnet20{residuals{norms{norm: norm}, 16}, 20, true}
			return averaged(r.body())
		}, nil},
		clip("vit-b32-clip", nn.QuickGELU()), clip("vit-b32-openclip", nn.GELU()),
	}
}

// averaged makes features of images that layers make, by means over pixels.
func averaged(layers []nn.Layer) []nn.Layer {
	return append(layers, nn.GlobalAvgPool(), nn.Flatten())
}

// resNetForImageNet is all of ResNet-18 before the mean over pixels, with the stem for images of
// 224×224 pixels.
func resNetForImageNet(width int, norm string) []nn.Layer {
	r := residuals{norms{norm: norm}, width}
	layers := append(r.convNormed("conv1", "bn1", width, 7, 2), nn.ReLU(),
		nn.MaxPoolPadded(3, 2, 1))
	return append(layers, r.stages([]int{2, 2, 2, 2})...)
}

// squeezeNet is all of SqueezeNet 1.0 before the last convolution, which makes scores. It has no
// norms.
func squeezeNet(string) []nn.Layer {
	layers := []nn.Layer{nn.Named("features.0", nn.Conv(96, 7, 2, 0)), nn.ReLU()}
	at := 2
	for _, f := range []struct{ squeeze, expand int }{
		{}, {16, 64}, {16, 64}, {32, 128}, {}, {32, 128}, {48, 192}, {48, 192}, {64, 256}, {},
		{64, 256},
	} {
		if f.squeeze == 0 {
			layers = append(layers, nn.MaxPoolCeil(3, 2))
			at++
			continue
		}
		name := fmt.Sprintf("features.%d.", at)
		at++
		layers = append(layers, nn.Named(name+"squeeze", nn.Conv(f.squeeze, 1, 1, 0)), nn.ReLU(),
			nn.Concat(
				[]nn.Layer{nn.Named(name+"expand1x1", nn.Conv(f.expand, 1, 1, 0)), nn.ReLU()},
				[]nn.Layer{nn.Named(name+"expand3x3", nn.Conv(f.expand, 3, 1, 1)), nn.ReLU()}))
	}
	return averaged(layers)
}

// Net returns the network that makes features of images, with norms folded into convolutions.
func (a *Pretrained) Net() (*nn.Net, error) { return a.net(folded) }

func (a *Pretrained) net(norm string) (*nn.Net, error) {
	return nn.New(nn.Shape{H: a.Side, W: a.Side, C: 3}, a.layers(norm)...)
}

// Load returns the parameters of Net that a file holds.
func (a *Pretrained) Load(f *weights.File) (fl.Vector, error) {
	if a.rename != nil {
		if err := a.rename(f); err != nil {
			return nil, err
		}
	}
	from, err := a.net("batch")
	if err != nil {
		return nil, err
	}
	to, err := a.Net()
	if err != nil {
		return nil, err
	}
	params := make(fl.Vector, from.Params())
	if err := weights.Fill(params, from.Layout(), f, nil, a.Beside...); err != nil {
		return nil, err
	}
	return fold(to.Layout(), from.Layout(), params)
}

// fold returns the parameters of a layout whose convolutions do what those of another do with the
// batch norms after them: y = γ·(w∗x − μ)/√(σ² + ε) + β.
func fold(to, from fl.Layout, params fl.Vector) (fl.Vector, error) {
	normed := func(l fl.Layer) bool { return l.Kind == fl.KindBatchNorm }
	if !slices.ContainsFunc(from.Layers, normed) {
		return params, nil
	}
	const steadier = 1e-5 // ε of batch norms
	made, named := make(fl.Vector, to.Len()), map[string]int{}
	for k, l := range to.Layers {
		if l.Blocks != nil {
			named[l.Name] = k
		}
	}
	for k, l := range from.Layers {
		at, weight := named[l.Name], from.Block(k, fl.Weight)
		if l.Kind == fl.KindConv {
			copy(to.Block(at, fl.Weight).Of(made).Data, weight.Of(params).Data)
			if bias := from.Block(k, fl.Bias); bias != nil {
				copy(to.Block(at, fl.Bias).Of(made).Data, bias.Of(params).Data)
			}
		}
		if l.Kind != fl.KindBatchNorm {
			continue
		}
		at = named[from.Layers[l.From[0]].Name]
		w, b := to.Block(at, fl.Weight).Of(made), to.Block(at, fl.Bias).Of(made).Data
		of := func(name string) fl.Vector { return from.Block(k, name).Of(params).Data }
		scale, mean := of(fl.NormScale), of(fl.RunningMean)
		for c, variance := range of(fl.RunningVariance) {
			if variance < 0 {
				return nil, fmt.Errorf("%s: a variance of %v", l.Name, variance)
			}
			a := scale[c] / math.Sqrt(variance+steadier)
			fl.Vector(w.Row(c)).Scale(a)
			b[c] = of(fl.NormOffset)[c] - a*mean[c]
		}
	}
	return made, nil
}
