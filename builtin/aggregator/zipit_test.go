package aggregator

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/framework/fl"
)

// zipped returns what ZipIt makes of networks in a round, on samples that the server holds.
func zipped(t *testing.T, net fl.Model, x fl.Matrix, given map[string]any, params ...fl.Vector) (
	fl.Vector, *fl.Round,
) {
	t.Helper()
	r := oneShot(make(fl.Vector, len(params)), []fl.Model{net}, params)
	for k := range r.Updates {
		r.Updates[k].Model = nil
	}
	r.Validation = &fl.Dataset{Shape: judged, X: x, Y: make([]int, x.Rows)}
	return fused(t, server(t, ZipIt, given), r), r
}

// noise returns rows of normal numbers.
func noise(rows, cols int, seed uint64) fl.Matrix {
	x := fl.NewMatrix(rows, cols)
	fl.Vector(x.Data).AddNoise(1, rand.New(rand.NewPCG(seed, 9)))
	return x
}

// Networks that ZipIt makes are those of NumPy, which looks at all pairs of sets of features in every
// step and multiplies by merge and unmerge matrices, to 1e-12; merges within networks are as many.
//
//hansa:verifies golden aggregator/zipit
func TestGoldenZipIt(t *testing.T) {
	text, err := os.ReadFile("testdata/zipit.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []struct {
		Models      []fl.Vector
		Samples     []int
		Alpha, Beta float64
		X           []fl.Vector
		Within      float64
		Want        fl.Vector
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	if len(all) != 11 {
		t.Fatalf("%d cases", len(all))
	}
	net := perceptron(t, judged, 7, 5)
	for n, c := range all {
		x := fl.NewMatrix(len(c.X), judged.Features)
		for i, row := range c.X {
			copy(x.Row(i), row)
		}
		r := oneShot(make(fl.Vector, len(c.Models)), []fl.Model{net}, c.Models)
		for k := range r.Updates {
			r.Updates[k].Model, r.Updates[k].Samples = nil, c.Samples[k]
		}
		r.Validation = &fl.Dataset{Shape: judged, X: x, Y: make([]int, x.Rows)}
		got := fused(t, server(t, ZipIt, map[string]any{"alpha": c.Alpha, "beta": c.Beta,
			"weights": "samples"}), r)
		if d := got.Distance(c.Want); !(d < 1e-12) {
			t.Errorf("case %d: %g away", n, d)
		}
		if o := observed(r, "merges within networks"); o.Most != c.Within {
			t.Errorf("case %d: %v merges within networks, want %v", n, o.Most, c.Within)
		}
	}
}

// Theorem: of copies of one network with their neurons in other orders ZipIt makes the first of them:
// of two for any α and β, of five with α = 1. One network stays as it is.
//
//hansa:verifies theorem aggregator/zipit
func TestZipItRecovers(t *testing.T) {
	net, rng := perceptron(t, judged, 20, 9), rand.New(rand.NewPCG(73, 4))
	copies := []fl.Vector{net.Init(rng)}
	for range 4 {
		copies = append(copies, shuffled(t, net, copies[0], rng))
	}
	x := noise(200, judged.Features, 73)
	for _, c := range []struct {
		n           int
		alpha, beta float64
	}{{1, 0.3, 0.125}, {2, 0.3, 0.125}, {2, 0, 1}, {2, 1, 1}, {5, 1, 1}, {5, 1, 0}} {
		got, r := zipped(t, net, x, map[string]any{"alpha": c.alpha, "beta": c.beta}, copies[:c.n]...)
		if d := got.Distance(copies[0]); d > 1e-12 {
			t.Errorf("%+v: %g away", c, d)
		}
		if o := observed(r, "merges within networks"); o.Most != 0 {
			t.Errorf("%+v: %v merges within networks", c, o.Most)
		}
		if equal, _ := zipped(t, net, x, map[string]any{"alpha": c.alpha, "beta": c.beta},
			copies[1], copies[1]); equal.Distance(copies[1]) > 1e-12 {
			t.Errorf("%+v: equal networks are %g away", c, equal.Distance(copies[1]))
		}
	}
}

// Theorem: features that a network has twice are merged within it, and make room for those of the
// other one. Of two networks with one hidden layer whose neurons are half as many, each there
// twice, ZipIt with β = 1 makes one whose scores are the mean of theirs; with β = 0, as permutations
// have it, they are not.
//
//hansa:verifies theorem aggregator/zipit
func TestZipItKeepsWhatIsNotShared(t *testing.T) {
	net, rng := perceptron(t, judged, 12), rand.New(rand.NewPCG(74, 4))
	twice := func() fl.Vector {
		theta, l := net.Init(rng), net.Layout()
		in, bias := l.Blocks[0].Of(theta), l.Blocks[1].Of(theta)
		for r := range 6 {
			copy(in.Row(6+r), in.Row(r))
			bias.Data[6+r] = bias.Data[r]
		}
		return theta
	}
	a, b := twice(), twice()
	want := saidBy(net, a)
	want.Add(saidBy(net, b))
	want.Scale(0.5)
	for beta, most := range map[float64]float64{1: 12, 0: 0} {
		got, r := zipped(t, net, noise(200, judged.Features, 74), map[string]any{"beta": beta}, a, b)
		d := saidBy(net, got).Distance(want) / want.Norm()
		if (d < 1e-5) != (beta == 1) {
			t.Errorf("β = %v: scores are %v from the mean", beta, d)
		}
		if o := observed(r, "merges within networks"); o.Most != most {
			t.Errorf("β = %v: %v merges within networks", beta, o.Most)
		}
	}
}

// Theorem: of copies of a convolutional network, a residual one, too, with their channels in other
// orders ZipIt makes the first of them, where every neuron varies on the samples.
//
//hansa:verifies theorem aggregator/zipit
func TestZipItRecoversConvolutions(t *testing.T) {
	for _, net := range []fl.Model{
		modelled(t, model.CNN, pictures, map[string]any{"channels": int64(3)}),
		modelled(t, model.ResNet9, pictures, map[string]any{"width": int64(3), "norm": "none"}),
	} {
		rng, l := rand.New(rand.NewPCG(75, 4)), net.Layout()
		copies := []fl.Vector{net.Init(rng)}
		copies[0].AddNoise(0.02, rng) // no two channels are alike
		for k, most := 0, 2.0; k < len(l.Blocks); k++ {
			if b := &l.Blocks[k]; b.Name == fl.Bias {
				for r := range b.Rows { // all rectifiers let something pass
					b.Of(copies[0]).Data[r] += most
				}
				most *= 4
			}
		}
		for range 2 {
			copies = append(copies, shuffled(t, net, copies[0], rng))
		}
		x := noise(100, pictures.Features, 75)
		for n, alpha := range map[int]float64{2: 0.3, 3: 1} {
			got, r := zipped(t, net, x, map[string]any{"alpha": alpha, "beta": 0.5}, copies[:n]...)
			if d := got.Distance(copies[0]) / copies[0].Norm(); d > 1e-12 {
				t.Errorf("%d layers, %d copies: %g away", len(r.Layout.Layers), n, d)
			}
		}
	}
}

// What ZipIt is not for is said before anything runs.
func TestWhatZipItRefuses(t *testing.T) {
	s := fl.Setting{Clients: 3, Network: true, Held: true}
	s.Layout = modelled(t, model.ResNet9, pictures, map[string]any{"width": int64(2)}).Layout()
	if err := ZipIt.Fits(s); err == nil || !strings.Contains(err.Error(), "layer 1 is group-norm") {
		t.Errorf("group norms: %v", err)
	}
	s.Layout, s.Held = perceptron(t, judged, 7).Layout(), false
	if err := ZipIt.Fits(s); err == nil || !strings.Contains(err.Error(), "validation = 0.1") {
		t.Errorf("no samples: %v", err)
	}
	if s.Held = true; ZipIt.Fits(s) != nil {
		t.Error(ZipIt.Fits(s))
	}
}
