package nn

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A reference computes a net in float64, by naive loops over what Layout says of it.
type reference struct {
	net      *Net
	trains   bool
	distance *float64 // of the moments of a batch from running statistics is added; nil: it is not
}

// forward returns the scores of n samples.
func (r reference) forward(params, x []float64, n int) []float64 {
	var outs [][]float64
	for k, l := range r.net.layout.Layers {
		var ins [][]float64
		for _, from := range l.From {
			if from < 0 {
				ins = append(ins, x)
			} else {
				ins = append(ins, outs[from])
			}
		}
		outs = append(outs, r.layer(k, params, ins, n))
	}
	return outs[len(outs)-1]
}

func (r reference) layer(k int, params []float64, ins [][]float64, n int) []float64 {
	l := r.net.layout.Layers[k]
	block := func(name string) []float64 {
		b := r.net.layout.Block(k, name)
		if b == nil { // a convolution without a bias
			return make([]float64, l.Out.C)
		}
		return params[b.Offset : b.Offset+b.Rows*b.Cols]
	}
	x, y := ins[0], make([]float64, n*l.Out.Len())
	switch l.Kind {
	case fl.KindDense:
		referenceDense(y, x, block(fl.Weight), block(fl.Bias), n)
	case fl.KindConv:
		referenceConv(l, y, x, block(fl.Weight), block(fl.Bias))
	case fl.KindDepthwise:
		referenceDepthwise(l, y, x, block(fl.Weight))
	case fl.KindReLU6:
		for i := range y {
			y[i] = min(max(x[i], 0), 6)
		}
	case fl.KindMaxPool, fl.KindAvgPool:
		referencePool(l, y, x)
	case fl.KindReLU:
		for i := range y {
			y[i] = max(x[i], 0)
		}
	case fl.KindGroupNorm:
		for b := range n {
			part := x[b*l.In.Len() : (b+1)*l.In.Len()]
			referenceNorm(l, l.Groups, y[b*len(part):], part, block(fl.NormScale),
				block(fl.NormOffset))
		}
	case fl.KindBatchNorm:
		if r.trains {
			referenceNorm(l, l.In.C, y, x, block(fl.NormScale), block(fl.NormOffset))
			break
		}
		for i := range y {
			c := i % l.In.C
			deviation := math.Sqrt(block(fl.RunningVariance)[c] + 1e-5)
			y[i] = (x[i]-block(fl.RunningMean)[c])/deviation*block(fl.NormScale)[c] +
				block(fl.NormOffset)[c]
		}
		if r.distance != nil {
			*r.distance += referenceDistance(l, x, block(fl.RunningMean), block(fl.RunningVariance))
		}
	case fl.KindUpsample:
		referenceUpsample(l, y, x)
	case fl.KindLeakyReLU:
		for i := range y {
			y[i] = max(x[i], x[i]/5)
		}
	case fl.KindFlatten, fl.KindDropout, fl.KindSequence, fl.KindUnflatten:
		copy(y, x)
	case fl.KindSubsample:
		referenceSubsample(l, y, x)
	case fl.KindConcat:
		referenceConcat(r.net.layout, k, y, ins)
	case fl.KindAdd:
		for i := range y {
			y[i] = x[i] + ins[1][i]
		}
	default:
		referenceSequence(l, y, x, block, n)
	}
	return y
}

func referenceDense(y, x, w, bias []float64, n int) {
	out, in := len(bias), len(w)/len(bias)
	for b := range n {
		for o := range out {
			y[b*out+o] = bias[o]
			for i := range in {
				y[b*out+o] += w[o*in+i] * x[b*in+i]
			}
		}
	}
}

func referenceDepthwise(l fl.Layer, y, x, w []float64) {
	for i := range y {
		c := i % l.Out.C
		col := i / l.Out.C % l.Out.W
		row := i / l.Out.C / l.Out.W % l.Out.H
		b := i / l.Out.Len()
		for k := range l.KH * l.KW {
			yy, xx := row*l.Stride-l.Pad+k/l.KW, col*l.Stride-l.Pad+k%l.KW
			if yy >= 0 && yy < l.In.H && xx >= 0 && xx < l.In.W {
				y[i] += w[c*l.KH*l.KW+k] * x[((b*l.In.H+yy)*l.In.W+xx)*l.In.C+c]
			}
		}
	}
}

func referenceConv(l fl.Layer, y, x, w, bias []float64) {
	for i := range y {
		o := i % l.Out.C
		col := i / l.Out.C % l.Out.W
		row := i / l.Out.C / l.Out.W % l.Out.H
		b := i / l.Out.Len()
		sum := bias[o]
		for ky := range l.KH {
			for kx := range l.KW {
				yy, xx := row*l.Stride-l.Pad+ky, col*l.Stride-l.Pad+kx
				if yy < 0 || yy >= l.In.H || xx < 0 || xx >= l.In.W {
					continue
				}
				for c := range l.In.C {
					sum += w[((o*l.KH+ky)*l.KW+kx)*l.In.C+c] * x[((b*l.In.H+yy)*l.In.W+xx)*l.In.C+c]
				}
			}
		}
		y[i] = sum
	}
}

func referenceSubsample(l fl.Layer, y, x []float64) {
	for i := range y {
		c := i%l.Out.C - l.Pad
		col, row := i/l.Out.C%l.Out.W, i/l.Out.C/l.Out.W%l.Out.H
		if b := i / l.Out.Len(); c >= 0 && c < l.In.C {
			y[i] = x[((b*l.In.H+row*l.Stride)*l.In.W+col*l.Stride)*l.In.C+c]
		}
	}
}

func referenceConcat(layout fl.Layout, k int, y []float64, ins [][]float64) {
	l, at := layout.Layers[k], 0
	for j, from := range l.From {
		wide := layout.Layers[from].Out.C
		for i, v := range ins[j] {
			y[i/wide*l.Out.C+at+i%wide] = v
		}
		at += wide
	}
}

func referencePool(l fl.Layer, y, x []float64) {
	for i := range y {
		c := i % l.Out.C
		col := i / l.Out.C % l.Out.W
		row := i / l.Out.C / l.Out.W % l.Out.H
		b := i / l.Out.Len()
		top, sum := math.Inf(-1), 0.0
		for ky := range l.KH {
			for kx := range l.KW {
				yy, xx := row*l.Stride-l.Pad+ky, col*l.Stride-l.Pad+kx
				if min(yy, xx) < 0 || yy >= l.In.H || xx >= l.In.W {
					continue
				}
				v := x[((b*l.In.H+yy)*l.In.W+xx)*l.In.C+c]
				top = max(top, v)
				sum += v / float64(l.KH*l.KW)
			}
		}
		y[i] = sum
		if l.Kind == fl.KindMaxPool {
			y[i] = top
		}
	}
}

// referenceNorm normalises groups of channels over all pixels of x.
func referenceNorm(l fl.Layer, groups int, y, x, scale, offset []float64) {
	each := l.In.C / groups
	for g := range groups {
		sum, square, count := 0.0, 0.0, 0.0
		for i, v := range x {
			if i%l.In.C/each == g {
				sum += v
				count++
			}
		}
		mean := sum / count
		for i, v := range x {
			if i%l.In.C/each == g {
				square += (v - mean) * (v - mean)
			}
		}
		for i, v := range x {
			if c := i % l.In.C; c/each == g {
				y[i] = (v-mean)/math.Sqrt(square/count+1e-5)*scale[c] + offset[c]
			}
		}
	}
}

// crossEntropy is the mean over the batch of −log softmax(scores)[y].
func crossEntropy(scores []float64, y []int) float64 {
	loss, classes := 0.0, len(scores)/len(y)
	for k, own := range y {
		sum := 0.0
		for _, v := range scores[k*classes : (k+1)*classes] {
			sum += math.Exp(v - scores[k*classes+own])
		}
		loss += math.Log(sum) / float64(len(y))
	}
	return loss
}

// slope returns the derivative of f by v[i], by central differences.
func slope(f func() float64, v []float64, i int) float64 {
	const h = 1e-6 // so short that few rectifiers bend on the way
	at := v[i]
	v[i] = at + h
	up := f()
	v[i] = at - h
	down := f()
	v[i] = at
	return (up - down) / (2 * h)
}
