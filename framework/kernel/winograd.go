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

// numbers are what transforms multiply by: the powers of the points, and then the numbers of
// Q. Its rows are the coefficients of x(x² − a²)(x² − b²), divided by the factor of each point
// and by what remains at that point.
func numbers() [18]float32 {
	return [18]float32{
		pointA, squareA, squareA * pointA, squareA * squareA,
		pointB, squareB, squareB * pointB, squareB * squareB,
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

// The kinds of transforms, as the assembly knows them.
const (
	toPoints = iota
	toPointsT
	toWindows
	toWindowsT
)

// Points32 evaluates polynomials: the vectors of a line in src are their coefficients, 2 to 5
// of them, and those in dst become their values at the six points. The slices must not
// overlap.
func Points32(dst, src []float32, terms int, l Lines) {
	fit(terms >= 2 && terms < Points)
	l.run(active, toPoints, terms, dst, src)
}

// PointsT32 does the transpose: six vectors of src become 2 to 5 in dst.
func PointsT32(dst, src []float32, terms int, l Lines) {
	fit(terms >= 2 && terms < Points)
	l.run(active, toPointsT, terms, dst, src)
}

// Windows32 sets six vectors of dst to those of src, multiplied by Q.
func Windows32(dst, src []float32, l Lines) { l.run(active, toWindows, Points, dst, src) }

// WindowsT32 adds six vectors of src, multiplied by Qᵀ, to those of dst, one line after
// another: lines may overlap in dst. The width must be a multiple of 16.
func WindowsT32(dst, src []float32, l Lines) {
	fit(l.Width%16 == 0)
	l.run(active, toWindowsT, Points, dst, src)
}

// run does a transform on a path.
func (l *Lines) run(p path, kind, terms int, dst, src []float32) {
	from, to := terms, Points
	if kind == toPointsT {
		from, to = to, from
	}
	fit(min(l.Count, l.Width, l.From, l.NextFrom, l.To, l.NextTo) >= 0)
	if l.Count == 0 || l.Width == 0 {
		return
	}
	fit((l.Count-1)*l.NextTo+(to-1)*l.To+l.Width <= len(dst))
	fit((l.Count-1)*l.NextFrom+(from-1)*l.From+l.Width <= len(src))
	c := numbers()
	at := [8]int{l.Count, l.Width, l.From, l.NextFrom, l.To, l.NextTo, terms, kind}
	transform32(filled(p, l.Width), dst, src, c[:], at[:])
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

// y returns number k of those.
func (c *comb) y(k int) float32 { return c.dst[k*c.to] }

// transformGeneric does a transform of a kind for every element of every line.
func transformGeneric(dst, src, c []float32, at []int) {
	terms, kind := at[6], at[7]
	for line := range at[0] {
		for i := range at[1] {
			b := comb{dst[line*at[5]+i:], src[line*at[3]+i:], at[4], at[2]}
			switch kind {
			case toPoints:
				b.points(c, terms)
			case toPointsT:
				b.pointsT(c, terms)
			case toWindows:
				b.windows(c[8:])
			case toWindowsT:
				b.windowsT(c[8:])
			}
		}
	}
}

func (b *comb) points(c []float32, terms int) {
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
}

// pairs returns the differences and the sums of the values at a, b and their opposites.
func (b *comb) pairs() (both [2][2]float32) {
	for k := range both[0] {
		x, y := b.x(2*k+1), b.x(2*k+2)
		both[0][k], both[1][k] = x-y, x+y
	}
	return both
}

func (b *comb) pointsT(c []float32, terms int) {
	both := b.pairs()
	y := b.x(0) + both[1][0] + both[1][1]
	b.put(0, y)
	for k := 1; k < terms; k++ {
		pair := both[(k+1)%2]
		y = fma32(c[k+3], pair[1], c[k-1]*pair[0])
		b.put(k, y)
	}
	b.put(terms-1, y+b.x(Points-1))
}

func (b *comb) windows(c []float32) {
	b.put(0, fma32(c[1], b.x(4), fma32(c[0], b.x(2), b.x(0))))
	for k := 0; k < 2; k++ {
		c := c[3*k+2:]
		even := float32(c[1] * fma32(c[0], b.x(2), b.x(4)))
		odd := float32(c[2] * fma32(c[0], b.x(1), b.x(3)))
		b.put(2*k+1, even+odd)
		b.put(2*k+2, even-odd)
	}
	b.put(Points-1, fma32(c[9], b.x(1), fma32(c[8], b.x(3), b.x(5))))
}

func (b *comb) windowsT(c []float32) {
	both := b.pairs()
	for k := range both {
		for pair := range both[k] {
			both[k][pair] = float32(both[k][pair] * c[4-k+3*pair])
		}
	}
	zero, top, odd, even := b.x(0), b.x(Points-1), both[0], both[1]
	b.put(0, b.y(0)+zero)
	b.put(2, fma32(c[5], even[1], fma32(c[2], even[0], fma32(c[0], zero, b.y(2)))))
	b.put(4, fma32(c[1], zero, b.y(4))+even[0]+even[1])
	b.put(1, fma32(c[5], odd[1], fma32(c[2], odd[0], fma32(c[9], top, b.y(1)))))
	b.put(3, fma32(c[8], top, b.y(3))+odd[0]+odd[1])
	b.put(5, b.y(5)+top)
}
