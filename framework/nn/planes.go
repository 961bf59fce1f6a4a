package nn

import "github.com/hansa-fl/hansa/framework/kernel"

// points is how many values a transform of kernel makes of one side of a tile.
const points = kernel.Points

// planes hold what transforms make of tiles: a matrix for each pair of points, with a row for
// each tile and a column for each channel.
type planes struct {
	data         []float32
	rows, cols   int
	stride, size int // from row to row and from plane to plane
}

// line is how many numbers are in a line of a cache.
const line = 16

// lines returns n, rounded up to whole lines.
func lines(n int) int { return (n + line - 1) / line * line }

// newPlanes says how planes lie.
func newPlanes(rows, cols int) planes {
	const conflict = 512 // numbers, after which lines share few sets of a cache
	p := planes{rows: rows, cols: cols, stride: lines(cols)}
	if p.stride%conflict == 0 {
		p.stride += line
	}
	p.size = (rows*p.stride/line | 1) * line
	return p
}

// shape makes planes hold smaller matrices without gaps.
func (p *planes) shape(rows, cols int) { p.rows, p.cols, p.stride = rows, cols, cols }

// len returns the numbers of all planes.
func (p *planes) len() int { return points * points * p.size }

// part returns columns lo to hi of plane e.
func (p *planes) part(e, lo, hi int) matrix {
	return matrix{Data: p.data[e*p.size+lo:][:(p.rows-1)*p.stride+hi-lo],
		Rows: p.rows, Cols: hi - lo, Stride: p.stride}
}

// all returns plane e.
func (p *planes) all(e int) matrix { return p.part(e, 0, p.cols) }

// A tiling covers images with square tiles, high×wide of them. The tiles of a row of tiles of
// one image are a band; band b·high + y is row y of sample b.
type tiling struct {
	image      Shape
	high, wide int
	step       int // pixels from one tile to the next
	side, pad  int // pixels of a tile's side, and before the image begins
}

// transform multiplies the vectors of lines by the matrix for the side of a tile: Q for one
// of six pixels, that of polynomials for fewer.
func (t *tiling) transform(dst, src []float32, l kernel.Lines) {
	if t.side == points {
		kernel.Windows32(dst, src, l)
	} else {
		kernel.Points32(dst, src, t.side, l)
	}
}

// reach returns the pixels in a row of tiles.
func (t *tiling) reach() int { return (t.wide-1)*t.step + t.side }

// liftRoom returns how many numbers lift needs room for: a band transformed along one side,
// and its pixels.
func (t *tiling) liftRoom() int { return (points + t.side) * t.reach() * t.image.C }

// lowerRoom returns how many numbers lower and spread need room for: a band transformed along
// one side, and a row of its pixels.
func (t *tiling) lowerRoom(src *planes) int {
	return points*t.side*t.wide*src.stride + t.reach()*lines(t.image.C)
}

// lift transforms the tiles of bands lo to hi of the images x.
func (t *tiling) lift(dst *planes, x []float32, lo, hi int, space []float32) {
	c, n := t.image.C, t.image.W*t.image.C
	row, left := t.reach()*c, t.pad*c
	strip, edge := space[:points*row], space[points*row:]
	for i := range points {
		clear(strip[i*row:][:left])
		clear(strip[i*row+left+n : (i+1)*row])
	}
	for band := lo; band < hi; band++ {
		t.transform(strip[left:], t.rows(x, band, edge),
			kernel.Lines{Count: 1, Width: n, From: n, To: row})
		at := (band - lo) * t.wide * dst.stride
		for i := range points {
			t.transform(dst.data[i*points*dst.size+at:], strip[i*row:], kernel.Lines{
				Count: t.wide, Width: c, From: c, NextFrom: t.step * c,
				To: dst.size, NextTo: dst.stride,
			})
		}
	}
}

// rows returns the rows of pixels of a band, which are copied to edge where some of them lie
// outside of the image.
func (t *tiling) rows(x []float32, band int, edge []float32) []float32 {
	n, size := t.image.W*t.image.C, t.image.Len()
	image := x[band/t.high*size:][:size]
	top := band%t.high*t.step - t.pad
	if top >= 0 && top+t.side <= t.image.H {
		return image[top*n:]
	}
	edge = edge[:t.side*n]
	clear(edge)
	if lo, hi := max(top, 0), min(top+t.side, t.image.H); lo < hi {
		copy(edge[(lo-top)*n:], image[lo*n:hi*n])
	}
	return edge
}

// lower makes bands lo to hi of the images y from planes, by the transpose of polynomials of
// as many terms as a tile's side has pixels.
func (t *tiling) lower(y []float32, src *planes, lo, hi int, space []float32) {
	c, n := t.image.C, t.image.W*t.image.C
	across := t.wide * src.stride
	strip := space[:t.side*points*across]
	edge := space[len(strip):][:t.reach()*c]
	for band := lo; band < hi; band++ {
		kernel.PointsT32(strip, src.data[(band-lo)*across:], t.side, kernel.Lines{
			Count: points, Width: across, From: points * src.size, NextFrom: src.size,
			To: points * across, NextTo: across,
		})
		top := band % t.high * t.step
		image := y[band/t.high*t.image.Len():][:t.image.Len()]
		for i := range min(t.side, t.image.H-top) {
			row := image[(top+i)*n:][:n]
			whole := row
			if len(edge) > n {
				whole = edge
			}
			kernel.PointsT32(whole, strip[i*points*across:], t.side, kernel.Lines{
				Count: t.wide, Width: c, From: across, NextFrom: src.stride,
				To: c, NextTo: t.step * c,
			})
			if len(edge) > n {
				copy(row, edge)
			}
		}
	}
}

// spread adds to bands lo to hi of the images x what planes say of the pixels that windows see:
// the transpose of lift.
func (t *tiling) spread(x []float32, src *planes, lo, hi int, space []float32) {
	c, across := lines(t.image.C), t.wide*src.stride
	strip := space[:points*points*across]
	row := space[len(strip):][:t.reach()*c]
	for band := lo; band < hi; band++ {
		clear(strip)
		kernel.WindowsT32(strip, src.data[(band-lo)*across:], kernel.Lines{
			Count: points, Width: across, From: points * src.size, NextFrom: src.size,
			To: points * across, NextTo: across,
		})
		top := band%t.high*t.step - t.pad
		image := x[band/t.high*t.image.Len():][:t.image.Len()]
		for y := max(top, 0); y < min(top+points, t.image.H); y++ {
			clear(row)
			kernel.WindowsT32(row, strip[(y-top)*points*across:], kernel.Lines{
				Count: t.wide, Width: c, From: across, NextFrom: src.stride,
				To: c, NextTo: t.step * c,
			})
			addPixels(image[y*t.image.W*t.image.C:], row[t.pad*c:], t.image.W, t.image.C)
		}
	}
}

// addPixels adds pixels of some channels, which begin at lines of src, to dst.
func addPixels(dst, src []float32, count, channels int) {
	if channels%line == 0 {
		channels, count = count*channels, 1
	}
	for range count {
		kernel.Axpy32(dst[:channels], 1, src[:channels])
		dst, src = dst[channels:], src[lines(channels):]
	}
}
