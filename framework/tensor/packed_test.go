package tensor_test

import (
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// What is unpacked is what was packed, in n(n+1)/2 numbers.
func TestSymmetricMatricesArePacked(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 7))
	for n := range 9 {
		_, symmetric := square(rng, n)
		v, back := make(tensor.Vector, n*(n+1)/2), tensor.NewMatrix(n, n)
		symmetric.Pack(v)
		back.Unpack(v)
		same(t, "unpacked", back.Data, symmetric.Data)
	}
	two := tensor.Matrix{Rows: 2, Cols: 2, Data: tensor.Vector{1, 2, 2, 3}}
	v := make(tensor.Vector, 3)
	two.Pack(v)
	same(t, "packed", v, tensor.Vector{1, 2, 3})
}
