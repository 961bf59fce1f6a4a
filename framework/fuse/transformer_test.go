package fuse_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/fuse"
	"github.com/hansa-fl/hansa/framework/nn"
	"github.com/hansa-fl/hansa/framework/ot"
)

// tokens is how many a decoder of these tests knows.
const tokens = 7

// attentive returns networks of transformer blocks: of images and of tokens, with scores of their
// own weights and of those of the embedding.
func attentive(t *testing.T) map[string]*nn.Net {
	t.Helper()
	all := map[string]*nn.Net{}
	add := func(name string, in nn.Shape, layers ...nn.Layer) {
		net, err := nn.New(in, layers...)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = net
	}
	const w = 12
	attend := func(by nn.Layer, more ...nn.Layer) []nn.Layer {
		return append(append([]nn.Layer{nn.LayerNorm(), nn.Positions(3 * w), by}, more...),
			nn.Positions(w), nn.Dropout(0.1))
	}
	units := nn.Residual(nn.LayerNorm(), nn.Positions(2*w), nn.GELU(), nn.Positions(w))
	self, causal := nn.SelfAttention(3), nn.Attention(4)
	add("vit", nn.Shape{H: 8, W: 8, C: 3}, nn.Conv(w, 4, 4, 0), nn.Sequence(), nn.Token(1),
		nn.Position(1), nn.Residual(attend(self)...), units,
		nn.ResidualBy([]nn.Layer{nn.First()}, attend(self, nn.First())...), units, nn.LayerNorm(),
		nn.Dense(5))
	add("mean of positions", nn.Shape{H: 8, W: 8, C: 3}, nn.Conv(w, 4, 4, 0), nn.Sequence(),
		nn.Position(1), nn.Residual(attend(self)...), units, nn.LayerNorm(), nn.GlobalAvgPool(),
		nn.Dense(5))
	for name, end := range map[string][]nn.Layer{"tied": {nn.Tied()}, "last": {nn.Last(), nn.Tied()},
		"untied": {nn.Positions(tokens)}} {
		add(name, nn.Shape{H: 6, W: 1, C: 1}, append([]nn.Layer{nn.Embedding(tokens, w, 1),
			nn.Position(1), nn.Residual(attend(causal)...), units, nn.Residual(attend(causal)...),
			units, nn.LayerNorm()}, end...)...)
	}
	return all
}

// scored returns what a net says of tokens, or of images.
func scored(net *nn.Net, params fl.Vector) fl.Vector {
	if net.Layout().Layers[0].Kind != fl.KindEmbedding {
		return says(net, params, 3)
	}
	tape, rng := net.Tape(3), rand.New(rand.NewPCG(5, 7))
	x := make([]float64, 3*net.In().Len())
	for i := range x {
		x[i] = float64(rng.IntN(tokens))
	}
	single := make([]float32, len(params))
	for i, p := range params {
		single[i] = float32(p)
	}
	var out fl.Vector
	for _, s := range tape.Forward(single, tape.Gather(x, nil), 3) {
		out = append(out, float64(s))
	}
	return out
}

// reordered permutes heads and hidden units of every block, and the stream that passes all blocks,
// number by number from their definitions, without what is tested.
func reordered(n fuse.Network, rng *rand.Rand) fl.Vector {
	const w, hidden = 12, 24
	out := n.Params.Clone()
	move := func(b *fl.Block, rows, cols []int) { // out[r][c] = params[rows[r]][cols[c]]
		from, to := b.Of(n.Params), b.Of(out)
		for r := range b.Rows {
			for c := range b.Cols {
				i, k := r, c
				if rows != nil {
					i = rows[r]
				}
				if cols != nil {
					k = cols[c]
				}
				to.Row(r)[c] = from.Row(i)[k]
			}
		}
	}
	stream := rng.Perm(w)
	var in []int // of the channels that enter the next weights
	last := len(n.Layout.Layers) - 1
	for i := range n.Layout.Layers {
		l := &n.Layout.Layers[i]
		var rows []int
		switch weight := n.Layout.Block(i, fl.Weight); {
		case l.Kind == fl.KindLayerNorm:
			move(n.Layout.Block(i, fl.NormScale), stream, nil)
			move(n.Layout.Block(i, fl.NormOffset), stream, nil)
			in = stream
		case l.Kind == fl.KindEmbedding || l.Kind == fl.KindPosition || l.Kind == fl.KindToken:
			move(weight, nil, stream)
		case l.Kind == fl.KindSelf || l.Kind == fl.KindAttention:
			in = in[:w] // of queries, which lie as what comes out
		case l.Kind != fl.KindDense && l.Kind != fl.KindConv:
		case i == last:
			move(weight, nil, in)
		default:
			switch weight.Rows {
			case w:
				rows = stream
			case hidden:
				rows = rng.Perm(hidden)
			default:
				n := n.Layout.Layers[i+1].Groups
				heads := rng.Perm(n)
				for r := range 3 * w {
					head, c := r%w/(w/n), r%(w/n)
					rows = append(rows, r/w*w+heads[head]*(w/n)+c)
				}
			}
			move(weight, rows, in)
			move(n.Layout.Block(i, fl.Bias), rows, nil)
			in = rows
		}
	}
	return out
}

// Theorem: a transformer whose heads, hidden units and residual stream are listed in another order
// computes the same; it is aligned back to what it was, by transport and by weight matching, and
// fused with the original it is the original.
func TestPermutedTransformersAreRecovered(t *testing.T) {
	for name, net := range attentive(t) {
		rng := rand.New(rand.NewPCG(21, 2))
		n := wide(net, rng)
		want := scored(net, n.Params)
		for seed := range uint64(4) {
			rng := rand.New(rand.NewPCG(seed, 22))
			other := reordered(n, rng)
			if seed > 1 {
				other = shuffled(t, n, rng).Params
			}
			if other.Distance(n.Params) < 1 {
				t.Errorf("%s: the copy is not shuffled", name)
			}
			near(t, name+": what it computes", scored(net, other), want, 1e-6)
			from := fuse.Network{Layout: n.Layout, Params: other}
			got, steps := align(t, &fuse.Aligner{Solver: new(ot.Exact)}, from, n)
			near(t, name+": aligned", got, n.Params, 1e-12)
			near(t, name+": fused", scored(net, half(got, n.Params)), want, 1e-6)
			for _, s := range steps {
				if k := n.Layout.Layers[s.Layer+1]; k.Kind == fl.KindSelf && s.Plan.Rows != k.Groups {
					t.Errorf("%s: a plan of %d rows for %d heads", name, s.Plan.Rows, k.Groups)
				}
			}
			done, err := new(fuse.Matcher).Match(other, n.Params, &n.Layout, rng)
			if err != nil || !done.Converged || other.Distance(n.Params) != 0 {
				t.Errorf("%s, matched: %g away, %+v, %v", name, other.Distance(n.Params), done, err)
			}
		}
	}
}

// A transformer that is matched with another one computes what it did, and its product with it
// rises; what is aligned by blurred or partial plans has its layout and no NaN.
func TestTransformersOfTheirOwn(t *testing.T) {
	for name, net := range attentive(t) {
		rng := rand.New(rand.NewPCG(23, 2))
		a, b := wide(net, rng), wide(net, rng)
		matched := a.Params.Clone()
		done, err := new(fuse.Matcher).Match(matched, b.Params, &a.Layout, rng)
		if err != nil || done.Changes == 0 || matched.Dot(b.Params) <= a.Params.Dot(b.Params) {
			t.Errorf("%s: %+v, %v", name, done, err)
		}
		near(t, name, scored(net, matched), scored(net, a.Params), 1e-6)
		for _, aligner := range []*fuse.Aligner{
			{Solver: &ot.Entropic{Lambda: 1, Epsilon: 1e-6, MaxSweeps: 10000}},
			{Solver: &ot.Partial{Mass: 0.7}, Loose: true},
			{Solver: new(ot.Exact), Output: true},
			{Solver: new(ot.Exact), Printed: true},
		} {
			got, _ := align(t, aligner, a, b)
			if !got.Finite() {
				t.Errorf("%s, %+v: NaN", name, aligner)
			}
		}
		var bary fuse.Barycenter
		bary.Solver, bary.Passes = new(ot.Exact), 3
		mid, own, _, err := bary.Fuse([]fuse.Network{a, b}, fl.Vector{.5, .5}, 0)
		if err != nil {
			t.Fatal(err)
		}
		near(t, name+": barycenter", mid, half(own[0], own[1]), 1e-12)
	}
}

// Heads that cannot be moved as a whole say why.
func TestHeadsThatCannotBeAligned(t *testing.T) {
	in := nn.Shape{H: 4, W: 1, C: 3}
	build := func(layers ...nn.Layer) fuse.Network {
		net, err := nn.New(in, append(layers, nn.Positions(2))...)
		if err != nil {
			t.Fatal(err)
		}
		return wide(net, rand.New(rand.NewPCG(1, 1)))
	}
	q, attend := nn.Positions(12), nn.Attention(2)
	base := build(q, attend)
	twice := func(n fuse.Network) [2]fuse.Network { return [2]fuse.Network{n, n} }
	for want, pair := range map[string][2]fuse.Network{
		"heads of attention that meet a layer of kind layer-norm": twice(build(q, nn.LayerNorm(), attend)),
		"heads that two layers yield":                             twice(build(q, attend, nn.Residual(nn.Positions(4)))),
		"attention to what attention yields":                      twice(build(nn.Positions(36), attend, attend)),
		"heads of 3 channels in one network and 2 in the other":   {build(nn.Positions(18), attend), base},
		"layer 1 is self in one network and attention":            {build(q, nn.SelfAttention(2)), base},
		"layer 1, attention, differs in more than its width":      {build(q, nn.Attention(1)), base},
	} {
		from, to := pair[0], pair[1]
		_, err := (&fuse.Aligner{Solver: new(ot.Exact)}).Align(make(fl.Vector, len(to.Params)), from, to)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want …%s…", err, want)
		}
	}
}
