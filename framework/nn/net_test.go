package nn

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

func TestLayoutAndGraph(t *testing.T) {
	net := mustNew(t, Shape{6, 6, 2},
		Conv(4, 3, 1, 1), BatchNorm(), ReLU(), MaxPool(2, 2),
		Residual(Conv(8, 3, 2, 1), ReLU()), Flatten(), Dense(5))
	want := []fl.Block{
		{Name: fl.Weight, Layer: 0, Rows: 4, Cols: 18},
		{Name: fl.Bias, Layer: 0, Rows: 4, Cols: 1, Offset: 72},
		{Name: fl.NormScale, Layer: 1, Rows: 4, Cols: 1, Offset: 76},
		{Name: fl.NormOffset, Layer: 1, Rows: 4, Cols: 1, Offset: 80},
		{Name: fl.Weight, Layer: 2, Rows: 8, Cols: 36, Offset: 84},
		{Name: fl.Bias, Layer: 2, Rows: 8, Cols: 1, Offset: 372},
		{Name: fl.Weight, Layer: 3, Rows: 8, Cols: 4, Offset: 380},
		{Name: fl.Bias, Layer: 3, Rows: 8, Cols: 1, Offset: 412},
		{Name: fl.Weight, Layer: 4, Rows: 5, Cols: 32, Offset: 420},
		{Name: fl.Bias, Layer: 4, Rows: 5, Cols: 1, Offset: 580},
		{Name: fl.RunningMean, Layer: 1, Rows: 4, Cols: 1, Offset: 585},
		{Name: fl.RunningVariance, Layer: 1, Rows: 4, Cols: 1, Offset: 589},
	}
	if got := net.Layout().Blocks; !slices.Equal(got, want) {
		t.Errorf("layout %v, want %v", got, want)
	}
	if net.Params() != 593 || net.Trained() != 585 || net.In() != (Shape{6, 6, 2}) || net.Out() != vector(5) {
		t.Errorf("%d parameters, %d trained, %v to %v", net.Params(), net.Trained(), net.In(), net.Out())
	}
	if want := 2 * (36*72 + 4*288 + 4*32 + 160); net.FLOPs() != want {
		t.Errorf("%d FLOPs, want %d", net.FLOPs(), want)
	}
	type node struct {
		kind  fl.LayerKind
		from  string
		layer int
		out   fl.Image
	}
	var got []node
	for _, l := range net.Layout().Layers {
		from, layer := "", -1
		for _, f := range l.From {
			from += string(rune('a' + f)) // the input is `
		}
		for _, i := range l.Blocks {
			layer = want[i].Layer
		}
		got = append(got, node{l.Kind, from, layer, l.Out})
	}
	graph := []node{
		{fl.KindConv, "`", 0, Shape{6, 6, 4}.image()}, {fl.KindBatchNorm, "a", 1, Shape{6, 6, 4}.image()},
		{fl.KindReLU, "b", -1, Shape{6, 6, 4}.image()}, {fl.KindMaxPool, "c", -1, Shape{3, 3, 4}.image()},
		{fl.KindConv, "d", 2, Shape{2, 2, 8}.image()}, {fl.KindReLU, "e", -1, Shape{2, 2, 8}.image()},
		{fl.KindConv, "d", 3, Shape{2, 2, 8}.image()}, {fl.KindAdd, "fg", -1, Shape{2, 2, 8}.image()},
		{fl.KindFlatten, "h", -1, vector(32).image()}, {fl.KindDense, "i", 4, vector(5).image()},
	}
	if !slices.Equal(got, graph) {
		t.Errorf("graph %v, want %v", got, graph)
	}
}

func TestErrorsNameTheLayerAndBothShapes(t *testing.T) {
	image := Shape{4, 6, 3}
	for _, c := range []struct {
		in     Shape
		layers []Layer
		want   string
	}{
		{Shape{0, 1, 1}, []Layer{ReLU()}, "input 0×1×1"},
		{image, nil, "at least one layer"},
		{image, []Layer{ReLU(), Dense(5)}, "layer 1: dense: turns vectors 1×1×n into vectors, not 4×6×3 into 1×1×5"},
		{vector(3), []Layer{Dense(0)}, "layer 0: dense"},
		{image, []Layer{Conv(2, 5, 1, 0)}, "layer 0: conv: window 5×5, stride 1, padding 0 does not turn 4×6×3 into"},
		{image, []Layer{Conv(0, 3, 1, 0)}, "into 2×4×0"},
		{image, []Layer{Conv(2, 3, 0, 0)}, "stride 0"},
		{image, []Layer{Conv(2, 3, 1, -1)}, "padding -1"},
		{image, []Layer{MaxPool(5, 1)}, "max-pool: window 5×5, stride 1, padding 0 does not fit 4×6×3"},
		{Shape{20, 20, 1}, []Layer{MaxPool(17, 1)}, "more than 256 pixels"},
		{image, []Layer{averaging(0, 1)}, "avg-pool: window 0×0"},
		{image, []Layer{AvgPoolTo(5)}, "avg-pool: a grid of 5×5 does not fit 4×6×3"},
		{image, []Layer{AvgPoolTo(0)}, "avg-pool: a grid of 0×0"},
		{image, []Layer{GroupNorm(2)}, "group-norm: 2 groups do not divide the channels of 4×6×3"},
		{image, []Layer{GroupNorm(0)}, "group-norm: 0 groups"},
		{image, []Layer{Residual()}, "residual: has no layers"},
		{image, []Layer{Residual(ReLU(), Dense(2))}, "layer 0: residual: layer 1: dense"},
		{image, []Layer{Residual(Conv(3, 3, 1, 0))}, "no 1×1 convolution projects 4×6×3 to 2×4×3"},
	} {
		_, err := New(c.in, c.layers...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

func TestInitIsUniformWithinOneOverTheRootOfIncoming(t *testing.T) {
	net := mustNew(t, Shape{8, 8, 4}, Conv(64, 3, 1, 1), BatchNorm(), Flatten(), Dense(30))
	params := net.Init(newRand(1))
	if !slices.Equal(params, net.Init(newRand(1))) {
		t.Error("the same generator gave other parameters")
	}
	if slices.Equal(params, net.Init(newRand(2))) {
		t.Error("another generator gave the same parameters")
	}
	for k, l := range net.Layout().Layers {
		for _, i := range l.Blocks {
			b := net.Layout().Blocks[i]
			v := part(params, &b)
			switch b.Name {
			case fl.Weight:
				checkUniform(t, v, 1/math.Sqrt(float64(b.Cols)))
			case fl.Bias:
				bound := 1 / math.Sqrt(float64(net.Layout().Block(k, fl.Weight).Cols))
				if m := max(slices.Max(v), -slices.Min(v)); float64(m) > bound || m == 0 {
					t.Errorf("bias up to %v, bound %v", m, bound)
				}
			default:
				want := float32(0)
				if b.Name == fl.NormScale || b.Name == fl.RunningVariance {
					want = 1
				}
				if slices.Min(v) != want || slices.Max(v) != want {
					t.Errorf("%s is not all %v", b.Name, want)
				}
			}
		}
	}
}

// checkUniform compares moments with those of the uniform distribution within ±bound: the
// bounds on them are five standard errors.
func checkUniform(t *testing.T, v []float32, bound float64) {
	t.Helper()
	mean, square, n := 0.0, 0.0, float64(len(v))
	for _, x := range v {
		mean += float64(x) / n
		square += float64(x) * float64(x) / n
	}
	if math.Abs(mean) > 5*bound/math.Sqrt(3*n) {
		t.Errorf("mean %v of ±%v", mean, bound)
	}
	variance := bound * bound / 3
	if math.Abs(square-variance) > 5*variance*math.Sqrt(0.8/n) {
		t.Errorf("variance %v, want %v", square, variance)
	}
	if m := max(slices.Max(v), -slices.Min(v)); float64(m) > bound*1.0000001 {
		t.Errorf("up to %v, bound %v", m, bound)
	}
}

func TestGatherTurnsImagesOnce(t *testing.T) {
	in := Shape{2, 3, 2}
	tape := mustNew(t, in, ReLU()).Tape(1)
	x64 := make([]float64, 3*in.Len())
	for i := range x64 {
		x64[i] = float64(i)
	}
	rows := []int{2, 0}
	want := narrow(append(last(x64[24:], in), last(x64[:12], in)...))
	if got := tape.Gather(x64, rows); !slices.Equal(got, want) {
		t.Errorf("rows 2 and 0: %v, want %v", got, want)
	}
	if got := tape.Gather(x64, nil); !slices.Equal(got, narrow(last(x64, in))) {
		t.Errorf("all rows: %v", got)
	}
	if got := tape.Gather(x64, []int{}); len(got) != 0 {
		t.Errorf("no rows: %v", got)
	}
	grey := mustNew(t, Shape{3, 4, 1}, ReLU()).Tape(1)
	if got := grey.Gather(x64, []int{1}); !slices.Equal(got, narrow(x64[12:24])) {
		t.Errorf("one channel: %v", got)
	}
}

// Whatever the sides, the windows of a grid make grid×grid pixels and leave none of the image out.
func TestGridsCoverImages(t *testing.T) {
	for h := 1; h <= 12; h++ {
		for w := 1; w <= 12; w++ {
			for grid := 1; grid <= min(h, w); grid++ {
				net := mustNew(t, Shape{h, w, 1}, AvgPoolTo(grid))
				l := net.Layout().Layers[0]
				last := (grid - 1) * l.Stride
				if net.Out() != (Shape{grid, grid, 1}) || last+l.KH != h || last+l.KW != w ||
					l.Stride > l.KH || l.Stride > l.KW {
					t.Errorf("%d×%d pixels to %v by %d×%d windows, step %d", h, w, net.Out(),
						l.KH, l.KW, l.Stride)
				}
			}
		}
	}
}
