package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/kernel/kerneltest"
)

// lines returns random geometry whose vectors have gaps between them, and the slices.
func (m *maker[T]) lines(to, from int) (dst, src []T, l Lines) {
	l = Lines{Count: m.IntN(4), Width: m.IntN(70)}
	l.From, l.To = l.Width+m.IntN(5), l.Width+m.IntN(5)
	l.NextFrom, l.NextTo = from*l.From+m.IntN(5), to*l.To+m.IntN(5)
	return m.slice((l.Count + 1) * l.NextTo), m.slice((l.Count + 1) * l.NextFrom), l
}

func TestTransformsOnAllPaths(t *testing.T) {
	samePaths(t, 2000, func(p path, m *maker[float32]) []float32 {
		terms := 2 + m.IntN(4)
		dst, src, l := m.lines(Points, terms)
		l.run(p, toPoints, terms, dst, src)
		dst, src, l = m.lines(terms, Points)
		l.run(p, toPointsT, terms, dst, src)
		dst, src, l = m.lines(Points, Points)
		l.run(p, toWindows, Points, dst, src)
		dst, src, l = m.lines(Points, Points)
		l.Width &^= 15
		l.NextTo = m.IntN(l.NextTo + 1) // lines overlap
		l.run(p, toWindowsT, Points, dst, src)
		return nil
	})
}

// evaluation returns the matrix of Points32 by its definition.
func evaluation(terms int) [][]float64 {
	var rows [][]float64
	for _, x := range []float64{0, 5. / 8, -5. / 8, 3. / 2, -3. / 2} {
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

// transposed returns the transpose of a matrix.
func transposed(a [][]float64) [][]float64 {
	b := make([][]float64, len(a[0]))
	for i := range b {
		for _, row := range a {
			b[i] = append(b[i], row[i])
		}
	}
	return b
}

// matrixOf returns the matrix of a transform of so many vectors, which it takes apart.
func matrixOf(to, from int, transform func(dst, src []float32, l Lines)) [][]float64 {
	src, dst := make([]float32, from*from), make([]float32, to*from)
	for k := range from {
		src[k*from+k] = 1
	}
	transform(dst, src, Lines{Count: 1, Width: from, From: from, To: from})
	a := make([][]float64, to)
	for i := range a {
		a[i] = widen(dst[i*from:][:from])
	}
	return a
}

func TestPointsEvaluatePolynomials(t *testing.T) {
	for terms := 2; terms < Points; terms++ {
		got := matrixOf(Points, terms, func(dst, src []float32, l Lines) {
			Points32(dst, src, terms, l)
		})
		back := matrixOf(terms, Points, func(dst, src []float32, l Lines) {
			PointsT32(dst, src, terms, l)
		})
		want := evaluation(terms)
		for i := range want {
			near(t, fmt.Sprintf("points, %d terms, row %d", terms, i), got[i], want[i])
		}
		for i, row := range transposed(want) {
			near(t, fmt.Sprintf("transpose, %d terms, row %d", terms, i), back[i], row)
		}
	}
}

// TestTransformsConvolve: for all m + r = 7, x and g, P(m)ᵀ((P(r)·g) ⊙ (Q·x)) is what windows
// of r numbers see of x, weighted by g. Each side is linear in g and in x: units are enough.
func TestTransformsConvolve(t *testing.T) {
	q := matrixOf(Points, Points, Windows32)
	for r := 2; r < Points; r++ {
		m := Points + 1 - r
		left, weights := evaluation(m), evaluation(r)
		for at := range Points {
			for tap := range r {
				for out := range m {
					sum, want := 0.0, 0.0
					for e := range Points {
						sum += left[e][out] * weights[e][tap] * q[e][at]
					}
					if at == out+tap {
						want = 1
					}
					if math.Abs(sum-want) > 1e-6 {
						t.Fatalf("r = %d: output %d has %v of input %d through weight %d",
							r, out, sum, at, tap)
					}
				}
			}
		}
	}
}

func TestWindowsAreTransposed(t *testing.T) {
	const n = 16
	q := matrixOf(Points, Points, Windows32)
	back := matrixOf(Points, n, WindowsT32)
	for i := range back {
		back[i] = back[i][:Points]
	}
	for i, row := range transposed(q) {
		for j, want := range row {
			close32(t, "WindowsT32", []float32{float32(back[i][j])}, []float64{want}, 2e-7)
		}
	}
	m := &maker[float32]{Rand: rand.New(rand.NewPCG(9, 9))}
	src, dst := m.slice(3*Points*n), m.slice(9*n)
	want := widen(dst)
	for line := range 3 {
		for k := range Points * Points * n {
			to, from, i := k/n/Points, k/n%Points, k%n
			want[(line+to)*n+i] += back[to][from] * float64(src[(line*Points+from)*n+i])
		}
	}
	WindowsT32(dst, src, Lines{Count: 3, Width: n, From: n, To: n,
		NextFrom: Points * n, NextTo: n})
	close32(t, "lines that overlap", dst, want, 4e-6)
}

func TestTransformsTakeEveryLine(t *testing.T) {
	m := &maker[float32]{Rand: rand.New(rand.NewPCG(8, 8))}
	q := matrixOf(Points, Points, Windows32)
	for range 200 {
		dst, src, l := m.lines(Points, Points)
		Windows32(dst, src, l)
		for line := range l.Count {
			for i := range l.Width * Points {
				e, i := i/l.Width, i%l.Width
				want := 0.0
				for k, c := range q[e] {
					want += c * float64(src[line*l.NextFrom+k*l.From+i])
				}
				got := dst[line*l.NextTo+e*l.To+i:][:1]
				close32(t, "Windows32", got, []float64{want}, 4e-6)
			}
		}
	}
}

func TestTransformsThatDoNotFitPanic(t *testing.T) {
	x, y := make([]float32, 6*16), make([]float32, 6*16)
	l := Lines{Count: 1, Width: 16, From: 16, To: 16}
	wide, two, back := l, l, l
	wide.Width, two.Count, two.NextTo, back.From = 17, 2, 1, -16
	kerneltest.Panics(t, map[string]func(){
		"one term":        func() { Points32(x, y, 1, l) },
		"six terms":       func() { Points32(x, y, 6, l) },
		"short dst":       func() { Points32(x[:95], y, 3, l) },
		"short src":       func() { Points32(x, y[:47], 3, l) },
		"transpose, dst":  func() { PointsT32(x[:47], y, 3, l) },
		"transpose, src":  func() { PointsT32(x, y[:95], 3, l) },
		"too wide":        func() { Windows32(x, y, wide) },
		"too many":        func() { Windows32(x, y, two) },
		"half a register": func() { WindowsT32(x, y, Lines{Count: 1, Width: 8, From: 16, To: 16}) },
		"backwards":       func() { Windows32(x, y, back) },
	})
}

func TestTransformsAllocateNothing(t *testing.T) {
	x, y := make([]float32, 6*16), make([]float32, 6*16)
	l := Lines{Count: 1, Width: 16, From: 16, To: 16}
	kerneltest.None(t, func() {
		Points32(x, y, 3, l)
		PointsT32(x, y, 3, l)
		Windows32(x, y, l)
		WindowsT32(x, y, l)
	})
}
