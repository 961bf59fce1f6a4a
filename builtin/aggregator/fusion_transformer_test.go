package aggregator

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/framework/fl"
)

// sentences is the shape of rows of tokens, each with the one that comes next.
var sentences = fl.Shape{Features: 6, Classes: 9, Tokens: 9}

// attending returns models of transformer blocks, and samples of each.
func attending(t *testing.T) (models []fl.Model, samples []*fl.Dataset) {
	t.Helper()
	rng := rand.New(rand.NewPCG(44, 2))
	add := func(e fl.ModelEntry, in fl.Shape, given map[string]any) {
		d := held(in)
		for i := range d.X.Data {
			if d.X.Data[i] = rng.NormFloat64(); in.Tokens > 0 {
				d.X.Data[i] = float64(rng.IntN(in.Tokens))
			}
		}
		models, samples = append(models, modelled(t, e, in, given)), append(samples, d)
	}
	for _, pool := range []string{"token", "mean"} {
		add(model.ViT, pictures, map[string]any{"width": int64(12), "depth": int64(2),
			"heads": int64(3), "mlp_ratio": int64(2), "pool": pool})
	}
	for _, tied := range []bool{true, false} {
		add(model.Transformer, sentences, map[string]any{"width": int64(12), "layers": int64(2),
			"heads": int64(3), "tied": tied})
	}
	return models, samples
}

// answers returns the scores of a model.
func answers(m fl.Model, theta fl.Vector, d *fl.Dataset) fl.Vector {
	dst := fl.NewMatrix(d.X.Rows, d.Shape.Classes)
	m.Worker().Scores(dst, theta, d.X)
	return dst.Data
}

// merges are rules that fuse networks neuron by neuron, with what makes their plans exact.
var merges = []struct {
	entry fl.AggregatorEntry
	given map[string]any
}{
	{LMF, map[string]any{"solver": "exact", "reference": "first"}},
	{LMF, map[string]any{"solver": "exact", "reference": "first", "neurons": "activations"}},
	{CODE, map[string]any{"solver": "exact", "order": "given"}},
	{FusionBarycenter, map[string]any{"solver": "exact"}},
	{GitReBasin, nil},
}

// trained returns parameters as far from their start as those of trained networks: biases and
// scales differ.
func trained(m fl.Model, rng *rand.Rand) fl.Vector {
	theta := m.Init(rng)
	theta.AddNoise(0.1, rng)
	return theta
}

// Theorem: copies of one transformer with their heads, hidden units and streams in other orders
// compute the same, and fuse to a network that does so, too: by transport, by weights and by
// activations, and by weight matching.
//
//hansa:verifies theorem aggregator/code aggregator/lmf aggregator/git-rebasin
//hansa:verifies theorem aggregator/fusion-barycenter
func TestPermutedTransformersFuseToOne(t *testing.T) {
	models, samples := attending(t)
	for k, m := range models {
		rng := rand.New(rand.NewPCG(45, uint64(k)))
		theta := trained(m, rng)
		copies := []fl.Vector{theta, shuffled(t, m, theta, rng), shuffled(t, m, theta, rng)}
		want := answers(m, theta, samples[k])
		for _, c := range copies[1:] {
			if c.Distance(theta) < 1 {
				t.Errorf("model %d: a copy is not shuffled", k)
			}
			far(t, fmt.Sprintf("model %d, a copy", k), answers(m, c, samples[k]), want)
		}
		for _, merge := range merges {
			r := oneShot(fl.Vector{.3, .8, .6}, []fl.Model{m}, copies)
			r.Validation, r.RNG = samples[k], rand.New(rand.NewPCG(3, 5))
			if merge.given["neurons"] != nil {
				for j := range r.Updates {
					r.Updates[j].Model = nil
				}
			}
			got := fused(t, server(t, merge.entry, merge.given), r)
			far(t, fmt.Sprintf("model %d, %s %v", k, merge.entry.Name, merge.given),
				answers(m, got, samples[k]), want)
		}
	}
}

// far reports scores that are further than 1e-6 from others, in units of 1 or of their size.
func far(t *testing.T, what string, got, want fl.Vector) {
	t.Helper()
	for i, x := range got {
		if d := x - want[i]; !(max(d, -d) <= 1e-6*(1+max(want[i], -want[i]))) {
			t.Errorf("%s: score %d is %g, want %g", what, i, x, want[i])
			return
		}
	}
}

// Transformers from independent starts are fused to numbers, by blurred plans as by exact ones, with
// their own layout. PFNM, which is for perceptrons, refuses them by name.
func TestTransformersFromTheirOwnStarts(t *testing.T) {
	models, samples := attending(t)
	for k, m := range models {
		rng := rand.New(rand.NewPCG(46, uint64(k)))
		params := []fl.Vector{trained(m, rng), trained(m, rng), trained(m, rng)}
		for _, merge := range append(merges[:len(merges):len(merges)], struct {
			entry fl.AggregatorEntry
			given map[string]any
		}{LMF, nil}) {
			r := oneShot(fl.Vector{.3, .8, .6}, []fl.Model{m}, params)
			r.Validation, r.RNG = samples[k], rand.New(rand.NewPCG(3, 5))
			if merge.given["neurons"] != nil {
				for j := range r.Updates {
					r.Updates[j].Model = nil
				}
			}
			got := fused(t, server(t, merge.entry, merge.given), r)
			if said := answers(m, got, samples[k]); !got.Finite() || !said.Finite() {
				t.Errorf("model %d, %s %v: NaN", k, merge.entry.Name, merge.given)
			}
		}
		s := fl.Setting{Clients: 3, Held: true, Network: true, Layout: m.Layout()}
		for _, e := range []fl.AggregatorEntry{CODE, LMF, FusionBarycenter, GitReBasin} {
			if err := e.Fits(s); err != nil {
				t.Errorf("model %d, %s: %v", k, e.Name, err)
			}
		}
		if err := PFNM.Fits(s); err == nil || !strings.Contains(err.Error(), "networks of dense layers") {
			t.Errorf("model %d: PFNM says %v", k, err)
		}
	}
}
