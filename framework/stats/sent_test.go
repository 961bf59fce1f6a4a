package stats

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/hansa-fl/hansa/framework/tensor"
)

// copied returns named matrices in memory of their own.
func copied(t map[string]tensor.Matrix) map[string]tensor.Matrix {
	c := map[string]tensor.Matrix{}
	for name, m := range t {
		m.Data = append(tensor.Vector{}, m.Data...)
		c[name] = m
	}
	return c
}

// floatsOf counts the numbers of named matrices.
func floatsOf(t map[string]tensor.Matrix) (n int) {
	for _, m := range t {
		n += len(m.Data)
	}
	return n
}

func TestClassMomentsAreSent(t *testing.T) {
	rng := rand.New(rand.NewPCG(72, 1))
	for _, d := range []int{1, 2, 5, 17} {
		const classes = 4
		m := NewClassMoments(classes, d)
		x, class := samples(rng, 30, d, classes-1, 100) // the last class has none
		m.Add(x, class)
		sent := m.Tensors()
		if n := floatsOf(sent); n != classes+classes*d+d*(d+1)/2 {
			t.Errorf("d = %d: %d numbers", d, n)
		}
		back, err := ReadClassMoments(sent)
		if err != nil || !reflect.DeepEqual(back.Count, m.Count) ||
			!reflect.DeepEqual(back.Mean, m.Mean) || !reflect.DeepEqual(back.Within, m.Within) {
			t.Errorf("d = %d: %v, %+v", d, err, back)
		}
		for name := range sent {
			for what, other := range map[string]tensor.Matrix{"missing": {}, "too short": {
				Rows: 1, Cols: 2, Data: tensor.Vector{1, -0.5}}} {
				wrong := copied(sent)
				wrong[name] = other
				if _, err := ReadClassMoments(wrong); !errors.Is(err, ErrNoMoments) {
					t.Errorf("%s is %s: %v", name, what, err)
				}
			}
		}
	}
}

// The number of parameters of a mixture is that of the numbers that are sent, less one weight.
func TestClassMixturesAreSent(t *testing.T) {
	rng := rand.New(rand.NewPCG(72, 2))
	for _, spread := range []Spread{Spherical, Diagonal, Full} {
		const d = 4
		all, want := ClassMixtures{Count: []int{20, 0, 3, 11}}, 4+4
		for _, n := range all.Count {
			var mix Mixture
			if n > 0 {
				fit, err := EM{Spread: spread, Components: 2, Regular: 1e-6, MaxIterations: 50}.Fit(
					tensor.Matrix{Rows: n, Cols: d, Data: normals(rng, n*d, 1)}, rng)
				if err != nil {
					t.Fatal(err)
				}
				mix = fit.Mixture
				want += mix.Parameters() + 1
			}
			all.Mixtures = append(all.Mixtures, mix)
		}
		sent := all.Tensors()
		if n := floatsOf(sent); n != want {
			t.Errorf("spread %d: %d numbers, want %d", spread, n, want)
		}
		back, err := ReadClassMixtures(sent)
		if err != nil {
			t.Fatal(err)
		}
		for c, mix := range all.Mixtures {
			if back.Count[c] != all.Count[c] || len(back.Mixtures[c].Weights) != len(mix.Weights) {
				t.Errorf("spread %d: class %d is %+v", spread, c, back.Mixtures[c])
			}
			if len(mix.Weights) > 0 && !reflect.DeepEqual(back.Mixtures[c], mix) {
				t.Errorf("spread %d: class %d is %+v, want %+v", spread, c, back.Mixtures[c], mix)
			}
		}
		for name := range sent {
			for what, other := range map[string]tensor.Matrix{"missing": {}, "too short": {
				Rows: 1, Cols: 2, Data: tensor.Vector{1, -0.5}}} {
				wrong := copied(sent)
				wrong[name] = other
				if _, err := ReadClassMixtures(wrong); !errors.Is(err, ErrNoMixtures) {
					t.Errorf("%s is %s: %v", name, what, err)
				}
			}
		}
	}
	none := ClassMixtures{Count: []int{0, 1}, Mixtures: make([]Mixture, 2)}
	if back, err := ReadClassMixtures(none.Tensors()); err != nil || len(back.Mixtures) != 2 {
		t.Errorf("no mixtures: %v", err)
	}
}

// Tied mixtures arrive as full ones of the same densities.
func TestTiedMixturesAreSentAsFull(t *testing.T) {
	rng := rand.New(rand.NewPCG(72, 3))
	x := tensor.Matrix{Rows: 40, Cols: 3, Data: normals(rng, 120, 1)}
	fit, err := EM{Spread: Tied, Components: 3, Regular: 1e-6, MaxIterations: 50}.Fit(x, rng)
	if err != nil {
		t.Fatal(err)
	}
	all := ClassMixtures{Count: []int{40}, Mixtures: []Mixture{fit.Mixture}}
	back, err := ReadClassMixtures(all.Tensors())
	if err != nil {
		t.Fatal(err)
	}
	was, is := make(tensor.Vector, x.Rows), make(tensor.Vector, x.Rows)
	if err := fit.LogDensity(was, x); err != nil {
		t.Fatal(err)
	}
	if err := back.Mixtures[0].LogDensity(is, x); err != nil || was.Distance(is) > 1e-12*was.Norm() {
		t.Errorf("%v: densities are %v apart", err, was.Distance(is))
	}
}
