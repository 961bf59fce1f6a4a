package nn

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// referenceSequence computes a layer that sequences have, or an activation.
func referenceSequence(l fl.Layer, y, x []float64, block func(string) []float64, n int) {
	switch l.Kind {
	case fl.KindTanh, fl.KindSigmoid, fl.KindGELU, fl.KindQuickGELU:
		for i, v := range x {
			y[i] = map[fl.LayerKind]float64{fl.KindTanh: math.Tanh(v),
				fl.KindSigmoid:   1 / (1 + math.Exp(-v)),
				fl.KindQuickGELU: v / (1 + math.Exp(-1.702*v)),
				fl.KindGELU:      v * math.Erfc(-v/math.Sqrt2) / 2}[l.Kind]
		}
	case fl.KindPosition:
		for i, v := range x {
			y[i] = v + block(fl.Weight)[i%l.In.Len()]
		}
	case fl.KindLast, fl.KindFirst:
		for i := range y {
			at := i / l.In.C * l.In.Len()
			if l.Kind == fl.KindLast {
				at += l.In.Len() - l.In.C
			}
			y[i] = x[at+i%l.In.C]
		}
	case fl.KindToken:
		for i := range y {
			b, at := i/l.Out.Len(), i%l.Out.Len()-l.In.C
			if y[i] = block(fl.Weight)[i%l.In.C]; at >= 0 {
				y[i] = x[b*l.In.Len()+at]
			}
		}
	case fl.KindLayerNorm:
		for r := range n * l.In.H {
			row := x[r*l.In.C : (r+1)*l.In.C]
			one := l
			one.In.H = 1
			referenceNorm(one, 1, y[r*l.In.C:], row, block(fl.NormScale), block(fl.NormOffset))
		}
	case fl.KindAttention, fl.KindSelf:
		referenceAttention(l, y, x, n)
	case fl.KindLSTM:
		for b := range n {
			referenceLSTM(l, y[b*l.Out.Len():], x[b*l.In.Len():], block)
		}
	case fl.KindGRU:
		for b := range n {
			referenceGRU(l, y[b*l.Out.Len():], x[b*l.In.Len():], block)
		}
	}
}

func referenceAttention(l fl.Layer, y, x []float64, n int) {
	c, d := l.Out.C, l.Out.C/l.Groups
	at := func(b, t, part, k int) float64 { return x[(b*l.In.H+t)*l.In.C+part*c+k] }
	for b := range n {
		for t := range l.In.H {
			for head := range l.Groups {
				weights, sum := make([]float64, t+1), 0.0
				if l.Kind == fl.KindSelf {
					weights = make([]float64, l.In.H)
				}
				for u := range weights {
					dot := 0.0
					for k := head * d; k < (head+1)*d; k++ {
						dot += at(b, t, 0, k) * at(b, u, 1, k)
					}
					weights[u] = math.Exp(dot / math.Sqrt(float64(d)))
					sum += weights[u]
				}
				for k := head * d; k < (head+1)*d; k++ {
					y[(b*l.In.H+t)*c+k] = 0
					for u, w := range weights {
						y[(b*l.In.H+t)*c+k] += w / sum * at(b, u, 2, k)
					}
				}
			}
		}
	}
}

func referenceLSTM(l fl.Layer, y, x []float64, block func(string) []float64) {
	h, in := l.Out.C, l.In.C
	before, cell := make([]float64, h), make([]float64, h)
	sigmoid := func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }
	for t := range l.In.H {
		z := make([]float64, 4*h)
		for k := range z {
			z[k] = block(fl.Bias)[k]
			for i := range in {
				z[k] += block(fl.Weight)[k*in+i] * x[t*in+i]
			}
			for i := range h {
				z[k] += block(fl.Recurrent)[k*h+i] * before[i]
			}
		}
		out := y[t*h:][:h]
		for k := range h {
			cell[k] = sigmoid(z[h+k])*cell[k] + sigmoid(z[k])*math.Tanh(z[2*h+k])
			out[k] = sigmoid(z[3*h+k]) * math.Tanh(cell[k])
		}
		copy(before, out)
	}
}

func referenceGRU(l fl.Layer, y, x []float64, block func(string) []float64) {
	h, in := l.Out.C, l.In.C
	before := make([]float64, h)
	sigmoid := func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }
	for t := range l.In.H {
		a, b := make([]float64, 3*h), make([]float64, 3*h)
		for k := range a {
			a[k] = block(fl.Bias)[k]
			for i := range in {
				a[k] += block(fl.Weight)[k*in+i] * x[t*in+i]
			}
			if k >= 2*h {
				b[k] = block(fl.RecurrentBias)[k-2*h]
			}
			for i := range h {
				b[k] += block(fl.Recurrent)[k*h+i] * before[i]
			}
		}
		out := y[t*h:][:h]
		for k := range h {
			update := sigmoid(a[h+k] + b[h+k])
			state := math.Tanh(a[2*h+k] + sigmoid(a[k]+b[k])*b[2*h+k])
			out[k] = (1-update)*state + update*before[k]
		}
		copy(before, out)
	}
}
