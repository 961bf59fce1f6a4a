package nn

import "math"

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

// times adds a·b to a square, pair by pair.
func (s *square) times(a, b *square) {
	for i := range points {
		for j := range points {
			s[i][j] += a[i][j] * b[i][j]
		}
	}
}

// untile adds the pixels of a square to a channel of an image.
func untile(v []float64, s Shape, b, top, left, side, c int, t *square) {
	for i := range side {
		for j := range side {
			if y, x := top+i, left+j; y >= 0 && y < s.H && x >= 0 && x < s.W {
				v[((b*s.H+y)*s.W+x)*s.C+c] += t[i][j]
			}
		}
	}
}

// sizes returns what the elements of the output and of the gradients at the input and at the
// weights, for that at the output, would be if tiles were made of absolute values and nothing
// cancelled: rounding is a share of that.
func (c *naive) sizes(up []float64) (output, input, slopes []float64) {
	left, weights, q := products(c.r)
	m, window := points+1-c.r, Shape{c.r, c.r, c.in.C}
	output, input = make([]float64, len(up)), make([]float64, len(c.x))
	slopes = make([]float64, len(c.w))
	kernels, sums := make([]square, c.in.C*c.out.C), make([]square, c.in.C*c.out.C)
	for k := range kernels {
		t := tile(c.w, window, k/c.in.C, 0, 0, c.r, k%c.in.C)
		kernels[k] = sandwich(weights, &t, false)
	}
	for k := range c.n * c.out.H * c.out.W {
		b, y, x := k/c.out.W/c.out.H, k/c.out.W%c.out.H, k%c.out.W
		if y%m != 0 || x%m != 0 {
			continue
		}
		seen, made := make([]square, c.in.C), make([]square, c.out.C)
		for i := range seen {
			t := tile(c.x, c.in, b, y-c.pad, x-c.pad, points, i)
			seen[i] = sandwich(q, &t, false)
		}
		for o := range made {
			t := tile(up, c.out, b, y, x, m, o)
			made[o] = sandwich(left, &t, false)
		}
		forth, back := make([]square, c.out.C), make([]square, c.in.C)
		for k := range kernels {
			o, i := k/c.in.C, k%c.in.C
			forth[o].times(&seen[i], &kernels[k])
			back[i].times(&made[o], &kernels[k])
			sums[k].times(&made[o], &seen[i])
		}
		for o := range forth {
			t := sandwich(left, &forth[o], true)
			untile(output, c.out, b, y, x, m, o, &t)
		}
		for i := range back {
			t := sandwich(q, &back[i], true)
			untile(input, c.in, b, y-c.pad, x-c.pad, points, i, &t)
		}
	}
	for k := range sums {
		t := sandwich(weights, &sums[k], true)
		untile(slopes, window, k/c.in.C, 0, 0, c.r, k%c.in.C, &t)
	}
	return output, input, slopes
}
