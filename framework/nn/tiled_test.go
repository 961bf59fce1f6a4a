package nn

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// forced is a convolution that is done in a way that the rule might not choose.
type forced struct {
	convolution
	way func(c conv) op
}

func (l forced) fit(b *builder) error {
	in := b.shape
	if err := l.convolution.fit(b); err != nil {
		return err
	}
	p := patches{window: l.window, in: in, h: b.shape.H, w: b.shape.W}
	b.ops[len(b.ops)-2] = l.way(conv{p, b.blocks[len(b.blocks)-2]})
	return nil
}

// inTiles makes a convolution one in tiles.
func inTiles(c conv) op {
	out := Shape{c.h, c.w, c.weight.Rows}
	return tiled{in: c.in, out: out, r: c.kh, pad: c.pad, weight: c.weight}
}

// inPairs makes a convolution one in pairs.
func inPairs(c conv) op { return pairs{c.patches, c.weight} }

func TestConvolutionsInPairsAreConvolutions(t *testing.T) {
	for k, c := range []struct {
		in Shape
		l  convolution
	}{
		{Shape{2, 2, 3}, convolution{out: 4, window: window{3, 3, 1, 1}}},
		{Shape{1, 1, 2}, convolution{out: 3, window: window{3, 3, 1, 1}}},
		{Shape{3, 5, 2}, convolution{out: 3, window: window{3, 2, 1, 0}}},
		{Shape{5, 4, 3}, convolution{out: 2, window: window{3, 3, 2, 1}}},
		{Shape{2, 3, 2}, convolution{out: 2, window: window{2, 2, 3, 2}}},
		{Shape{2, 2, 40}, convolution{out: 36, window: window{5, 5, 1, 2}}},
	} {
		const batch = 3
		net := mustNew(t, c.in, forced{c.l, inPairs})
		plain := mustNew(t, c.in, forced{c.l, func(c conv) op { return c }})
		rng := newRand(uint64(k))
		params, _ := randomParams(rng, net)
		x, _ := normals(rng, batch*c.in.Len())
		up, _ := normals(rng, batch*net.out.Len())
		y, grad, dx := gradients(net, params, x, up, batch)
		wantY, wantGrad, wantX := gradients(plain, params, x, up, batch)
		near(t, "output", y, wide(wantY), 1e-6)
		near(t, "gradient at parameters", grad, wide(wantGrad), 1e-6)
		near(t, "gradient at the input", dx, wide(wantX), 1e-6)
	}
}

// tiledCases are convolutions whose tiles reach over the image, whose channels make more than
// one block, and whose tiles make more than one group.
var tiledCases = []struct {
	in         Shape
	out, r     int
	pad, batch int
}{
	{Shape{4, 4, 1}, 1, 3, 1, 1},
	{Shape{8, 8, 3}, 5, 3, 1, 2},
	{Shape{5, 7, 4}, 3, 3, 1, 3},
	{Shape{9, 6, 17}, 9, 3, 0, 2},
	{Shape{3, 3, 2}, 2, 3, 2, 2},
	{Shape{1, 2, 3}, 2, 3, 1, 2},
	{Shape{14, 14, 4}, 6, 5, 0, 2},
	{Shape{7, 5, 3}, 18, 5, 2, 2},
	{Shape{5, 6, 2}, 3, 5, 4, 1},
	{Shape{6, 5, 2}, 3, 2, 1, 2},
	{Shape{7, 6, 3}, 2, 4, 2, 2},
	{Shape{4, 4, 2*blockDeep + 3}, blockWide + 1, 3, 1, 2},
	{Shape{4, 6, blockWide + 2}, blockDeep + 5, 5, 2, 1},
	{Shape{30, 45, 2}, 3, 3, 1, 4},
	{Shape{4, 4, 512}, 2, 3, 1, 2},
}

// Roundings that a term passes on its way besides those of a sum of products: at most 3 in each
// of two transforms by powers, 4 where they are transposed, 5 by Q, of which 2 are those of its
// numbers, and 13 by its transpose, which tiles that overlap pass three times, and as many
// bands. The sum rounds once per product, its blocks and groups at most once per ten.
const (
	forwardRoundings = 2*5 + 2*3 + 2*4
	weightsRoundings = 2*5 + 2*3 + 2*4
	inputRoundings   = 2*3 + 2*3 + 2*13 + 3
)

// within fails unless got is want but for so many roundings, relative to sizes (N. J. Higham.
// Accuracy and Stability of Numerical Algorithms. 2nd ed. SIAM 2002, Lemma 3.1), and but for
// 1e-5 of the largest.
func within(t *testing.T, what string, got []float32, want, sizes []float64, roundings int) {
	t.Helper()
	near(t, what, got, want, 1e-5)
	for i, v := range want {
		bound := float64(roundings) * 0x1p-24 * 1.001 * sizes[i]
		if !(math.Abs(float64(got[i])-v) <= bound) {
			t.Fatalf("%s: element %d of %d is %v, want %v: the bound is %v", what, i, len(want),
				got[i], v, bound)
		}
	}
}

func TestTiledConvolutionsAreConvolutions(t *testing.T) {
	for k, c := range tiledCases {
		net := mustNew(t, c.in, forced{convolution{out: c.out, window: window{c.r, c.r, 1, c.pad}}, inTiles})
		rng := newRand(uint64(k))
		params, params64 := randomParams(rng, net)
		clear(params[c.out*c.r*c.r*c.in.C:]) // without bias
		x, x64 := normals(rng, c.batch*c.in.Len())
		up, up64 := normals(rng, c.batch*net.out.Len())
		y, grad, dx := gradients(net, params, x, up, c.batch)

		ref := naive{c.r, c.pad, c.in, net.out, x64, params64[:c.out*c.r*c.r*c.in.C], c.batch}
		wantY, wantX, wantW := make([]float64, len(y)), make([]float64, len(x)), make([]float64, len(ref.w))
		ref.each(func(o, k, i int) {
			wantY[o] += ref.w[k] * x64[i]
			wantX[i] += ref.w[k] * up64[o]
			wantW[k] += x64[i] * up64[o]
		})
		name := fmt.Sprintf("%v to %v, %d×%[3]d", c.in, net.out, c.r)
		m := points + 1 - c.r
		tiles := c.batch * ((net.out.H + m - 1) / m) * ((net.out.W + m - 1) / m)
		sum := func(products int) int { return products + products/10 + 1 }
		sizes, back, slopes := ref.sizes(up64)
		within(t, name+": output", y, wantY, sizes, forwardRoundings+sum(c.in.C))
		within(t, name+": weights", grad[:len(wantW)], wantW, slopes, weightsRoundings+sum(tiles))
		within(t, name+": input", dx, wantX, back, inputRoundings+sum(c.out))
	}
}

// TestTilesOfFewerSamplesFit: a smaller batch may be cut into larger groups of bands.
func TestTilesOfFewerSamplesFit(t *testing.T) {
	const most = 21
	l := convolution{out: 100, window: window{3, 3, 1, 1}}
	net := mustNew(t, Shape{16, 12, 60}, forced{l, inTiles})
	rng := newRand(1)
	params, grad := net.Init(rng), make([]float32, net.Params())
	x, _ := normals(rng, most*net.in.Len())
	up, _ := normals(rng, most*net.out.Len())
	tape := net.Tape(most)
	for _, n := range []int{10, 1} {
		y := tape.Train(params, x, n)
		copy(tape.slopes, up[:len(y)])
		tape.Backward(grad, params)
		wantY, wantGrad, _ := gradients(net, params, x, up[:len(y)], n)
		if !slices.Equal(y, wantY) || !slices.Equal(grad, wantGrad) {
			t.Fatalf("%d samples on a tape for %d differ from %[1]d alone", n, most)
		}
	}
}

// TestTiledConvolutionsRoundLittle: what the documentation says of the error for numbers as
// they are in training.
func TestTiledConvolutionsRoundLittle(t *testing.T) {
	for _, r := range []int{3, 5} {
		in := Shape{4, 4, 128}
		net := mustNew(t, in, forced{convolution{out: 32, window: window{r, r, 1, r / 2}}, inTiles})
		rng := newRand(uint64(r))
		params, params64 := randomParams(rng, net)
		x, x64 := normals(rng, 2*in.Len())
		y := net.Tape(2).Train(params, x, 2)
		square, off, most, top := 0.0, 0.0, 0.0, 0.0
		for i, want := range (reference{net: net, trains: true}).forward(params64, x64, 2) {
			e := math.Abs(float64(y[i]) - want)
			square, off = square+want*want, off+e*e
			most, top = max(most, e), max(top, math.Abs(want))
		}
		if deviation := math.Sqrt(off / square); deviation > 1.5e-6 || most > 3e-6*top {
			t.Errorf("%d×%[1]d: errors of %v of the deviation, at most %v of the largest",
				r, deviation, most/top)
		}
	}
}

func TestTheRulesForConvolutions(t *testing.T) {
	for _, c := range []struct {
		in   Shape
		l    convolution
		want string
	}{
		{Shape{32, 32, 64}, convolution{out: 128, window: window{3, 3, 1, 1}}, "nn.tiled"},
		{Shape{4, 4, 512}, convolution{out: 512, window: window{3, 3, 1, 1}}, "nn.tiled"},
		{Shape{14, 14, 64}, convolution{out: 128, window: window{5, 5, 1, 0}}, "nn.tiled"},
		{Shape{2, 2, 512}, convolution{out: 512, window: window{3, 3, 1, 1}}, "nn.pairs"},
		{Shape{1, 1, 32}, convolution{out: 32, window: window{3, 3, 1, 1}}, "nn.pairs"},
		{Shape{2, 2, 31}, convolution{out: 512, window: window{3, 3, 1, 1}}, "nn.conv"},
		{Shape{32, 32, 3}, convolution{out: 64, window: window{3, 3, 1, 1}}, "nn.conv"},
		{Shape{32, 32, 64}, convolution{out: 64, window: window{3, 3, 2, 1}}, "nn.conv"},
		{Shape{32, 32, 64}, convolution{out: 64, window: window{1, 1, 1, 0}}, "nn.conv"},
		{Shape{32, 32, 64}, convolution{out: 64, window: window{3, 5, 1, 0}}, "nn.conv"},
		{Shape{32, 32, 64}, convolution{out: 64, window: window{3, 3, 1, 3}}, "nn.conv"},
	} {
		h, w, _ := c.l.over(c.in)
		got := fmt.Sprintf("%T", c.l.op(c.in, Shape{h, w, c.l.out}, &fl.Block{Rows: c.l.out}))
		if got != c.want {
			t.Errorf("%v of %v to %d channels: %v", c.l.window, c.in, c.l.out, got)
		}
	}
}
