package nn

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// referenceSequence computes a layer that sequences have, or an activation.
func referenceSequence(l fl.Layer, y, x []float64, block func(string) []float64, n int) {
	switch l.Kind {
	case fl.KindTanh, fl.KindSigmoid, fl.KindGELU:
		for i, v := range x {
			y[i] = map[fl.LayerKind]float64{fl.KindTanh: math.Tanh(v),
				fl.KindSigmoid: 1 / (1 + math.Exp(-v)),
				fl.KindGELU:    v * math.Erfc(-v/math.Sqrt2) / 2}[l.Kind]
		}
	case fl.KindPosition:
		for i, v := range x {
			y[i] = v + block(fl.Weight)[i%l.In.Len()]
		}
	case fl.KindLast:
		for i := range y {
			y[i] = x[(i/l.In.C+1)*l.In.Len()-l.In.C+i%l.In.C]
		}
	case fl.KindLayerNorm:
		for r := range n * l.In.H {
			row := x[r*l.In.C : (r+1)*l.In.C]
			one := l
			one.In.H = 1
			referenceNorm(one, 1, y[r*l.In.C:], row, block(fl.NormScale), block(fl.NormOffset))
		}
	case fl.KindAttention:
		referenceAttention(l, y, x, n)
	case fl.KindLSTM:
		for b := range n {
			referenceLSTM(l, y[b*l.Out.Len():], x[b*l.In.Len():], block)
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
