package aggregator

import (
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Theorem: of copies of one network with their neurons in other orders, far apart as those of
// random networks are for a small σ², FedMA makes that network, and PFNM nearly so: with a prior
// that says nothing. One copy stays as it is.
//
//hansa:verifies theorem aggregator/pfnm aggregator/fedma
func TestMatchedAveragingRecovers(t *testing.T) {
	for name, widths := range map[string][]int{"one layer": {9}, "two layers": {20, 12}} {
		net, rng := perceptron(t, judged, widths...), rand.New(rand.NewPCG(53, 4))
		copies := []fl.Vector{net.Init(rng)}
		for range 3 {
			copies = append(copies, shuffled(t, net, copies[0], rng))
		}
		for _, e := range []fl.AggregatorEntry{PFNM, FedMA} {
			for _, n := range []int{1, 4} {
				r := oneShot(make(fl.Vector, n), []fl.Model{net}, copies[:n])
				for k := range r.Updates {
					r.Updates[k].Model, r.Updates[k].Samples = nil, 3+k
				}
				r.RNG = rng
				a := server(t, e, map[string]any{"sigma": 1e-4, "sigma_prior": 1e6})
				got := fused(t, a, r)
				if d := saidBy(net, got).Distance(saidBy(net, copies[0])); d > 1e-3 {
					t.Errorf("%s, %s, %d copies: scores are %g away", e.Name, name, n, d)
				}
				o := observed(r, "global neurons found in layer 1")
				if o.Most != float64(widths[0]) {
					t.Errorf("%s, %s, %d copies: %+v", e.Name, name, n, o)
				}
				if notes := r.Notes.List(); len(notes) > 0 {
					t.Errorf("%s: notes %q", e.Name, notes)
				}
			}
		}
	}
}

// By its prior PFNM makes of J copies each number θ·Jσ₀²/(Jσ₀² + σ²), those of the last layer, which
// count by samples, θ·σ₀²/(σ₀² + σ²).
//
//hansa:verifies theorem aggregator/pfnm
func TestPFNMShrinks(t *testing.T) {
	net, rng := perceptron(t, judged, 9), rand.New(rand.NewPCG(54, 4))
	theta := net.Init(rng)
	r := oneShot(make(fl.Vector, 3), []fl.Model{net}, []fl.Vector{theta, theta, theta})
	for k := range r.Updates {
		r.Updates[k].Model, r.Updates[k].Samples = nil, 3+k
	}
	r.RNG = rng
	const sigma, prior = 1e-3, 4e-3
	got := fused(t, server(t, PFNM, map[string]any{"sigma": sigma, "sigma_prior": prior}), r)
	want, last := theta.Clone(), net.Layout().Blocks[2].Offset
	want[:last].Scale(3 * prior / (3*prior + sigma))
	want[last:].Scale(prior / (prior + sigma))
	if d := got.Distance(want); d > 1e-12 {
		t.Errorf("%g from what the prior makes of it", d)
	}
}

// A global network has no more neurons than the model: of networks that have nothing in common the
// rest is left out, and what remains is finite.
func TestMatchedAveragingIsAsWideAsTheModel(t *testing.T) {
	net, rng := perceptron(t, judged, 20, 12), rand.New(rand.NewPCG(55, 4))
	params := []fl.Vector{net.Init(rng), net.Init(rng), net.Init(rng)}
	for _, e := range []fl.AggregatorEntry{PFNM, FedMA} {
		r := oneShot(make(fl.Vector, 3), []fl.Model{net}, params)
		r.RNG = rng
		got := fused(t, server(t, e, map[string]any{"sigma": 1e-3}), r)
		if o := observed(r, "global neurons found in layer 1"); !(o.Most > 30) || !got.Finite() {
			t.Errorf("%s: %+v", e.Name, o)
		}
	}
}
