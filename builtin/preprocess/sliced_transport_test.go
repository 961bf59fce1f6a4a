package preprocess

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// whole has as many levels as pixels of n images of album, so that no quantile is left out.
func whole(n int, more map[string]any) map[string]any {
	given := map[string]any{"levels": int64(n * 36), "pixels": int64(n * 36)}
	for k, v := range more {
		given[k] = v
	}
	return given
}

// TestTheoremMonotoneCasts: with one basis affine casts of each channel are undone to rounding at any
// number of levels, and monotone ones at as many as there are pixels.
//
//hansa:verifies theorem preprocess/sliced-transport
func TestTheoremMonotoneCasts(t *testing.T) {
	d := album(rand.New(rand.NewPCG(44, 1)), 8, 3)
	few := map[string]any{"bases": int64(1), "levels": int64(7)}
	if gap := meet(t, made(t, SlicedTransport, few), d, cast(d, tinted)); gap > 1e-12 {
		t.Errorf("affine casts: images and their casts differ by %v", gap)
	}
	gamma := cast(d, func(x []float64) {
		for c := range x {
			x[c] = math.Pow(x[c], 0.6+0.5*float64(c))
		}
	})
	all := whole(8, map[string]any{"bases": int64(1)})
	if gap := meet(t, made(t, SlicedTransport, all), d, gamma); gap > 1e-12 {
		t.Errorf("monotone casts: images and their casts differ by %v", gap)
	}
	if gap := meet(t, made(t, Reinhard, nil), d, gamma); gap < 1e-4 {
		t.Errorf("means and deviations undo powers but for %v", gap)
	}
}

// TestTheoremOneBasis: with the basis of the channels alone images are what channel-barycenter makes
// of them by histograms of clients, but for bins.
//
//hansa:verifies equivalence preprocess/sliced-transport
func TestTheoremOneBasis(t *testing.T) {
	rng := rand.New(rand.NewPCG(44, 2))
	clients := []*fl.Dataset{album(rng, 6, 3), cast(album(rng, 6, 3), tinted), album(rng, 6, 3)}
	one, _, _ := aligned(t, made(t, SlicedTransport, whole(6, map[string]any{"bases": int64(1)})),
		clients)
	histogram, _, _ := aligned(t, made(t, ChannelBarycenter, map[string]any{"source": "client"}),
		clients)
	for k := range clients {
		off := fl.Vector(one[k].Data).Distance(histogram[k].Data)
		moved := fl.Vector(one[k].Data).Distance(clients[k].X.Data)
		size := math.Sqrt(float64(len(one[k].Data)))
		if bin := 1.0 / 255; off/size > bin || moved/size < 2*bin {
			t.Errorf("client %d: root mean square off by %v, moved by %v", k, off/size, moved/size)
		}
	}
}

// mixed mixes channels by a symmetric positive matrix; spun turns colours about the grey axis.
func mixed(x []float64) {
	r, g, b := x[0]-0.5, x[1]-0.5, x[2]-0.5
	x[0], x[1], x[2] = 0.5+r+0.4*g, 0.5+g+0.4*r+0.2*b, 0.45+0.8*b+0.2*g
}

func spun(x []float64) {
	const third = math.Pi / 3
	sin, cos := math.Sincos(third)
	mean := (x[0] + x[1] + x[2]) / 3
	r, g, b := x[0], x[1], x[2]
	s := sin / math.Sqrt(3)
	x[0] = mean + cos*(r-mean) + s*(b-g)
	x[1] = mean + cos*(g-mean) + s*(r-b)
	x[2] = mean + cos*(b-mean) + s*(g-r)
}

// apartIn returns the largest difference of quantiles, over directions that no basis of four has.
func apartIn(a, b fl.Matrix, shape fl.Image) (most float64) {
	stack := func(x fl.Matrix) fl.Matrix {
		size := shape.H * shape.W
		all := fl.NewMatrix(shape.C, x.Rows*size)
		for i := range x.Rows {
			for c := range shape.C {
				copy(all.Row(c)[i*size:], planes(x.Row(i), shape).Row(c))
			}
		}
		return all
	}
	p, q := stack(a), stack(b)
	for turn := 50; turn < 60; turn++ {
		base := turned(shape.C, turn)
		x, y := base.project(p), base.project(q)
		for c := range shape.C {
			u, v := quantiles(x.Row(c), 21), quantiles(y.Row(c), 21)
			for k := 1; k < 20; k++ { // without the extremes
				most = max(most, math.Abs(u[k]-v[k]))
			}
		}
	}
	return most
}

// TestTheoremMixingCasts: a cast that mixes or turns channels leaves the law of colours of a client
// like the others' after sliced transport, along directions that were not used, and not after maps
// of each channel.
//
//hansa:verifies theorem preprocess/sliced-transport
func TestTheoremMixingCasts(t *testing.T) {
	d := album(rand.New(rand.NewPCG(44, 3)), 20, 3)
	for name, by := range map[string]func([]float64){"mixed": mixed, "turned": spun} {
		c := cast(d, by)
		for _, x := range c.X.Data {
			if x < 0 || x > 1 {
				t.Fatalf("%s: a pixel of %v", name, x)
			}
		}
		gap := func(p fl.Preprocessor) float64 {
			moved, _, _ := aligned(t, p, []*fl.Dataset{d, c})
			return apartIn(moved[0], moved[1], d.Shape.Image)
		}
		before := apartIn(d.X, c.X, d.Shape.Image)
		channels := gap(made(t, SlicedTransport, map[string]any{"bases": int64(1)}))
		sliced := gap(made(t, SlicedTransport, map[string]any{"bases": int64(8),
			"sweeps": int64(10)}))
		reinhard := gap(made(t, Reinhard, nil))
		t.Logf("%s: %.4f apart before, %.4f by channel, %.4f by Reinhard, %.4f by slices", name,
			before, channels, reinhard, sliced)
		if sliced > channels/3 || sliced > reinhard/3 {
			t.Errorf("%s: %v apart by slices, %v by channel, %v by Reinhard", name, sliced,
				channels, reinhard)
		}
	}
}

// TestLinesAreLookedUp: cells find the same piece as bisection, for numbers on knots, between them and
// beyond, where knots lie close together and far apart.
func TestLinesAreLookedUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(44, 6))
	for range 50 {
		from, to := make(fl.Vector, 40), make(fl.Vector, 40)
		for k := range from {
			from[k], to[k] = math.Pow(rng.Float64(), 6), rng.Float64()
		}
		slices.Sort(from)
		slices.Sort(to)
		copy(from[10:13], []float64{from[10], from[10], from[10]}) // equal quantiles
		m := newLineMap(from, to)
		last := len(m.from) - 1
		xs := append(slices.Clone(m.from), -1, 2, m.from[0]-1e-9, m.from[last]+1e-9)
		for range 200 {
			xs = append(xs, 1.2*math.Pow(rng.Float64(), 6)-0.1)
		}
		for _, x := range xs {
			k, _ := slices.BinarySearch(m.from, x)
			want := 0.0
			switch {
			case k == 0:
				want = m.to[0] + m.slope*(x-m.from[0])
			case k > last:
				want = m.to[last] + m.slope*(x-m.from[last])
			default:
				part := (x - m.from[k-1]) / (m.from[k] - m.from[k-1])
				want = m.to[k-1] + part*(m.to[k]-m.to[k-1])
			}
			if got := m.at(x); got != want {
				t.Fatalf("%v goes to %v, want %v", x, got, want)
			}
		}
	}
}

// TestBasesAreRotations: all bases are orthonormal, and no two the same.
func TestBasesAreRotations(t *testing.T) {
	for channels := 1; channels <= 3; channels++ {
		var seen [][]float64
		for b := range 20 {
			base := fl.Matrix(turned(channels, b))
			for i := range channels {
				for j := range channels {
					want := 0.0
					if i == j {
						want = 1
					}
					if dot := base.Row(i).Dot(base.Row(j)); math.Abs(dot-want) > 1e-14 {
						t.Fatalf("%d channels, basis %d: rows %d, %d: %v", channels, b, i, j, dot)
					}
				}
			}
			if channels == 1 {
				break
			}
			if slices.ContainsFunc(seen, func(x []float64) bool {
				return fl.Vector(x).Distance(base.Data) < 0.02
			}) {
				t.Errorf("%d channels: basis %d was there", channels, b)
			}
			seen = append(seen, base.Data)
		}
	}
}

// TestSlicesSend: BCQ floats, and three of four channels are refused.
func TestSlicesSend(t *testing.T) {
	d := album(rand.New(rand.NewPCG(44, 4)), 3, 3)
	p := made(t, SlicedTransport, nil)
	if sent, err := p.Summarize(&fl.SummaryInput{Data: d}); err != nil || sent.Floats() != 4*3*64 {
		t.Errorf("%d floats, %v", sent.Floats(), err)
	}
	if _, err := p.Shape(album(rand.New(rand.NewPCG(44, 5)), 1, 4).Shape); err == nil {
		t.Error("four channels: no error")
	}
}
