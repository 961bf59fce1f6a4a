package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/hansa-fl/hansa/framework/kernel/kerneltest"
)

// view returns a random matrix: of either order, with gaps between its rows if wide, and if
// it is only read, sometimes with rows that overlap.
func (m *maker[T]) view(rows, cols int, read bool) Matrix[T] {
	v := Matrix[T]{Rows: rows, Cols: cols, Transposed: m.IntN(2) == 1}
	outer, inner := v.stored()
	v.Stride = inner
	switch way := m.IntN(4); {
	case way == 0:
		v.Stride += m.IntN(20)
	case way == 1 && read && inner > 0:
		v.Stride = m.IntN(inner)
	}
	if outer > 0 && inner > 0 {
		v.Data = m.slice((outer-1)*v.Stride + inner)
	}
	return v
}

// at returns where element (i, j) lies.
func (m *Matrix[T]) at(i, j int) *T {
	if m.Transposed {
		i, j = j, i
	}
	return &m.Data[i*m.Stride+j]
}

// sides returns a random number of rows, of columns and of what they have in common: often
// small, at the edge of a tile or a block, sometimes none.
func (m *maker[T]) sides() (rows, cols, depth int) {
	side := func() int {
		edges := []int{0, 1, 4, 6, 8, 12, 16, 32, 64}
		return max(0, edges[m.IntN(len(edges))]+m.IntN(3)-1) + m.IntN(4)*m.IntN(4)
	}
	rows, cols, depth = side(), side(), side()
	switch m.IntN(40) {
	case 0:
		rows, cols = 120+m.IntN(150), 1+m.IntN(8)
	case 1:
		depth, cols = 250+m.IntN(300), min(cols, 20)
	case 2:
		cols, rows, depth = 1010+m.IntN(40), min(rows, 4), min(depth, 5)
	case 3:
		rows, depth = 248+m.IntN(10), min(depth, 10)
	// Rows of aᵀ, of a or of b that share few sets of a cache.
	case 4:
		rows, cols, depth = 512, 96+m.IntN(4), 1+m.IntN(3)
	case 5:
		rows, cols, depth = 13, 96+m.IntN(4), 512
	case 6:
		rows, cols, depth = 33, 512, 1+m.IntN(3)
	case 7: // few rows, and then rows of aᵀ that make many strips
		rows, cols, depth = 8+8*m.IntN(8), 60+m.IntN(30), 250+m.IntN(60)
	case 8:
		rows, cols, depth = 13+m.IntN(300), 96+m.IntN(4), 1+m.IntN(40)
	}
	return rows, cols, depth
}

// fmaOf returns the fused multiply-add of a type.
func fmaOf[T float]() func(x, y, z T) T {
	var f any = math.FMA
	if _, single := any(*new(T)).(float32); single {
		f = fma32
	}
	return f.(func(x, y, z T) T)
}

// define sets c as Gemm32 documents it.
func define[T float](c, a, b Matrix[T], add bool) {
	blocks := max(1, (a.Cols+255)/256)
	block := ((a.Cols+blocks-1)/blocks + 7) / 8 * 8
	fma := fmaOf[T]()
	for i := range c.Rows {
		for j := range c.Cols {
			to := c.at(i, j)
			if !add {
				*to = 0
			}
			for from := 0; from < a.Cols; from += block {
				var chain T
				for k := from; k < min(from+block, a.Cols); k++ {
					chain = fma(*a.at(i, k), *b.at(k, j), chain)
				}
				if add || from > 0 {
					chain += *to
				}
				*to = chain
			}
		}
	}
}

// testDefinition compares all paths, bit by bit and within what lies around c, with the
// definition.
func testDefinition[T float](t *testing.T, times int) {
	t.Helper()
	spaces := make([]panels[T], paths)
	for seed := range uint64(times) {
		m := &maker[T]{Rand: rand.New(rand.NewPCG(seed, 11)), wild: seed%3 == 0}
		rows, cols, depth := m.sides()
		a, b := m.view(rows, depth, true), m.view(depth, cols, true)
		c, add := m.view(rows, cols, false), m.IntN(2) == 1
		var room []T
		if len(c.Data) > 0 {
			room = m.all[len(m.all)-1]
		}
		before := slices.Clone(room)
		define(c, a, b, add)
		want := slices.Clone(room)
		for _, p := range usable() {
			copy(room, before)
			s := sweep[T]{c: c, a: a, b: b, space: &spaces[p]}
			s.run(p, add)
			if err := sameBits(room, want); err != nil {
				t.Fatalf("seed %d: %dx%dx%d on %v: %v", seed, rows, depth, cols, p, err)
			}
		}
	}
}

func TestProductsAreWhatIsDocumented(t *testing.T) {
	testDefinition[float32](t, 1500)
	testDefinition[float64](t, 1500)
}

// The error of a chain of n additions is at most n roundings of the sum of magnitudes.
func testAgainstNaive[T float](t *testing.T, multiply func(w *Workspace, c, a, b Matrix[T], add bool)) {
	t.Helper()
	var w Workspace
	unit := math.Pow(2, -53)
	if unsafe.Sizeof(T(0)) == 4 {
		unit = math.Pow(2, -24)
	}
	for seed := range uint64(100) {
		m := &maker[T]{Rand: rand.New(rand.NewPCG(seed, 12))}
		rows, cols, depth := m.sides()
		a, b, c := m.view(rows, depth, true), m.view(depth, cols, true), m.view(rows, cols, false)
		add := seed%2 == 1
		old := slices.Clone(c.Data)
		multiply(&w, c, a, b, add)
		new := c.Data
		for i := range rows {
			for j := range cols {
				c.Data = new
				got, sum, most := float64(*c.at(i, j)), 0.0, 0.0
				if c.Data = old; add {
					sum = float64(*c.at(i, j))
					most = math.Abs(sum)
				}
				for k := range depth {
					p := float64(*a.at(i, k)) * float64(*b.at(k, j))
					sum, most = sum+p, most+math.Abs(p)
				}
				// The reference is no better in double precision: twice the bound.
				if math.Abs(got-sum) > 2*float64(depth+3)*unit*most {
					t.Fatalf("seed %d: element (%d, %d) is %v, want %v", seed, i, j, got, sum)
				}
			}
		}
	}
}

func TestProductsAgainstNaiveLoops(t *testing.T) {
	testAgainstNaive(t, Gemm32)
	testAgainstNaive(t, Gemm64)
}

func TestTransposition(t *testing.T) {
	m := RowMajor([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	u := m.T()
	if u.Rows != 3 || u.Cols != 2 || *u.at(2, 0) != 3 || *u.at(0, 1) != 4 || *m.at(0, 2) != 3 {
		t.Errorf("%+v transposed is %+v", m, u)
	}
}

func TestProductsThatDoNotFitPanic(t *testing.T) {
	var w Workspace
	of := func(n, rows, cols int) Matrix[float64] { return RowMajor(make([]float64, n), rows, cols) }
	overlapping := of(6, 2, 3)
	overlapping.Stride = 2
	kerneltest.Panics(t, map[string]func(){
		"rows":      func() { Gemm64(&w, of(6, 2, 3), of(12, 3, 4), of(12, 4, 3), false) },
		"columns":   func() { Gemm64(&w, of(6, 2, 3), of(8, 2, 4), of(16, 4, 4), false) },
		"depth":     func() { Gemm64(&w, of(6, 2, 3), of(8, 2, 4), of(15, 5, 3), false) },
		"short a":   func() { Gemm64(&w, of(6, 2, 3), of(7, 2, 4), of(12, 4, 3), false) },
		"short b":   func() { Gemm64(&w, of(6, 2, 3), of(8, 2, 4), of(11, 4, 3), false) },
		"short c":   func() { Gemm64(&w, of(5, 2, 3), of(8, 2, 4), of(12, 4, 3), false) },
		"negative":  func() { Gemm64(&w, of(0, -1, 3), of(0, -1, 4), of(12, 4, 3), false) },
		"overlap c": func() { Gemm64(&w, overlapping, of(8, 2, 4), of(12, 4, 3), false) },
	})
}

func TestProductsAllocateNothing(t *testing.T) {
	var w Workspace
	rng := rand.New(rand.NewPCG(1, 2))
	of := func(rows, cols int) Matrix[float64] { return RowMajor(random(rng, rows*cols), rows, cols) }
	single := func(m Matrix[float64]) Matrix[float32] {
		data := make([]float32, len(m.Data))
		for i, x := range m.Data {
			data[i] = float32(x)
		}
		return RowMajor(data, m.Rows, m.Cols)
	}
	a, b, c := of(130, 512), of(512, 100), of(130, 100)
	a32, b32, c32 := single(a), single(b), single(c)
	narrow, left, right := of(200, 4), of(7, 200).T(), of(7, 4)
	kerneltest.None(t, func() {
		Gemm64(&w, c, a, b, false)
		Gemm64(&w, a, c, b.T(), true)
		Gemm64(&w, narrow, left, right, true)
		Gemm32(&w, c32, a32, b32, false)
		Gemm32(&w, a32, c32, b32.T(), true)
	})
}

func TestPanelsBeginAtACacheLine(t *testing.T) {
	for n := 1; n < 3000; n = n*3/2 + 1 {
		var single []float32
		var double []float64
		at := uintptr(unsafe.Pointer(&grow(&single, n)[0])) | uintptr(unsafe.Pointer(&grow(&double, n)[0]))
		if at%64 != 0 {
			t.Errorf("a panel of %d begins %d bytes after a cache line", n, at%64)
		}
	}
}
