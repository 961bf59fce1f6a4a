package fuse_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/fuse"
	"github.com/hansa-fl/hansa/framework/nn"
	"github.com/hansa-fl/hansa/framework/ot"
)

// Parameters that are no numbers are refused by both solvers, not blurred into a plan.
func TestNaNIsNotAligned(t *testing.T) {
	net, err := nn.New(nn.Shape{H: 1, W: 1, C: 6}, nn.Dense(5), nn.ReLU(), nn.Dense(3))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(11, 11))
	for _, solver := range []fuse.Solver{new(ot.Exact),
		&ot.Entropic{Lambda: 0.1, Epsilon: 1e-6, MaxSweeps: 100}} {
		a, b := wide(net, rng), wide(net, rng)
		a.Params[3] = math.NaN()
		for _, pair := range [][2]fuse.Network{{a, b}, {b, a}} {
			_, err := (&fuse.Aligner{Solver: solver}).Align(make(fl.Vector, len(b.Params)), pair[0], pair[1])
			if err == nil || !strings.Contains(err.Error(), "NaN") {
				t.Errorf("%T: %v", solver, err)
			}
		}
	}
}

func TestNetworksThatCannotBeAligned(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	build := func(in nn.Shape, layers ...nn.Layer) fuse.Network {
		net, err := nn.New(in, layers...)
		if err != nil {
			t.Fatal(err)
		}
		return wide(net, rng)
	}
	vector := nn.Shape{H: 1, W: 1, C: 6}
	base := build(vector, nn.Dense(5), nn.ReLU(), nn.Dense(3))
	for want, other := range map[string]fuse.Network{
		"differ in depth: 3 and 5 layers": build(vector, nn.Dense(5), nn.ReLU(), nn.Dense(4), nn.ReLU(), nn.Dense(3)),
		"the same":                        build(nn.Shape{H: 1, W: 1, C: 7}, nn.Dense(5), nn.ReLU(), nn.Dense(3)),
		"layer 2: 3 channels in one network and 4 in the other": build(vector, nn.Dense(5), nn.ReLU(), nn.Dense(4)),
		"without layers": {Layout: fl.Layout{Blocks: base.Layout.Blocks}, Params: base.Params},
	} {
		_, err := (&fuse.Aligner{Solver: new(ot.Exact)}).Align(make(fl.Vector, len(other.Params)), base, other)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want …%s…", err, want)
		}
	}
}
