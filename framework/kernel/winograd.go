package kernel

// Convolutions by Toom and Cook's algorithm, which Winograd made fast for short ones, are
// products of polynomials at points: 0, ±a, ±b and ∞, the last of which means the highest
// coefficient. With these points, m outputs of a window of r numbers take 6 = m + r − 1
// products instead of m·r:
//
//	y = P(m)ᵀ ((P(r)·g) ⊙ (Q·x)),
//
// for the six numbers x that the m windows see, their weights g, the matrix P(k) that
// evaluates polynomials of k terms, and Q, which is chosen such that this is true for all x
// and g. Images are transformed along both of their sides.
//
//	A. Lavin, S. Gray. Fast Algorithms for Convolutional Neural Networks. CVPR 2016.
//
// a = 5/8 and b = 3/2 lose less to rounding than the usual 1 and 2, about half (after B.
// Barabasz, A. Anderson, K. M. Soodhalter, D. Gregg. Error Analysis and Improving the
// Accuracy of Winograd Convolution for Deep Neural Networks. ACM TOMS, 2020), and their
// powers are exact.

// Points is how many points there are.
const Points = 6

const (
	pointA, pointB = 5.0 / 8, 3.0 / 2
	squareA        = pointA * pointA
	squareB        = pointB * pointB
	shareA         = 1 / (2 * squareA * (squareA - squareB))
	shareB         = 1 / (2 * squareB * (squareB - squareA))
)

// powers are those of the points.
func powers() [8]float32 {
	return [8]float32{
		pointA, squareA, squareA * pointA, squareA * squareA,
		pointB, squareB, squareB * pointB, squareB * squareB,
	}
}

// quotients are what Q is made of: its rows are the coefficients of x(x² − a²)(x² − b²),
// divided by the factor of each point, and by what remains at that point.
func quotients() [10]float32 {
	return [10]float32{
		-1/squareA - 1/squareB, 1 / (squareA * squareB),
		-squareB, shareA, shareA * pointA,
		-squareA, shareB, shareB * pointB,
		-squareA - squareB, squareA * squareB,
	}
}

// Lines say where the vectors lie that a transform takes and makes, in elements. A line is
// one transform, of vectors that are a step apart.
type Lines struct {
	Count    int // lines
	Width    int // of each vector
	From, To int // from one vector of a line to the next, in src and in dst
	NextFrom int // from one line to the next in src
	NextTo   int // and in dst
}

// Points32 evaluates polynomials: the vectors of a line in src are their coefficients, 2 to 5
// of them, and those in dst become their values at the six points. The slices must not
// overlap.
func Points32(dst, src []float32, terms int, l Lines) { points(active, dst, src, terms, l) }

// PointsT32 does the transpose: six vectors of src become 2 to 5 in dst.
func PointsT32(dst, src []float32, terms int, l Lines) { pointsT(active, dst, src, terms, l) }

// Windows32 multiplies six vectors by Q.
func Windows32(dst, src []float32, l Lines) { windows(active, dst, src, l) }

func points(p path, dst, src []float32, terms int, l Lines) {
	fit(terms >= 2 && terms < Points)
	if p = l.check(p, dst, Points, src, terms); l.Count > 0 && l.Width > 0 {
		c, at := powers(), l.numbers(terms)
		points32(p, dst, src, c[:], at[:])
	}
}

func pointsT(p path, dst, src []float32, terms int, l Lines) {
	fit(terms >= 2 && terms < Points)
	if p = l.check(p, dst, terms, src, Points); l.Count > 0 && l.Width > 0 {
		c, at := powers(), l.numbers(terms)
		pointsT32(p, dst, src, c[:], at[:])
	}
}

func windows(p path, dst, src []float32, l Lines) {
	if p = l.check(p, dst, Points, src, Points); l.Count > 0 && l.Width > 0 {
		c, at := quotients(), l.numbers(Points)
		windows32(p, dst, src, c[:], at[:])
	}
}

// numbers returns the geometry as the assembly reads it.
func (l *Lines) numbers(terms int) [7]int {
	return [7]int{l.Count, l.Width, l.From, l.NextFrom, l.To, l.NextTo, terms}
}

// check panics unless the vectors lie within the slices, and returns the widest path up to p
// whose registers a vector fills.
func (l *Lines) check(p path, dst []float32, to int, src []float32, from int) path {
	fit(min(l.Count, l.Width, l.From, l.NextFrom, l.To, l.NextTo) >= 0)
	if l.Count > 0 && l.Width > 0 {
		fit((l.Count-1)*l.NextTo+(to-1)*l.To+l.Width <= len(dst))
		fit((l.Count-1)*l.NextFrom+(from-1)*l.From+l.Width <= len(src))
	}
	return filled(p, l.Width)
}

// A comb is a line at one element.
type comb struct {
	dst, src []float32
	to, from int
}

// x returns number k of those that the comb takes.
func (c *comb) x(k int) float32 { return c.src[k*c.from] }

// put sets number k of those that the comb makes.
func (c *comb) put(k int, y float32) { c.dst[k*c.to] = y }

// each calls a function for every element of every line.
func each(dst, src []float32, at []int, transform func(c *comb)) {
	for line := range at[0] {
		for i := range at[1] {
			transform(&comb{dst[line*at[5]+i:], src[line*at[3]+i:], at[4], at[2]})
		}
	}
}

func pointsGeneric(dst, src, c []float32, at []int) {
	terms := at[6]
	each(dst, src, at, func(b *comb) {
		var x [Points - 1]float32
		for k := range terms {
			x[k] = b.x(k)
		}
		b.put(0, x[0])
		for k := 0; k < 2; k++ {
			c := c[4*k:]
			even := fma32(c[3], x[4], fma32(c[1], x[2], x[0]))
			odd := fma32(c[2], x[3], c[0]*x[1])
			b.put(2*k+1, even+odd)
			b.put(2*k+2, even-odd)
		}
		b.put(Points-1, x[terms-1])
	})
}

func pointsTGeneric(dst, src, c []float32, at []int) {
	terms := at[6]
	each(dst, src, at, func(b *comb) {
		var both [2][2]float32 // the differences and the sums of a point and its opposite
		for k := range both[0] {
			x, y := b.x(2*k+1), b.x(2*k+2)
			both[0][k], both[1][k] = x-y, x+y
		}
		y := b.x(0) + both[1][0] + both[1][1]
		b.put(0, y)
		for k := 1; k < terms; k++ {
			pair := both[(k+1)%2]
			y = fma32(c[k+3], pair[1], c[k-1]*pair[0])
			b.put(k, y)
		}
		b.put(terms-1, y+b.x(Points-1))
	})
}

func windowsGeneric(dst, src, c []float32, at []int) {
	each(dst, src, at, func(b *comb) {
		b.put(0, fma32(c[1], b.x(4), fma32(c[0], b.x(2), b.x(0))))
		for k := 0; k < 2; k++ {
			c := c[3*k+2:]
			even := float32(c[1] * fma32(c[0], b.x(2), b.x(4)))
			odd := float32(c[2] * fma32(c[0], b.x(1), b.x(3)))
			b.put(2*k+1, even+odd)
			b.put(2*k+2, even-odd)
		}
		b.put(Points-1, fma32(c[9], b.x(1), fma32(c[8], b.x(3), b.x(5))))
	})
}
