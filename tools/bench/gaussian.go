package main

import (
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/ot"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// gaussian measures what one-shot methods ask for: iterations towards the barycenter of ten
// Gaussians in 512 dimensions, with covariances of random eigenvectors and eigenvalues from 1
// down to 1/1000; and FedCGS of 30 clients of 2,000 samples in 512 dimensions, beside the one
// matrix product of each that it cannot do without.
func gaussian() [][]benchmark {
	return [][]benchmark{
		{{"bures/barycenter/10x512", "iterations/s", barycenter(10, 512)}},
		{
			{"head/fedcgs", "clients/s", fedCGS(30, 2000, 512)},
			{"head/fedcgs/product", "clients/s", products(30, 2000, 512)},
		},
	}
}

// barycenter takes two iterations at a time: after them nothing has converged.
func barycenter(k, d int) func() (task, error) {
	return func() (task, error) {
		rng := rand.New(rand.NewPCG(3, 4))
		gs, w := make([]ot.Gaussian, k), make(tensor.Vector, k)
		for i := range gs {
			w[i] = 1 / float64(k)
			gs[i].Mean = make(tensor.Vector, d)
			var err error
			if gs[i].Cov, err = covariance(rng, d); err != nil {
				return task{}, err
			}
		}
		b := &ot.Bures{MaxIterations: 1}
		return task{worth: 2, do: func(n int) error {
			for range n {
				if _, err := b.Barycenter(w, gs); err != nil {
					return err
				}
			}
			return nil
		}}, nil
	}
}

// covariance returns a matrix with the eigenvectors of a random one.
func covariance(rng *rand.Rand, d int) (tensor.Matrix, error) {
	a, space := tensor.NewMatrix(d, d), new(kernel.Workspace)
	for i := range a.Data {
		a.Data[i] = rng.NormFloat64()
	}
	_, v, err := new(tensor.Eigen).Factor(a)
	if err != nil {
		return a, err
	}
	for k := range d {
		v.Row(k).Scale(math.Pow(1000, -0.5*float64(k)/float64(d-1)))
	}
	rows, s := kernel.RowMajor(v.Data, d, d), kernel.RowMajor(a.Data, d, d)
	kernel.Lower64(space, s, rows.T(), rows, false)
	kernel.Mirror64(s)
	return a, nil
}

// featuresOf returns random features and classes of clients, every fifth of them another.
func featuresOf(samples, d, classes int) (features []tensor.Matrix, labels [][]int) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 5 {
		x, class := tensor.NewMatrix(samples, d), make([]int, samples)
		for i := range x.Data {
			x.Data[i] = rng.NormFloat64()
		}
		for i := range class {
			class[i] = rng.IntN(classes)
		}
		features, labels = append(features, x), append(labels, class)
	}
	return features, labels
}

// fedCGS is the whole of it: what clients send, and the head that the server makes of it.
func fedCGS(clients, samples, d int) func() (task, error) {
	const classes = 10
	return func() (task, error) {
		h, err := newHead(fl.Shape{Features: d, Classes: classes})
		if err != nil {
			return task{}, err
		}
		features, labels := featuresOf(samples, d, classes)
		return task{worth: float64(clients), do: func(n int) error {
			for range n {
				if err := h.find(clients, features, labels); err != nil {
					return err
				}
			}
			return nil
		}}, nil
	}
}

// A head is the two halves of FedCGS, and what they find.
type head struct {
	shape  fl.Shape
	layout fl.Layout
	rule   fl.LocalRule
	server fl.Aggregator
}

func newHead(shape fl.Shape) (*head, error) {
	reg, err := menu()
	if err != nil {
		return nil, err
	}
	h := &head{shape: shape}
	none := func() *fl.Params { return fl.NewParams(nil, fl.Setting{}, nil) }
	moments, _ := reg.LocalRules.Get("class-moments")
	if h.rule, err = moments.New(none()); err != nil {
		return nil, err
	}
	cgs, _ := reg.Aggregators.Get("fedcgs")
	if h.server, err = cgs.New(none()); err != nil {
		return nil, err
	}
	softmax, _ := reg.Models.Get("softmax")
	m, err := softmax.New(none())
	if err != nil {
		return nil, err
	}
	if m, err = m.For(shape); err != nil {
		return nil, err
	}
	h.layout = m.Layout()
	return h, nil
}

// find runs a round of n clients, which have the features and labels in turn.
func (h *head) find(clients int, features []tensor.Matrix, labels [][]int) error {
	global := make(fl.Vector, h.layout.Len())
	r := &fl.Round{Layout: h.layout, Global: global, Notes: new(fl.Notes)}
	for i := range clients {
		k := i % len(features)
		own := fl.Dataset{Shape: h.shape, X: features[k], Y: labels[k]}
		u, err := h.rule.Run(&fl.Task{Client: &fl.Client{ID: i, Data: own}})
		if err != nil {
			return err
		}
		u.Client = i
		r.Updates = append(r.Updates, u)
	}
	_, err := h.server.Aggregate(r)
	return err
}

// products computes Σ XᵀX.
func products(clients, samples, d int) func() (task, error) {
	return func() (task, error) {
		features, _ := featuresOf(samples, d, 1)
		sum, space := make([]float64, d*d), new(kernel.Workspace)
		return task{worth: float64(clients), do: func(n int) error {
			for range n {
				for i := range clients {
					x := kernel.RowMajor(features[i%5].Data, samples, d)
					kernel.Gemm64(space, kernel.RowMajor(sum, d, d), x.T(), x, true)
				}
			}
			return nil
		}}, nil
	}
}
