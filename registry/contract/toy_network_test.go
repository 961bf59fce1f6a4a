package contract

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// The network of fixtures is trained along the slopes of its loss, with a penalty and without.
func TestToyNetworkDerives(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	shape := fl.Shape{Features: 5, Classes: 3}
	d, _ := newData(shape, []int{9}, rng)
	m := newToyNetwork(shape)
	w, theta := m.Worker().(fl.GuidedWorker), m.Init(rng)
	beside := fl.NewMatrix(d.Len(), hidden)
	for _, g := range []*fl.Guidance{{}, {Penalty: away{}, Beside: [2]fl.Matrix{beside}}} {
		for _, rows := range [][]int{nil, {2, 7, 1}} {
			grad, trash := make(fl.Vector, len(theta)), make(fl.Vector, len(theta))
			loss := w.GuidedGradient(grad, theta, d, rows, g)
			if g.Penalty == nil && rows == nil && math.Abs(loss-w.Loss(theta, d)) > 1e-12 {
				t.Errorf("loss %v, want %v", loss, w.Loss(theta, d))
			}
			for i := range theta {
				const h = 1e-6
				up, down := theta.Clone(), theta.Clone()
				up[i] += h
				down[i] -= h
				slope := (w.GuidedGradient(trash, up, d, rows, g) -
					w.GuidedGradient(trash, down, d, rows, g)) / (2 * h)
				if math.Abs(slope-grad[i]) > 1e-6 {
					t.Fatalf("element %d: %v, the slope is %v", i, grad[i], slope)
				}
			}
		}
	}
}
