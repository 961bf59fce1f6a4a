package fuse_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/fuse"
	"github.com/hansa-fl/hansa/framework/nn"
)

// built returns a network with parameters, and the same with its neurons in another order.
func built(t *testing.T, in nn.Shape, layers ...nn.Layer) (n fuse.Network, other fl.Vector) {
	t.Helper()
	net, err := nn.New(in, layers...)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(11, uint64(len(layers))))
	n = fuse.Network{Layout: net.Layout(), Params: make(fl.Vector, net.Params())}
	n.Params.AddNoise(1, rng)
	other = make(fl.Vector, len(n.Params))
	if _, err := (&fuse.Aligner{Solver: &dealer{rng: rng}}).Align(other, n, n); err != nil {
		t.Fatal(err)
	}
	return n, other
}

// Theorem: with one hidden layer a permutation of neurons is recovered whatever it is; networks of
// several layers, convolutions, norms and residual blocks recover it from random weights, in any
// order of layers, to the bit.
func TestMatchRecoversPermutations(t *testing.T) {
	vec, img := nn.Shape{H: 1, W: 1, C: 12}, nn.Shape{H: 6, W: 6, C: 3}
	for name, c := range map[string]struct {
		in     nn.Shape
		layers []nn.Layer
	}{
		"one hidden layer": {vec, []nn.Layer{nn.Dense(40), nn.ReLU(), nn.Dense(3)}},
		"three": {vec, []nn.Layer{nn.Dense(40), nn.ReLU(), nn.Dense(30), nn.ReLU(), nn.Dense(20),
			nn.ReLU(), nn.Dense(3)}},
		"convolutions": {img, []nn.Layer{nn.Conv(16, 3, 1, 1), nn.BatchNorm(), nn.ReLU(),
			nn.Residual(nn.Conv(16, 3, 1, 1), nn.GroupNorm(4), nn.ReLU(), nn.Conv(16, 3, 1, 1)),
			nn.MaxPool(2, 2), nn.Flatten(), nn.Dense(20), nn.ReLU(), nn.Dense(4)}},
	} {
		n, other := built(t, c.in, c.layers...)
		var m fuse.Matcher
		for seed := range uint64(4) {
			got := other.Clone()
			rng := rand.New(rand.NewPCG(seed, 1))
			if seed == 0 {
				rng = nil
			}
			done, err := m.Match(got, n.Params, &n.Layout, rng)
			if err != nil {
				t.Fatal(err)
			}
			if d := got.Distance(n.Params); d != 0 || !done.Converged || done.Changes == 0 {
				t.Errorf("%s, order %d: %g away, %+v", name, seed, d, done)
			}
			again, err := m.Match(got, n.Params, &n.Layout, rng)
			if err != nil || again.Changes != 0 || again.Passes != 1 {
				t.Errorf("%s: of what agrees already: %+v, %v", name, again, err)
			}
		}
	}
}

// A match never lowers the product of the weights, and moves neurons only: what it makes is a
// permutation of every row of a layer's weights, and a network that computes the same.
func TestMatchRaisesTheProduct(t *testing.T) {
	vec := nn.Shape{H: 1, W: 1, C: 5}
	n, _ := built(t, vec, nn.Dense(8), nn.ReLU(), nn.Dense(7), nn.ReLU(), nn.Dense(3))
	net, err := nn.New(vec, nn.Dense(8), nn.ReLU(), nn.Dense(7), nn.ReLU(), nn.Dense(3))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 2))
		to := make(fl.Vector, len(n.Params))
		to.AddNoise(1, rng)
		before := 0.0
		for passes := range 4 {
			got := n.Params.Clone()
			if passes > 0 {
				m := fuse.Matcher{Passes: passes}
				if _, err := m.Match(got, to, &n.Layout, nil); err != nil {
					t.Fatal(err)
				}
			}
			if product := got.Dot(to); passes > 0 && product < before {
				t.Errorf("seed %d: the product falls from %v to %v in pass %d", seed, before, product,
					passes)
			} else {
				before = product
			}
			if d := says(net, got, 5).Distance(says(net, n.Params, 5)); d > 1e-4 {
				t.Errorf("seed %d, pass %d: scores are %g from what they were", seed, passes, d)
			}
		}
	}
}

// What cannot be matched says why.
func TestMatchRefuses(t *testing.T) {
	n, other := built(t, nn.Shape{H: 1, W: 1, C: 5}, nn.Dense(8), nn.ReLU(), nn.Dense(3))
	bare := fl.Layout{Blocks: n.Layout.Blocks}
	odd := n.Layout
	odd.Layers = append([]fl.Layer(nil), odd.Layers...)
	odd.Layers[1].Kind = fl.KindConcat
	var m fuse.Matcher
	for want, l := range map[string]*fl.Layout{
		"a model without layers has no neurons to align": &bare,
		"layer 1: cannot align a layer of kind concat":   &odd,
	} {
		if _, err := m.Match(other.Clone(), n.Params, l, nil); err == nil || err.Error() != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
	other[0] /= 0 * other[0]
	if _, err := m.Match(other, n.Params, &n.Layout, nil); err == nil {
		t.Error("a network with NaN or Inf is matched")
	}
}

// Theorem: with one hidden layer the product of the weights is the largest of all permutations.
func TestMatchIsTheBestOfOneLayer(t *testing.T) {
	const n = 5
	net, _ := built(t, nn.Shape{H: 1, W: 1, C: 3}, nn.Dense(n), nn.ReLU(), nn.Dense(2))
	in, bias, out := &net.Layout.Blocks[0], &net.Layout.Blocks[1], &net.Layout.Blocks[2]
	for seed := range uint64(20) {
		to := make(fl.Vector, len(net.Params))
		to.AddNoise(1, rand.New(rand.NewPCG(seed, 3)))
		agree := func(own, place int) float64 { // of a neuron with that in whose place it is
			sum := in.Of(net.Params).Row(own).Dot(in.Of(to).Row(place)) +
				bias.Of(net.Params).Data[own]*bias.Of(to).Data[place]
			for o := range out.Rows {
				sum += out.Of(net.Params).Row(o)[own] * out.Of(to).Row(o)[place]
			}
			return sum
		}
		var best func(place, used int) float64
		best = func(place, used int) float64 {
			if place == n {
				return 0
			}
			most := math.Inf(-1)
			for own := range n {
				if used&(1<<own) == 0 {
					most = max(most, agree(own, place)+best(place+1, used|1<<own))
				}
			}
			return most
		}
		got := net.Params.Clone()
		if _, err := new(fuse.Matcher).Match(got, to, &net.Layout, nil); err != nil {
			t.Fatal(err)
		}
		last := net.Layout.Blocks[3].Of(net.Params).Data // biases of the output, which stay
		fixed := fl.Vector(last).Dot(net.Layout.Blocks[3].Of(to).Data)
		if d := got.Dot(to) - fixed - best(0, 0); math.Abs(d) > 1e-12 {
			t.Errorf("seed %d: the product is %g beside the largest", seed, d)
		}
	}
}
