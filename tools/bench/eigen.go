package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// eigen decomposes symmetric matrices: of random elements, and positive ones with eigenvalues
// from 1 down to 1/1000, as covariances have. Where gonum takes less than a second, it stands
// beside.
func eigen() (list [][]benchmark) {
	const unit = "decompositions/s"
	for _, n := range []int{256, 512, 1024} {
		name := fmt.Sprintf("eig/%d", n)
		p := []benchmark{{name, unit, decompose(n, elements)}}
		if n == 256 {
			p = append(p, benchmark{name + "/gonum", unit, decomposeGonum(n)})
		}
		list = append(list, p, []benchmark{{name + "/spd", unit, decompose(n, positive)}})
	}
	return list
}

func decompose(n int, make func(n int) (tensor.Matrix, error)) func() (task, error) {
	return func() (task, error) {
		a, err := make(n)
		if err != nil {
			return task{}, err
		}
		e := new(tensor.Eigen)
		return task{do: func(times int) error {
			for range times {
				if _, _, err := e.Factor(a); err != nil {
					return err
				}
			}
			return nil
		}}, nil
	}
}

func decomposeGonum(n int) func() (task, error) {
	return func() (task, error) {
		a, err := elements(n)
		if err != nil {
			return task{}, err
		}
		symmetric := mat.NewSymDense(n, a.Data)
		return task{do: func(times int) error {
			for range times {
				var e mat.EigenSym
				if !e.Factorize(symmetric, true) {
					return errors.New("gonum does not converge")
				}
			}
			return nil
		}}, nil
	}
}

// elements returns a symmetric matrix of random numbers.
func elements(n int) (tensor.Matrix, error) {
	rng, a := rand.New(rand.NewPCG(1, 2)), tensor.NewMatrix(n, n)
	for i := range n {
		for j := range i + 1 {
			a.Row(i)[j] = rng.NormFloat64()
			a.Row(j)[i] = a.Row(i)[j]
		}
	}
	return a, nil
}

// positive returns a matrix with the eigenvectors of a random one.
func positive(n int) (tensor.Matrix, error) {
	a, err := elements(n)
	if err != nil {
		return a, err
	}
	_, vectors, err := new(tensor.Eigen).Factor(a)
	if err != nil {
		return a, err
	}
	for k := range n {
		vectors.Row(k).Scale(math.Pow(1000, -0.5*float64(k)/float64(n-1)))
	}
	v := kernel.RowMajor(vectors.Data, n, n)
	kernel.Gemm64(new(kernel.Workspace), kernel.RowMajor(a.Data, n, n), v.T(), v, false)
	return a, nil
}
