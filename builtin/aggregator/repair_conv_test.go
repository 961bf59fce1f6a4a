package aggregator

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/fuse"
	"github.com/hansa-fl/hansa/framework/nn"
)

// pictures is the shape of the samples of convolutional networks and of vision transformers.
var pictures = fl.Shape{Features: 16 * 16 * 2, Classes: 4, Image: fl.Image{C: 2, H: 16, W: 16}}

// modelled builds a model for a shape.
func modelled(t *testing.T, e fl.ModelEntry, in fl.Shape, given map[string]any) fl.Model {
	t.Helper()
	m, err := e.New(fl.NewParams(given, fl.Setting{}, nil))
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.For(in); err != nil {
		t.Fatal(err)
	}
	return m
}

// A beginning is a network that ends where a layer of a larger one does, before its rectifier. Its
// parameters are the first of that one's.
func beginnings(t *testing.T, layers []nn.Layer, ends ...int) (list []*nn.Net) {
	t.Helper()
	for _, n := range ends {
		net, err := nn.New(nn.Shape{H: 16, W: 16, C: 2}, layers[:n]...)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, net)
	}
	return list
}

// saying returns the mean and the standard deviation of each channel that a network yields, over
// samples and pixels.
func saying(net *nn.Net, theta fl.Vector, x fl.Matrix) (mean, sd fl.Vector) {
	tape := net.Tape(x.Rows)
	single := make([]float32, net.Params())
	for i := range single {
		single[i] = float32(theta[i])
	}
	y := tape.Forward(single, tape.Gather(x.Data, nil), x.Rows)
	channels := make([]fl.Vector, net.Out().C)
	for k, v := range y {
		channels[k%len(channels)] = append(channels[k%len(channels)], float64(v))
	}
	for _, c := range channels {
		m, s := spread(c)
		mean, sd = append(mean, m), append(sd, s)
	}
	return mean, sd
}

// Theorem: after REPAIR every channel of a convolution has, before its rectifier and over all pixels
// of the samples, the weighted mean of the means and of the standard deviations that the channels
// of the networks have, and so have the dense layers behind, within residual branches, too. What
// channels say is computed here by networks that end there.
//
//hansa:verifies theorem aggregator/git-rebasin
func TestRepairRestoresMomentsOfChannels(t *testing.T) {
	conv := func(n, k int) nn.Layer { return nn.Conv(n, k, 1, k/2) }
	relu, half := nn.ReLU(), nn.MaxPool(2, 2)
	branch := []nn.Layer{conv(6, 3), relu, conv(6, 3), relu}
	start := []nn.Layer{conv(3, 3), relu, conv(6, 3), relu, half}
	for name, c := range map[string]struct {
		entry fl.ModelEntry
		given map[string]any
		parts []*nn.Net
	}{
		"cnn": {model.CNN, map[string]any{"channels": int64(3)}, beginnings(t, []nn.Layer{
			nn.Conv(3, 5, 1, 0), relu, half, nn.Conv(6, 5, 1, 0), relu, half, nn.Flatten(), nn.Dense(256),
			relu, nn.Dense(128)}, 1, 4, 8, 10)},
		"resnet9": {model.ResNet9, map[string]any{"width": int64(3), "norm": "none"}, append(
			beginnings(t, append(start[:5:5], branch...), 1, 3, 6, 8),
			beginnings(t, append(start[:5:5], nn.Residual(branch...), conv(12, 3)), 7)...)},
	} {
		net, rng := modelled(t, c.entry, pictures, c.given), rand.New(rand.NewPCG(43, 4))
		params := []fl.Vector{net.Init(rng), net.Init(rng), net.Init(rng)}
		for _, theta := range params { // biases begin near 0
			theta.AddNoise(0.05, rng)
		}
		r := oneShot(fl.Vector{.3, .8, .6}, []fl.Model{net}, params)
		for k := range r.Updates {
			r.Updates[k].Model = nil
		}
		r.Validation = held(pictures)
		x := r.Validation.X.Slice(0, 20)
		r.Validation.X, r.Validation.Y = x, r.Validation.Y[:20]
		fl.Vector(x.Data).AddNoise(1, rng)
		given := map[string]any{"passes": int64(0)}
		plain := fused(t, server(t, GitReBasin, given), r).Clone()
		given["repair"] = "server"
		repaired := fused(t, server(t, GitReBasin, given), r)
		shrunk, all := 0, 0
		for k, part := range c.parts {
			wantMean, wantSD := make(fl.Vector, part.Out().C), make(fl.Vector, part.Out().C)
			for _, theta := range params {
				mean, sd := saying(part, theta, x)
				wantMean.AddScaled(1./3, mean)
				wantSD.AddScaled(1./3, sd)
			}
			mean, sd := saying(part, repaired, x)
			_, before := saying(part, plain, x)
			for j := range mean {
				if math.Abs(mean[j]-wantMean[j]) > 1e-6 || math.Abs(sd[j]-wantSD[j]) > 1e-6 {
					t.Errorf("%s, layer %d, channel %d: %g ± %g, want %g ± %g", name, k, j, mean[j],
						sd[j], wantMean[j], wantSD[j])
				}
				if all++; before[j] < 0.9*wantSD[j] {
					shrunk++
				}
			}
		}
		if shrunk < all*3/4 {
			t.Errorf("%s: %d of %d channels of the plain mean vary less", name, shrunk, all)
		}
	}
}

// What REPAIR is not for is said by the kind of the layer.
func TestWhatRepairRefuses(t *testing.T) {
	for want, m := range map[string]fl.Model{
		"layer 1 is group-norm": modelled(t, model.ResNet9, pictures, map[string]any{"width": int64(2)}),
		"layer 2 is token":      modelled(t, model.ViT, pictures, model.ViT.Example),
	} {
		l := m.Layout()
		if _, err := fuse.Repairs(&l); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want …%s", err, want)
		}
	}
}
