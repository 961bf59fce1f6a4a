package kernel_test

import (
	"testing"

	"github.com/hansa-fl/hansa/framework/kernel"
)

// What does not allocate within a package may do so when it is inlined into another.
func TestProductsAllocateNothingElsewhere(t *testing.T) {
	var w kernel.Workspace
	square := func() kernel.Matrix[float32] { return kernel.RowMajor(make([]float32, 400), 20, 20) }
	double := func() kernel.Matrix[float64] { return kernel.RowMajor(make([]float64, 400), 20, 20) }
	a, b, c := square(), square().T(), square()
	d, e, f := double(), double().T(), double()
	if n := testing.AllocsPerRun(10, func() {
		kernel.Gemm32(&w, c, a, b, true)
		kernel.Gemm64(&w, f, d, e, true)
	}); n != 0 {
		t.Errorf("%v allocations per run", n)
	}
}
