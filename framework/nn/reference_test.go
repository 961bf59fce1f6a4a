package nn

import "math"

// A reference computes a net in float64, by naive loops over what Describe says of it.
type reference struct {
	net    *Net
	trains bool
}

// forward returns the scores of n samples.
func (r reference) forward(params, x []float64, n int) []float64 {
	var outs [][]float64
	for _, l := range r.net.infos {
		var ins [][]float64
		for _, from := range l.From {
			if from < 0 {
				ins = append(ins, x)
			} else {
				ins = append(ins, outs[from])
			}
		}
		outs = append(outs, r.layer(l, params, ins, n))
	}
	return outs[len(outs)-1]
}

func (r reference) layer(l LayerInfo, params []float64, ins [][]float64, n int) []float64 {
	block := func(name string) []float64 {
		b := l.Block(name)
		return params[b.Offset : b.Offset+b.Rows*b.Cols]
	}
	x, y := ins[0], make([]float64, n*l.Out.Len())
	switch l.Kind {
	case KindDense:
		referenceDense(y, x, block(Weight), block(Bias), n)
	case KindConv:
		referenceConv(l, y, x, block(Weight), block(Bias))
	case KindMaxPool, KindAvgPool:
		referencePool(l, y, x)
	case KindReLU:
		for i := range y {
			y[i] = max(x[i], 0)
		}
	case KindGroupNorm:
		for b := range n {
			part := x[b*l.In.Len() : (b+1)*l.In.Len()]
			referenceNorm(l, l.Groups, y[b*len(part):], part, block(Scale), block(Offset))
		}
	case KindBatchNorm:
		if r.trains {
			referenceNorm(l, l.In.C, y, x, block(Scale), block(Offset))
			break
		}
		for i := range y {
			c := i % l.In.C
			y[i] = (x[i]-block(Mean)[c])/math.Sqrt(block(Variance)[c]+1e-5)*block(Scale)[c] +
				block(Offset)[c]
		}
	case KindFlatten:
		copy(y, x)
	case KindAdd:
		for i := range y {
			y[i] = x[i] + ins[1][i]
		}
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

func referenceConv(l LayerInfo, y, x, w, bias []float64) {
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

func referencePool(l LayerInfo, y, x []float64) {
	for i := range y {
		c := i % l.Out.C
		col := i / l.Out.C % l.Out.W
		row := i / l.Out.C / l.Out.W % l.Out.H
		b := i / l.Out.Len()
		top, sum := math.Inf(-1), 0.0
		for ky := range l.KH {
			for kx := range l.KW {
				v := x[((b*l.In.H+row*l.Stride+ky)*l.In.W+col*l.Stride+kx)*l.In.C+c]
				top = max(top, v)
				sum += v / float64(l.KH*l.KW)
			}
		}
		y[i] = sum
		if l.Kind == KindMaxPool {
			y[i] = top
		}
	}
}

// referenceNorm normalises groups of channels over all pixels of x.
func referenceNorm(l LayerInfo, groups int, y, x, scale, offset []float64) {
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
	const h = 1e-5
	at := v[i]
	v[i] = at + h
	up := f()
	v[i] = at - h
	down := f()
	v[i] = at
	return (up - down) / (2 * h)
}
