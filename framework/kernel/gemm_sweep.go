package kernel

import "unsafe"

// panels are the packed operands of one precision, a tile of the result, and a narrow result.
type panels[T float] struct{ a, b, c, narrow []T }

// grow returns a buffer of n elements that begins at a cache line, in *buf if it has room.
func grow[T float](buf *[]T, n int) []T {
	if len(*buf) < n {
		const line = 64
		var one T
		size := int(unsafe.Sizeof(one))
		raw := make([]T, n+line/size)
		past := int(uintptr(unsafe.Pointer(unsafe.SliceData(raw))) % line)
		*buf = raw[(line-past)%line/size:]
	}
	return (*buf)[:n]
}

const (
	depthBlock = 256  // most k in a chain
	rowBlock   = 252  // most rows of a that are packed at a time
	colBlock   = 1024 // most columns of b that are packed at a time
)

// A sweep does a product for one block of k after another: takeB packs columns of b, or
// says where they lie; takeA does so for rows of a; tiles multiplies the two.
type sweep[T float] struct {
	c, a, b Matrix[T]
	way     path
	space   *panels[T]
	tile    tile[T]

	size, high, wide int // bytes of an element, rows and columns of a full tile
	packA, packB     bool
	sortA            bool // packA brings rows of a together by the tile; see strips
	depth            int  // of the block of k
	rows, cols       int  // of the block of c
	left, right      []T  // what is multiplied
	rowA, colB       int  // elements from one row in left, and one tile in right, to the next
	tall             int  // rows of a tile, but for the last
	strip            int  // rows of a strip of left, but for the last; 0: left is none of strips
}

// check panics if the shapes do not fit.
func (s *sweep[T]) check() {
	if s.a.Rows != s.c.Rows || s.b.Cols != s.c.Cols || s.a.Cols != s.b.Rows {
		panic("kernel: the shapes of a product do not fit")
	}
	s.a.check()
	s.b.check()
	s.c.check()
	if rows, cols := s.c.stored(); rows > 1 && s.c.Stride < cols {
		panic("kernel: the rows of a result overlap")
	}
}

// run does the product on a path.
func (s *sweep[T]) run(way path, add bool) {
	s.check()
	depth := s.a.Cols
	if s.c.Rows == 0 || s.c.Cols == 0 {
		return
	}
	if depth == 0 && !add {
		rows, cols := s.c.stored()
		for i := range rows {
			clear(s.c.Data[i*s.c.Stride:][:cols])
		}
	}
	if depth == 0 {
		return
	}
	if s.few(way) {
		s.upright(way, add)
		return
	}
	s.multiply(way, add)
}

// few reports whether c has so few rows that to pack a transposed b takes about as long as to
// multiply by it, and as many as fill vectors that lie along the columns of c.
func (s *sweep[T]) few(way path) bool {
	const most, deep = 64, 256 // in shallow products it takes longer to transpose c
	lanes := [paths]int{1, 8, 16}[way]
	return way != generic && s.b.Transposed && !s.a.Transposed && !s.c.Transposed &&
		s.c.Rows <= most && s.c.Rows%lanes == 0 && s.c.Cols > s.c.Rows && s.a.Cols >= deep
}

// upright does the product as cᵀ = bᵀ·aᵀ, for which b is read as it lies and a is packed. The
// result is put where it belongs at the end.
func (s *sweep[T]) upright(way path, add bool) {
	there := s.c
	here := lying(grow(&s.space.narrow, there.Rows*there.Cols), there.Cols, there.Rows, there.Rows)
	if add {
		flip(way, here, there)
	}
	s.swap()
	s.c = here
	s.multiply(way, add)
	flip(way, there, here)
}

// multiply does the product block by block.
func (s *sweep[T]) multiply(way path, add bool) {
	s.choose(way)
	if add {
		s.tile.add = 1
	}
	depth := s.a.Cols
	block := depth
	if depth > depthBlock {
		block = (even(depth, depthBlock) + 7) &^ 7
	}
	for k := 0; k < depth; k += block {
		s.depth = min(block, depth-k)
		for j := 0; j < s.c.Cols; j += colBlock {
			s.takeB(k, j, min(colBlock, s.c.Cols-j))
			for i := 0; i < s.c.Rows; i += rowBlock {
				s.takeA(i, k, min(rowBlock, s.c.Rows-i))
				s.tiles(i, j)
			}
		}
		s.tile.add = 1
	}
}

// even returns the length of the longest part when n is cut into equal parts of at most most.
func even(n, most int) int {
	if n <= most {
		return n
	}
	parts := (n + most - 1) / most
	return (n + parts - 1) / parts
}

// choose decides how a path does the product.
func (s *sweep[T]) choose(way path) {
	var one T
	s.way, s.size = way, int(unsafe.Sizeof(one))
	s.high, s.wide = [paths]int{4, 6, 12}[way], [paths]int{64, 16, 32}[way]
	if s.size == 8 {
		s.wide /= 2
	}
	if s.c.Transposed {
		s.swap()
	}
	if 4*s.c.Cols <= 3*s.wide && s.c.Rows > s.wide && s.a.Transposed && !s.b.Transposed {
		// A narrow c would leave vectors half empty. As tall, they lie along its columns.
		s.swap()
	}
	// Rows that are a multiple of this many bytes apart share few sets of a cache.
	const conflict = 2048
	near := func(m *Matrix[T]) bool { return m.Stride*s.size%conflict == 0 }
	s.packB = s.b.Transposed || s.c.Rows >= 128 || near(&s.b) && s.c.Rows > 32
	worth := s.c.Rows > s.high && s.c.Cols >= 96
	s.packA = worth && near(&s.a)
	s.sortA = worth && s.a.Transposed && way != generic
}

// swap asks for cᵀ = bᵀ·aᵀ instead of c = a·b.
func (s *sweep[T]) swap() { s.c, s.a, s.b = s.c.T(), s.b.T(), s.a.T() }

// takeB makes columns j to j+cols of b ready for the block of k.
func (s *sweep[T]) takeB(k, j, cols int) {
	s.cols = cols
	if !s.packB {
		s.right = s.b.Data[k*s.b.Stride+j:]
		s.tile.stepB, s.colB = s.b.Stride*s.size, s.wide
		return
	}
	s.tile.stepB, s.colB = s.wide*s.size, s.wide*s.depth
	s.right = grow(&s.space.b, (cols+s.wide-1)/s.wide*s.colB)
	for at := 0; at < cols; at += s.wide {
		panel := lying(s.right[at*s.depth:], s.depth, min(s.wide, cols-at), s.wide)
		if s.b.Transposed {
			from := s.b.Data[(j+at)*s.b.Stride+k:]
			flip(s.way, panel, lying(from, panel.Cols, s.depth, s.b.Stride))
		} else {
			s.copy(panel, s.b.Data[k*s.b.Stride+j+at:])
		}
	}
}

// copy packs columns of b, which begin at src, into a panel.
func (s *sweep[T]) copy(panel Matrix[T], src []T) {
	if panel.Cols == s.wide && copyRows(s.way, panel, src, s.b.Stride) {
		return
	}
	for k := range panel.Rows {
		copy(panel.Data[k*panel.Stride:][:panel.Cols], src[k*s.b.Stride:])
	}
}

// takeA makes rows i to i+rows of a ready for the block of k.
func (s *sweep[T]) takeA(i, k, rows int) {
	s.rows, s.strip = rows, 0
	s.tall = even(rows, s.high) // no tile is a sliver
	if s.size == 8 && s.tall > 6 {
		s.tall = (s.tall + 1) &^ 1
	}
	if s.sortA {
		s.strips(i, k)
		return
	}
	outer, inner, stride := rows, s.depth, s.a.Stride // of the block as it is stored
	if s.a.Transposed {
		outer, inner = inner, outer
		s.left = s.a.Data[k*stride+i:]
	} else {
		s.left = s.a.Data[i*stride+k:]
	}
	if s.packA {
		const gap = 64 // bytes, so that no two rows begin in the same set of a cache
		stride = inner + gap/s.size
		packed := grow(&s.space.a, outer*stride)
		for r := range outer {
			copy(packed[r*stride:][:inner], s.left[r*s.a.Stride:])
		}
		s.left = packed
	}
	s.rowA, s.tile.stepA = stride, s.size
	if s.a.Transposed {
		s.rowA, s.tile.stepA = 1, stride*s.size
	}
	s.tile.rowA = s.rowA * s.size
}

// stripWide is how many elements lie side by side in a strip.
const stripWide = 16

// strips packs rows i to i+s.rows of a transposed a: a strip holds those of a tile, or of two that
// are low, one k after another. As a is stored they are far apart, often on a page for each k.
func (s *sweep[T]) strips(i, k int) {
	s.strip = s.tall
	if 2*s.tall <= stripWide {
		s.strip *= 2
	}
	size := s.depth * stripWide
	s.left = grow(&s.space.a, (s.rows+s.strip-1)/s.strip*size)
	s.rowA, s.tile.rowA, s.tile.stepA = 1, s.size, stripWide*s.size
	const together = 16 // rows of a as it is stored: few pages, which are read side by side
	for r := 0; r < s.depth; r += together {
		n := min(together, s.depth-r)
		for row := 0; row < s.rows; row += s.strip {
			cols := min(s.strip, s.rows-row)
			to := lying(s.left[row/s.strip*size+r*stripWide:], n, cols, stripWide)
			from := s.a.Data[(k+r)*s.a.Stride+i+row:]
			if i+row+stripWide <= s.a.Rows {
				copyStrip(to, from, s.a.Stride)
				continue
			}
			for r := range n {
				copy(to.Data[r*stripWide:][:to.Cols], from[r*s.a.Stride:])
			}
		}
	}
}

// start returns where a row begins in left.
func (s *sweep[T]) start(row int) int {
	if s.strip == 0 {
		return row * s.rowA
	}
	return row/s.strip*s.depth*stripWide + row%s.strip
}

// tiles multiplies what is ready and puts it at row i and column j of c.
func (s *sweep[T]) tiles(i, j int) {
	t := &s.tile
	t.depth, t.rowC = s.depth, s.c.Stride*s.size
	from := 0
	for at := 0; at < s.cols; at += t.cols {
		t.b = &s.right[from]
		t.cols = min(s.wide, s.cols-at)
		from += s.colB
		if half := s.wide / 2; s.way == avx512 && t.cols < s.wide && t.cols > half {
			t.cols, from = half, from-s.colB+half // there are masks for one vector only
		}
		for row := 0; row < s.rows; row += t.rows {
			t.a = &s.left[s.start(row)]
			t.rows = min(s.tall, s.rows-row)
			if s.size == 8 && t.rows > 6 && t.rows%2 == 1 { // there are no tiles of so many
				t.rows = (t.rows + 1) / 2
			}
			if s.c.Transposed {
				s.standing(i+row, j+at)
				continue
			}
			t.c = &s.c.Data[(i+row)*s.c.Stride+j+at]
			t.run(s.way)
		}
	}
}

// standing multiplies a tile for a c whose columns lie in rows: it is put into a buffer and
// transposed.
func (s *sweep[T]) standing(i, j int) {
	t := s.tile
	here := lying(grow(&s.space.c, s.high*s.wide), t.rows, t.cols, s.wide)
	there := lying(s.c.Data[j*s.c.Stride+i:], t.cols, t.rows, s.c.Stride)
	if t.add != 0 {
		flip(s.way, here, there)
	}
	t.c, t.rowC = &here.Data[0], s.wide*s.size
	t.run(s.way)
	flip(s.way, there, here)
}

// lying returns the row-major matrix that begins data.
func lying[T float](data []T, rows, cols, stride int) Matrix[T] {
	return Matrix[T]{Data: data, Rows: rows, Cols: cols, Stride: stride}
}

// flip sets dst to the transpose of src, both row-major.
func flip[T float](way path, dst, src Matrix[T]) {
	rows, cols := flipBlocks(way, dst, src)
	for i := range src.Rows {
		row, j := src.Data[i*src.Stride:][:src.Cols], 0
		if i < rows {
			j = cols
		}
		for ; j < len(row); j++ {
			dst.Data[j*dst.Stride+i] = row[j]
		}
	}
}
