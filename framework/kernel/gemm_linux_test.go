package kernel

import (
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"unsafe"
)

// fenced returns n ones right before memory that must not be touched.
func fenced[T float](t *testing.T, n int) []T {
	t.Helper()
	page := os.Getpagesize()
	size := n * int(unsafe.Sizeof(T(0)))
	room := (size + page - 1) / page * page
	memory, err := syscall.Mmap(-1, 0, room+page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err == nil {
		err = syscall.Mprotect(memory[room:], syscall.PROT_NONE)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(memory); err != nil {
			t.Error(err)
		}
	})
	data := unsafe.Slice((*T)(unsafe.Pointer(&memory[room-size])), n)
	for i := range data {
		data[i] = 1
	}
	return data
}

// testFences multiplies matrices that end where reading further would end the program.
func testFences[T float](t *testing.T) {
	const most = 70
	end := func(data []T, rows, cols int, transposed bool) Matrix[T] {
		m := RowMajor(data[len(data)-rows*cols:], rows, cols)
		if transposed {
			m.Stride, m.Transposed = rows, true
		}
		return m
	}
	left, right, result := fenced[T](t, most*most), fenced[T](t, most*most), fenced[T](t, most*most)
	var space panels[T]
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		rows, cols, depth := 1+rng.IntN(most), 1+rng.IntN(most), 1+rng.IntN(most)
		a := end(left, rows, depth, rng.IntN(2) == 1)
		b := end(right, depth, cols, rng.IntN(2) == 1)
		c := end(result, rows, cols, rng.IntN(2) == 1)
		for _, p := range usable() {
			s := sweep[T]{c: c, a: a, b: b, space: &space}
			s.run(p, false)
			for _, x := range c.Data {
				if x != T(depth) {
					t.Fatalf("%dx%dx%d on %v: an element is %v", rows, depth, cols, p, x)
				}
			}
		}
	}
}

func TestProductsReadNothingOutside(t *testing.T) {
	testFences[float32](t)
	testFences[float64](t)
}
