package nn

import (
	"fmt"
	"math"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// forced is a convolution that is done in a way that the rule might not choose.
type forced struct {
	convolution
	way func(c conv) op
}

func (l forced) fit(b *builder) error {
	if err := l.convolution.fit(b); err != nil {
		return err
	}
	at := &b.ops[len(b.ops)-2]
	if c, ok := (*at).(conv); ok {
		*at = l.way(c)
	}
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
		{Shape{2, 2, 3}, convolution{4, window{3, 3, 1, 1}}},
		{Shape{1, 1, 2}, convolution{3, window{3, 3, 1, 1}}},
		{Shape{3, 5, 2}, convolution{3, window{3, 2, 1, 0}}},
		{Shape{5, 4, 3}, convolution{2, window{3, 3, 2, 1}}},
		{Shape{2, 3, 2}, convolution{2, window{2, 2, 3, 2}}},
		{Shape{2, 2, 40}, convolution{36, window{5, 5, 1, 2}}},
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

// products returns the matrices of Toom and Cook's algorithm for windows of r, by their
// definition: P(m), P(r) and Q.
func products(r int) (left, weights, q [][]float64) {
	at := []float64{0, 5. / 8, -5. / 8, 3. / 2, -3. / 2}
	evaluate := func(terms int) (rows [][]float64) {
		for _, x := range at {
			row := make([]float64, terms)
			for k := range row {
				row[k] = math.Pow(x, float64(k))
			}
			rows = append(rows, row)
		}
		top := make([]float64, terms)
		top[terms-1] = 1
		return append(rows, top)
	}
	for i := range points {
		poly, scale := []float64{1}, 1.0 // of x − each point but this one
		for j, x := range at {
			if j == i {
				continue
			}
			next := make([]float64, len(poly)+1)
			for k, c := range poly {
				next[k] -= x * c
				next[k+1] += c
			}
			poly = next
			if i < len(at) {
				scale *= at[i] - x
			}
		}
		row := make([]float64, points)
		for k, c := range poly {
			row[k] = c / scale
		}
		q = append(q, row)
	}
	return evaluate(points + 1 - r), evaluate(r), q
}

// A square is a matrix with a number for each pair of points, or of pixels.
type square [points][points]float64

// sandwich returns |a|·x·|a|ᵀ, for |a|ᵀ instead if turned.
func sandwich(a [][]float64, x *square, turned bool) (y square) {
	rows, cols := len(a), len(a[0])
	get := func(i, k int) float64 { return math.Abs(a[i][k]) }
	if turned {
		rows, cols = cols, rows
		get = func(i, k int) float64 { return math.Abs(a[k][i]) }
	}
	var half square
	for i := range rows {
		for j := range cols {
			for k := range cols {
				half[i][j] += get(i, k) * x[k][j]
			}
		}
	}
	for i := range rows {
		for j := range rows {
			for k := range cols {
				y[i][j] += half[i][k] * get(j, k)
			}
		}
	}
	return y
}

// A naive convolution is done by its definition, and forms the sums of absolute values by
// which its rounding is bounded.
type naive struct {
	r, pad  int
	in, out Shape
	x, w    []float64
	n       int
}

// each visits all products: of element i of the input and weight k for element o of the
// output.
func (c *naive) each(visit func(o, k, i int)) {
	for o := range c.n * c.out.Len() {
		ch, col := o%c.out.C, o/c.out.C%c.out.W
		row, b := o/c.out.C/c.out.W%c.out.H, o/c.out.Len()
		for tap := range c.r * c.r {
			y, x := row-c.pad+tap/c.r, col-c.pad+tap%c.r
			if y < 0 || y >= c.in.H || x < 0 || x >= c.in.W {
				continue
			}
			for i := range c.in.C {
				visit(o, (ch*c.r*c.r+tap)*c.in.C+i, ((b*c.in.H+y)*c.in.W+x)*c.in.C+i)
			}
		}
	}
}

// tile returns the absolute values of a channel of a square of pixels of an image.
func tile(v []float64, s Shape, b, top, left, side, c int) (t square) {
	for i := range side {
		for j := range side {
			if y, x := top+i, left+j; y >= 0 && y < s.H && x >= 0 && x < s.W {
				t[i][j] = math.Abs(v[((b*s.H+y)*s.W+x)*s.C+c])
			}
		}
	}
	return t
}

// eachTile calls a function with the tiles of a sample: of what windows see, lifted, and where
// the tile of what they yield begins.
func (c *naive) eachTile(q [][]float64, visit func(b, top, left, ch int, seen *square)) {
	m := points + 1 - c.r
	for b := range c.n {
		for top := 0; top < c.out.H; top += m {
			for left := 0; left < c.out.W; left += m {
				for ch := range c.in.C {
					t := tile(c.x, c.in, b, top-c.pad, left-c.pad, points, ch)
					seen := sandwich(q, &t, false)
					visit(b, top, left, ch, &seen)
				}
			}
		}
	}
}

// kernelOf returns the absolute values of the weights between two channels, lifted.
func (c *naive) kernelOf(weights [][]float64, o, i int) square {
	t := tile(c.w, Shape{c.r, c.r, c.in.C}, o, 0, 0, c.r, i)
	return sandwich(weights, &t, false)
}

// sizes returns what the elements of the output would be if all numbers were positive and
// nothing cancelled: rounding is a share of that.
func (c *naive) sizes() []float64 {
	left, weights, q := products(c.r)
	m, sizes := points+1-c.r, make([]float64, c.n*c.out.Len())
	for o := range c.out.C {
		kernels := make([]square, c.in.C)
		for i := range kernels {
			kernels[i] = c.kernelOf(weights, o, i)
		}
		var sum square
		c.eachTile(q, func(b, top, leftmost, ch int, seen *square) {
			if ch == 0 {
				sum = square{}
			}
			for e := range points * points {
				sum[e/points][e%points] += seen[e/points][e%points] * kernels[ch][e/points][e%points]
			}
			if ch < c.in.C-1 {
				return
			}
			y := sandwich(left, &sum, true)
			for k := range m * m {
				if row, col := top+k/m, leftmost+k%m; row < c.out.H && col < c.out.W {
					sizes[((b*c.out.H+row)*c.out.W+col)*c.out.C+o] = y[k/m][k%m]
				}
			}
		})
	}
	return sizes
}

// slopeSizes is sizes for the gradient at the weights, given that at the output.
func (c *naive) slopeSizes(up []float64) []float64 {
	left, weights, q := products(c.r)
	sums := make([]square, c.out.C*c.in.C)
	c.eachTile(q, func(b, top, leftmost, ch int, seen *square) {
		for o := range c.out.C {
			t := tile(up, c.out, b, top, leftmost, points+1-c.r, o)
			y := sandwich(left, &t, false)
			for e := range points * points {
				sums[o*c.in.C+ch][e/points][e%points] += y[e/points][e%points] *
					seen[e/points][e%points]
			}
		}
	})
	sizes := make([]float64, len(c.w))
	for k := range sums {
		w := sandwich(weights, &sums[k], true)
		o, i := k/c.in.C, k%c.in.C
		for tap := range c.r * c.r {
			sizes[(o*c.r*c.r+tap)*c.in.C+i] = w[tap/c.r][tap%c.r]
		}
	}
	return sizes
}

// within fails unless got is want but for rounding: for a sum of the given number of products
// of transformed numbers, at most so many units of sizes and as many as transforms round.
//
// Every term passes, on its way, at most 5 roundings in each of two transforms of an image
// (two of them those of a number of Q), 3 in each of two transforms of weights or 4 in the
// transpose, one per product and per addition of the sum, whose blocks and groups add another
// for each, and 4 in each of two last transforms: 10 + 8 + products + 8 and what blocks add,
// at most a tenth (N. J. Higham. Accuracy and Stability of Numerical Algorithms. 2nd ed.
// SIAM 2002, Lemma 3.1).
func within(t *testing.T, what string, got []float32, want, sizes []float64, products int) {
	t.Helper()
	roundings := 26 + 1.1*float64(products)
	for i, v := range want {
		if !(math.Abs(float64(got[i])-v) <= roundings*0x1p-24*sizes[i]*1.001) {
			t.Fatalf("%s: element %d of %d is %v, want %v: the bound is %v", what, i, len(want),
				got[i], v, roundings*0x1p-24*sizes[i])
		}
	}
}

func TestTiledConvolutionsAreConvolutions(t *testing.T) {
	for k, c := range tiledCases {
		net := mustNew(t, c.in, forced{convolution{c.out, window{c.r, c.r, 1, c.pad}}, inTiles})
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
		within(t, name+": output", y, wantY, ref.sizes(), c.in.C)
		m := points + 1 - c.r
		tiles := c.batch * ((net.out.H + m - 1) / m) * ((net.out.W + m - 1) / m)
		within(t, name+": weights", grad, wantW, ref.slopeSizes(up64), tiles)
		back := ref.back(up64)
		within(t, name+": input", dx, wantX, back.sizes(), c.out)
	}
}

// back returns the convolution that makes the gradient at the input of that at the output.
func (c *naive) back(up []float64) *naive {
	turned := make([]float64, len(c.w))
	taps := c.r * c.r
	for k, v := range c.w {
		i, tap, o := k%c.in.C, k/c.in.C%taps, k/c.in.C/taps
		turned[(i*taps+taps-1-tap)*c.out.C+o] = v
	}
	return &naive{c.r, c.r - 1 - c.pad, c.out, c.in, up, turned, c.n}
}

// TestTiledConvolutionsRoundLittle: what the documentation says of the error for numbers as
// they are in training.
func TestTiledConvolutionsRoundLittle(t *testing.T) {
	for _, r := range []int{3, 5} {
		in := Shape{4, 4, 128}
		net := mustNew(t, in, forced{convolution{32, window{r, r, 1, r / 2}}, inTiles})
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
		if deviation := math.Sqrt(off / square); deviation > 2e-6 || most > 4e-6*top {
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
		{Shape{32, 32, 64}, convolution{128, window{3, 3, 1, 1}}, "nn.tiled"},
		{Shape{4, 4, 512}, convolution{512, window{3, 3, 1, 1}}, "nn.tiled"},
		{Shape{14, 14, 64}, convolution{128, window{5, 5, 1, 0}}, "nn.tiled"},
		{Shape{2, 2, 512}, convolution{512, window{3, 3, 1, 1}}, "nn.pairs"},
		{Shape{1, 1, 32}, convolution{32, window{3, 3, 1, 1}}, "nn.pairs"},
		{Shape{2, 2, 31}, convolution{512, window{3, 3, 1, 1}}, "nn.conv"},
		{Shape{32, 32, 3}, convolution{64, window{3, 3, 1, 1}}, "nn.conv"},
		{Shape{32, 32, 64}, convolution{64, window{3, 3, 2, 1}}, "nn.conv"},
		{Shape{32, 32, 64}, convolution{64, window{1, 1, 1, 0}}, "nn.conv"},
		{Shape{32, 32, 64}, convolution{64, window{3, 5, 1, 0}}, "nn.conv"},
		{Shape{32, 32, 64}, convolution{64, window{3, 3, 1, 3}}, "nn.conv"},
	} {
		h, w, _ := c.l.over(c.in)
		got := fmt.Sprintf("%T", c.l.op(c.in, Shape{h, w, c.l.out}, &fl.Block{Rows: c.l.out}))
		if got != c.want {
			t.Errorf("%v of %v to %d channels: %v", c.l.window, c.in, c.l.out, got)
		}
	}
}
