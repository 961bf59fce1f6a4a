package local

import (
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/privacy"
)

// newSampleNoise declares how a client clips features and what noise it adds to sums of them.
func newSampleNoise(p *fl.Params) privacy.Moments {
	m := privacy.Moments{Classes: true,
		Radius: p.Float("clip", 0, fl.AtLeast(0), "R, largest norm of the features of a sample; "+
			"0: they are not clipped"),
		Noise: p.Float("noise", 0, fl.AtLeast(0), "z, standard deviation of the noise on what is "+
			"sent, in how far one sample moves it at most; 0: there is none"),
	}
	p.Later("clip")
	p.Later("noise")
	if m.Noise > 0 && m.Radius == 0 {
		p.Clash("noise", "clip", "without a radius a sample moves what is sent by any length: "+
			"give clip")
	}
	return m
}

// sampleNoiseOf returns z of resolved parameters.
func sampleNoiseOf(params fl.Resolved) float64 { return params.Float("noise") }

// clippedRows returns features with rows no longer than the radius.
func clippedRows(m privacy.Moments, t *fl.Task) fl.Matrix {
	x := t.Client.Data.X
	if m.Radius == 0 {
		return x
	}
	clipped := fl.Matrix{Rows: x.Rows, Cols: x.Cols, Data: t.Scratch(len(x.Data))}
	copy(clipped.Data, x.Data)
	for i := range clipped.Rows {
		m.Clip(clipped.Row(i))
	}
	return clipped
}

// A noisySum is what is known of some samples after noise.
type noisySum struct {
	count  int
	mean   fl.Vector // within the radius
	square fl.Matrix // Σ xxᵀ
}

// noisySums returns counts and means by class with noise, and the squares of each class where they
// are by class, else those of all in the first one. They are drawn for all classes, also of those
// that a client lacks.
func noisySums(m privacy.Moments, t *fl.Task, x fl.Matrix, sums []noisySum, byClass bool) {
	counts := make(fl.Vector, len(sums))
	for c := range sums {
		sums[c].mean = make(fl.Vector, x.Cols)
		if byClass || c == 0 {
			sums[c].square = fl.NewMatrix(x.Cols, x.Cols)
		}
	}
	for i, c := range t.Client.Data.Y {
		counts[c]++
		sums[c].mean.Add(x.Row(i))
		at := c
		if !byClass {
			at = 0
		}
		for j, v := range x.Row(i) {
			sums[at].square.Row(j).AddScaled(v, x.Row(i))
		}
	}
	m.Counts(counts, t.RNG)
	for c := range sums {
		s := &sums[c]
		m.Sums(s.mean, t.RNG)
		if s.square.Data != nil {
			m.Squares(s.square, t.RNG)
		}
		if s.count = int(math.Round(counts[c])); s.count < 1 {
			s.count = 0
			clear(s.mean)
			continue
		}
		s.mean.Scale(1 / float64(s.count))
		m.Clip(s.mean)
	}
}

// about takes n·μμᵀ from squares.
func about(square fl.Matrix, n int, mean fl.Vector) {
	for j, v := range mean {
		square.Row(j).AddScaled(-float64(n)*v, mean)
	}
}
