package nn

import (
	"fmt"
	"math"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// referenceDistance compares each channel of a batch with running statistics.
func referenceDistance(l fl.Layer, x, mean, variance []float64) float64 {
	means, variances := 0.0, 0.0
	channels := l.In.C
	count := float64(len(x) / channels)
	for c := range channels {
		m, v := 0.0, 0.0
		for i := c; i < len(x); i += channels {
			m += x[i] / count
		}
		for i := c; i < len(x); i += channels {
			v += (x[i] - m) * (x[i] - m) / count
		}
		means += (m - mean[c]) * (m - mean[c])
		variances += (v - variance[c]) * (v - variance[c])
	}
	return math.Sqrt(means) + math.Sqrt(variances)
}

func referenceUpsample(l fl.Layer, y, x []float64) {
	for i := range y {
		c, col := i%l.Out.C, i/l.Out.C%l.Out.W
		row, b := i/l.Out.C/l.Out.W%l.Out.H, i/l.Out.Len()
		y[i] = x[((b*l.In.H+row*l.In.H/l.Out.H)*l.In.W+col*l.In.W/l.Out.W)*l.In.C+c]
	}
}

// In evaluation the gradient at the batch, and that at parameters, are those by differences of
// upstream·scores and a share of the distance from running statistics, which hold still.
func TestGradientsOfEvaluation(t *testing.T) {
	const weight = 0.7
	for k, c := range layerCases {
		net := mustNew(t, c.in, c.layers...)
		t.Run(fmt.Sprintf("%d-%s", k, net.layout.Layers[0].Kind), func(t *testing.T) {
			rng := newRand(uint64(k))
			params, params64 := randomParams(rng, net)
			x, x64 := normals(rng, c.batch*c.in.Len())
			up, up64 := normals(rng, c.batch*net.out.Len())
			distance := 0.0
			loss := func() (sum float64) {
				distance = 0
				ref := reference{net: net, distance: &distance}
				for i, v := range ref.forward(params64, x64, c.batch) {
					sum += v * up64[i]
				}
				return sum + weight*distance
			}
			tape := net.Tape(c.batch)
			_, got := tape.Match(params, x, c.batch, weight)
			loss()
			if math.Abs(got-distance) > 1e-5*(1+distance) {
				t.Fatalf("distance %v, want %v", got, distance)
			}
			copy(tape.ScoreSlopes(), up)
			grad := make([]float32, len(params))
			dx := append([]float32(nil), tape.BackwardInput(grad, params)...)
			want := make([]float64, len(x))
			for i := range want {
				want[i] = slope(loss, x64, i)
			}
			near(t, "gradient at the input", dx, want, 1e-5)
			want = make([]float64, len(params))
			for i := range want[:net.Trained()] {
				want[i] = slope(loss, params64, i)
			}
			near(t, "gradient at parameters", grad, want, 1e-5)

			tape.Match(params, x, c.batch, weight)
			copy(tape.ScoreSlopes(), up)
			near(t, "without that at parameters", tape.BackwardInput(nil, params), wide(dx), 0)
		})
	}
}

// Match without a weight is Forward, and a batch with the running statistics is at no distance.
func TestMatchedStatistics(t *testing.T) {
	tape := mustNew(t, Shape{1, 1, 1}, BatchNorm()).Tape(4)
	params := []float32{1.5, 0.25, 0.5, 1.25}
	x := []float32{-1, 1, 2, 0}
	if _, off := tape.Match(params, x, 4, 1); off > 1e-6 {
		t.Errorf("at %v", off)
	}
	for i := range tape.ScoreSlopes() {
		tape.ScoreSlopes()[i] = 1
	}
	want := 1.5 / math.Sqrt(1.25+steadier)
	near(t, "gradient", tape.BackwardInput(nil, params), []float64{want, want, want, want}, 1e-6)
	y := append([]float32(nil), tape.Forward(params, x, 4)...)
	scores, off := tape.Match(params, x, 4, 0)
	near(t, "scores", scores, wide(y), 0)
	if off != 0 {
		t.Errorf("a distance of %v that was not asked for", off)
	}
}

// Images that are not unflattened or upsampled say why.
func TestUpsamplingHasToFit(t *testing.T) {
	for _, l := range []Layer{Unflatten(2, 2), Unflatten(0, 3), Upsample(1, 0)} {
		if _, err := New(Shape{1, 1, 6}, l); err == nil {
			t.Errorf("%+v fits", l)
		}
	}
}
