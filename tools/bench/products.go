package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/hansa-fl/hansa/framework/kernel"
)

// shapes are the M×K×N that networks of the papers ask for, some squares, and which operand
// is transposed: N for no, T for yes.
var shapes = []string{
	"64x784x400/NN", "64x784x400/NT", "64x400x200/NN", "64x200x100/NN", "64x100x10/NN",
	"784x64x400/TN", "400x64x784/TN", "400x64x200/TN", "64x200x400/NT", "64x100x200/NT",
	"12544x75x64/NN", "75x12544x64/TN", "1600x1600x128/NN", "1600x1600x128/TN",
	"1600x128x1600/NT", "16x3200x256/NN", "3200x16x256/TN", "64x784x10/NN", "784x64x10/TN",
	"32x32x32/NN", "64x64x64/NN", "128x128x128/NN", "256x256x256/NN", "1024x1024x1024/NN",
}

// doubles are the shapes that are measured in double precision too.
var doubles = []string{"64x784x400/NN", "256x256x256/NN", "512x512x512/NN", "512x512x512/NT"}

// gemm compares matrix products with gonum's.
func gemm() (list [][]benchmark) {
	for _, s := range shapes {
		list = append(list, pair("gemm/"+s+"/f32", single))
	}
	for _, s := range doubles {
		list = append(list, pair("gemm/"+s+"/f64", double))
	}
	return list
}

// pair is a matrix product by hansa and by gonum.
func pair[T float32 | float64](name string, with multipliers[T]) []benchmark {
	make := func(multiply func(p *matrices[T])) func() (task, error) {
		return func() (task, error) {
			p, err := parse[T](name)
			if err != nil {
				return task{}, err
			}
			return task{worth: 2e-9 * float64(p.c.Rows*p.c.Cols*p.a.Cols), do: func(n int) error {
				for range n {
					multiply(p)
				}
				return nil
			}}, nil
		}
	}
	return []benchmark{
		{name, "GFLOPS", make(with.hansa)},
		{name + "/gonum", "GFLOPS", make(with.gonum)},
	}
}

// matrices are c = a·b.
type matrices[T float32 | float64] struct {
	c, a, b kernel.Matrix[T]
	space   kernel.Workspace
}

// multipliers set c in two ways.
type multipliers[T float32 | float64] struct{ hansa, gonum func(p *matrices[T]) }

var single = multipliers[float32]{
	func(p *matrices[float32]) { kernel.Gemm32(&p.space, p.c, p.a, p.b, false) },
	func(p *matrices[float32]) {
		gonum.Implementation{}.Sgemm(transposed(p.a), transposed(p.b), p.c.Rows, p.c.Cols, p.a.Cols,
			1, p.a.Data, p.a.Stride, p.b.Data, p.b.Stride, 0, p.c.Data, p.c.Stride)
	},
}

var double = multipliers[float64]{
	func(p *matrices[float64]) { kernel.Gemm64(&p.space, p.c, p.a, p.b, false) },
	func(p *matrices[float64]) {
		gonum.Implementation{}.Dgemm(transposed(p.a), transposed(p.b), p.c.Rows, p.c.Cols, p.a.Cols,
			1, p.a.Data, p.a.Stride, p.b.Data, p.b.Stride, 0, p.c.Data, p.c.Stride)
	},
}

func transposed[T float32 | float64](m kernel.Matrix[T]) blas.Transpose {
	if m.Transposed {
		return blas.Trans
	}
	return blas.NoTrans
}

// parse returns random matrices as gemm/MxKxN/NN/f32 asks for.
func parse[T float32 | float64](name string) (*matrices[T], error) {
	part := strings.Split(name, "/")
	var n [3]int
	for i, text := range strings.Split(part[1], "x") {
		var err error
		if n[i], err = strconv.Atoi(text); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	random := func(rows, cols int, form byte) kernel.Matrix[T] {
		if form == 'T' {
			rows, cols = cols, rows
		}
		data := make([]T, rows*cols)
		for i := range data {
			data[i] = T(rng.NormFloat64())
		}
		m := kernel.RowMajor(data, rows, cols)
		if form == 'T' {
			return m.T()
		}
		return m
	}
	return &matrices[T]{c: random(n[0], n[2], 'N'),
		a: random(n[0], n[1], part[2][0]), b: random(n[1], n[2], part[2][1])}, nil
}
