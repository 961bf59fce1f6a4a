package main

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/hansa-fl/hansa/builtin/preprocess"
	"github.com/hansa-fl/hansa/framework/fl"
)

// Images are aligned so many at a time, each by so many of its pixels; λ as the paper has it.
const (
	photographs = 50
	chosen      = 250
	tempered    = 0.01
)

// colours moves images of 32×32 pixels in three channels to common colours: as published, one
// after another and by all processors, by the loops that this is by definition, and to a cloud of
// colours.
func colours() [][]benchmark {
	const unit = "images/s"
	return [][]benchmark{{
		{"colour/align", unit, aligning("published", nil)},
		{"colour/align/naive", unit, func() (task, error) {
			x, rng := photos(), rand.New(rand.NewPCG(5, 6))
			target := drawnMasses(rng)
			return task{worth: photographs, do: func(n int) error {
				for range n {
					for r := range x.Rows {
						alignNaively(x.Row(r), target, rng)
					}
				}
				return nil
			}}, nil
		}},
		{"colour/align/together", unit, aligning("published", together)},
		{"colour/align/cloud", unit, aligning("cloud", nil)},
	}}
}

// photos returns smooth images with some noise.
func photos() fl.Matrix {
	rng := rand.New(rand.NewPCG(3, 4))
	x := fl.NewMatrix(photographs, 3*32*32)
	for r := range x.Rows {
		row, a, b := x.Row(r), 3+5*rng.Float64(), 3+5*rng.Float64()
		for i := range row {
			p := i % 1024
			y := 0.5 + 0.3*math.Sin(float64(p%32)/a)*math.Cos(float64(p/32)/b) +
				0.05*(rng.NormFloat64()+float64(i/1024))
			row[i] = min(1, max(0, y))
		}
	}
	return x
}

// together has all processors do what is spread, as the engine has.
func together(n int, do func(k int) error) error {
	errs := make([]error, runtime.GOMAXPROCS(0))
	var next atomic.Int64
	var wg sync.WaitGroup
	for w := range errs {
		wg.Go(func() {
			for k := next.Add(1) - 1; k < int64(n) && errs[w] == nil; k = next.Add(1) - 1 {
				errs[w] = do(int(k))
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// aligning moves images by a variant of the preprocessor, fitted to these images.
func aligning(variant string, spread fl.Spread) func() (task, error) {
	return func() (task, error) {
		c, err := preprocess.ChannelBarycenter.New(fl.NewParams(map[string]any{
			"variant": variant, "samples": int64(chosen), "regularization": tempered,
		}, fl.Setting{}, nil))
		if err != nil {
			return task{}, err
		}
		shape := fl.Shape{Features: 3 * 32 * 32, Image: fl.Image{C: 3, H: 32, W: 32}}
		own := &fl.Dataset{Shape: shape, X: photos()}
		rng := rand.New(rand.NewPCG(7, 8))
		sent, err := c.Summarize(&fl.SummaryInput{Data: own, RNG: rng, Notes: new(fl.Notes)})
		if err != nil {
			return task{}, err
		}
		upload := fl.Update{Samples: own.Len(), Payload: sent}
		reference, err := c.Combine(&fl.CombineInput{Uploads: []fl.Update{upload}, Shape: shape,
			RNG: rng, Notes: new(fl.Notes)})
		if err != nil {
			return task{}, err
		}
		hands := 1
		if spread != nil {
			hands = runtime.NumCPU()
		}
		return task{worth: photographs, hands: hands, do: func(n int) error {
			for range n {
				_, err := c.Transform(&fl.TransformInput{Own: own, Rows: own.X, Shape: shape,
					Reference: reference, RNG: rng, Notes: new(fl.Notes), Spread: spread})
				if err != nil {
					return err
				}
			}
			return nil
		}}, nil
	}
}

// drawnMasses returns a target as the published one: colours of 1/S with little between them.
func drawnMasses(rng *rand.Rand) [][3]float64 {
	y := make([][3]float64, chosen)
	for j := range y {
		for c := range y[j] {
			y[j][c] = (1 + 0.1*rng.NormFloat64()) / chosen
		}
	}
	return y
}

// alignNaively moves an image by the loops of the definition, as POT has them: ten rounds of
// Sinkhorn's before it looks whether that is enough, and a search through all pixels.
func alignNaively(row fl.Vector, target [][3]float64, rng *rand.Rand) fl.Vector {
	pixel := func(p int) [3]float64 { return [3]float64{row[p], row[1024+p], row[2048+p]} }
	apart := func(a, b [3]float64) (sum float64) {
		for c := range a {
			sum += (a[c] - b[c]) * (a[c] - b[c])
		}
		return sum
	}
	from := make([][3]float64, chosen)
	for i := range from {
		from[i] = pixel(rng.IntN(1024))
	}
	to := projectNaively(from, target, apart)
	moved := make(fl.Vector, len(row))
	for p := range 1024 {
		at, nearest := pixel(p), 0
		for i := range from {
			if apart(at, from[i]) < apart(at, from[nearest]) {
				nearest = i
			}
		}
		for c := range at {
			moved[c*1024+p] = to[nearest][c] + at[c] - from[nearest][c]
		}
	}
	return moved
}

// projectNaively returns where the plan between two clouds takes the points of the first.
func projectNaively(
	from, target [][3]float64, apart func(a, b [3]float64) float64,
) [][3]float64 {
	n := float64(len(from))
	k := fl.NewMatrix(len(from), len(target))
	for i := range from {
		for j := range target {
			k.Row(i)[j] = math.Exp(-apart(from[i], target[j]) / tempered)
		}
	}
	u, v := make(fl.Vector, len(from)), make(fl.Vector, len(target))
	u.Fill(1 / n)
	for range 11 {
		v.Fill(0)
		for i := range from {
			v.AddScaled(u[i], k.Row(i))
		}
		for j := range v {
			v[j] = 1 / n / v[j]
		}
		for i := range from {
			u[i] = 1 / n / k.Row(i).Dot(v)
		}
	}
	to := make([][3]float64, len(from))
	for i := range from {
		for j, y := range target {
			for c := range y {
				to[i][c] += n * u[i] * k.Row(i)[j] * v[j] * y[c]
			}
		}
	}
	return to
}
