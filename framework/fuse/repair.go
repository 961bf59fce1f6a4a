package fuse

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A Mean is Σ_k By[k]·Of[k] of networks whose neurons are aligned.
type Mean struct {
	Params fl.Vector
	Of     []fl.Vector
	By     fl.Vector
}

// Repair rescales the hidden neurons of a mean of networks, in place, so that what each is before
// its rectifier has, over the rows of x, and of a convolution over all pixels of them, the mean and
// the standard deviation
//
//	μ* = Σ_k w_k·μ_k,  σ* = Σ_k w_k·σ_k
//
// of those of the networks, whose neurons are aligned: a mean of weights has less variance than
// they have, the more so layer by layer (K. Jordan, H. Sedghi, O. Saukh, R. Entezari, B. Neyshabur.
// REPAIR: REnormalizing Permuted Activations for Interpolation Repair. ICLR 2023, Section 4).
// Layers are repaired in their order, each with what comes from those before it; the output is left
// as it is. A neuron that never varies is moved to the mean, and not rescaled. It is for networks
// of dense layers and convolutions without norms. In residual ones each layer is repaired by
// itself, and not the sum. (Where there are batch norms, the paper recomputes their statistics.)
func Repair(w fl.LayerWorker, l *fl.Layout, mean Mean, x fl.Matrix) error {
	layers, err := Repairs(l)
	if err != nil {
		return err
	}
	t := tie(l)
	hidden := slices.DeleteFunc(layers, func(i int) bool {
		return t.root(i) == t.root(len(l.Layers)-1)
	})
	want := make([]moments, len(hidden))
	for j, i := range hidden {
		want[j] = newMoments(l.Block(i, fl.Weight).Rows)
	}
	for k, theta := range mean.Of {
		for j, m := range preactivations(w, l, theta, x, hidden) {
			want[j].mean.AddScaled(mean.By[k], m.mean)
			want[j].spread.AddScaled(mean.By[k], m.spread)
		}
	}
	for j, i := range hidden {
		got := preactivations(w, l, mean.Params, x, hidden[j:j+1])[0]
		weight, bias := l.Block(i, fl.Weight), l.Block(i, fl.Bias)
		for r := range weight.Rows {
			factor := 1.0
			if got.spread[r] > idle*math.Abs(got.mean[r]) {
				factor = want[j].spread[r] / got.spread[r]
			}
			fl.Vector(weight.Of(mean.Params).Row(r)).Scale(factor)
			b := bias.Of(mean.Params).Data
			b[r] = (b[r]-got.mean[r])*factor + want[j].mean[r]
		}
	}
	return nil
}

// idle is the standard deviation, as a share of the mean, below which a neuron never varies.
const idle = 1e-9

// Repairs returns the dense layers and convolutions of a network, or why Repair is not for it.
func Repairs(l *fl.Layout) (layers []int, err error) {
	if l.Layers == nil {
		return nil, errors.New("a model without layers has no neurons for REPAIR")
	}
	for i := range l.Layers {
		switch k := l.Layers[i].Kind; {
		case k == fl.KindDense || k == fl.KindConv:
			if l.Block(i, fl.Bias) == nil {
				return nil, fmt.Errorf("layer %d has no bias, by which REPAIR moves the mean", i)
			}
			layers = append(layers, i)
		case k != fl.KindAdd && !alone(k):
			return nil, fmt.Errorf("REPAIR is for networks of dense layers and convolutions "+
				"without norms, and layer %d is %s", i, k)
		}
	}
	return layers, nil
}

// Moments are the mean and the standard deviation of each neuron of a layer.
type moments struct{ mean, spread fl.Vector }

func newMoments(n int) moments { return moments{make(fl.Vector, n), make(fl.Vector, n)} }

// preactivations returns the moments of what neurons of some layers are before their rectifiers.
func preactivations(w fl.LayerWorker, l *fl.Layout, theta fl.Vector, x fl.Matrix,
	layers []int) []moments {
	list, at := make([]moments, len(layers)), map[int]int{}
	rows := make([]float64, len(layers))
	for j, i := range layers {
		b := l.Block(i, fl.Weight)
		list[j], at[b.Offset] = newMoments(b.Rows), j
	}
	w.LayerInputs(theta, x, func(b *fl.Block, z fl.Matrix) {
		j, ok := at[b.Offset]
		if !ok {
			return
		}
		m, bias := &list[j], l.Block(layers[j], fl.Bias)
		weight := b.Of(theta)
		entering(&l.Layers[layers[j]], z, func(row fl.Vector) {
			rows[j]++
			for r := range weight.Rows {
				// Welford's update: no digits are lost where the mean is large.
				y := fl.Vector(weight.Row(r)).Dot(row) + bias.Of(theta).Data[r]
				d := y - m.mean[r]
				m.mean[r] += d / rows[j]
				m.spread[r] += d * (y - m.mean[r])
			}
		})
	})
	for j := range list {
		for r, sum := range list[j].spread {
			list[j].spread[r] = math.Sqrt(max(0, sum) / rows[j])
		}
	}
	return list
}

// entering shows what a layer multiplies by its weights: the rows of z, and of a convolution, whose
// pixels they are, the window around each pixel that comes out.
func entering(l *fl.Layer, z fl.Matrix, see func(row fl.Vector)) {
	if l.Kind == fl.KindDense {
		for s := range z.Rows {
			see(z.Row(s))
		}
		return
	}
	c := l.In.C
	window := make(fl.Vector, l.KH*l.KW*c)
	for lo := 0; lo < z.Rows; lo += l.In.H * l.In.W {
		for pixel := range l.Out.H * l.Out.W {
			top, left := pixel/l.Out.W*l.Stride-l.Pad, pixel%l.Out.W*l.Stride-l.Pad
			clear(window)
			for k := range l.KH * l.KW {
				y, x := top+k/l.KW, left+k%l.KW
				if y >= 0 && y < l.In.H && x >= 0 && x < l.In.W {
					copy(window[k*c:(k+1)*c], z.Row(lo+y*l.In.W+x))
				}
			}
			see(window)
		}
	}
}
