package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/nn"
)

// The gradient at images in colour is that by differences of every pixel where it lies in the row,
// of scores and of the distance from running statistics.
func TestGradientAtImages(t *testing.T) {
	const rows, weight, h = 5, 0.5, 1e-3
	shape := fl.Shape{Features: 60, Classes: 4, Image: fl.Image{C: 3, H: 4, W: 5}}
	sized, err := Network(func(_ nn.Shape, scores int) []nn.Layer {
		return []nn.Layer{nn.Conv(3, 3, 1, 1), nn.BatchNorm(), nn.Tanh(), nn.Flatten(),
			nn.Dense(scores)}
	}).For(shape)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 1))
	theta, w := sized.Init(rng), sized.Worker().(fl.InputWorker)
	x, slopes := fl.NewMatrix(rows, shape.Features), fl.NewMatrix(rows, shape.Classes)
	fl.Vector(x.Data).AddNoise(1, rng)
	fl.Vector(slopes.Data).AddNoise(1, rng)
	value := func() float64 {
		scores := fl.NewMatrix(rows, shape.Classes)
		w.Scores(scores, theta, x)
		return fl.Vector(scores.Data).Dot(slopes.Data) +
			weight*w.InputGradient(fl.NewMatrix(rows, x.Cols), theta, x, slopes, weight)
	}
	grad := fl.NewMatrix(rows, x.Cols)
	before := slices.Clone(x.Data)
	if d := w.InputGradient(grad, theta, x, slopes, weight); d <= 0 {
		t.Errorf("at a distance of %v", d)
	}
	if !slices.Equal(before, x.Data) {
		t.Error("the rows changed")
	}
	for i, own := range before {
		x.Data[i] = own + h
		slope := value()
		x.Data[i] = own - h
		slope = (slope - value()) / (2 * h)
		x.Data[i] = own
		if math.Abs(slope-grad.Data[i]) > 3e-3 {
			t.Fatalf("pixel %d: %v, by differences %v", i, grad.Data[i], slope)
		}
	}
}
