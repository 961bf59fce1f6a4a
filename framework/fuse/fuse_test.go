package fuse_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/fuse"
	"github.com/hansa-fl/hansa/framework/nn"
	"github.com/hansa-fl/hansa/framework/ot"
)

// A golden is a case of the reference vectors.
type golden struct {
	Name   string `json:"name"`
	Inputs struct {
		Source     []weights   `json:"source"`
		Target     []weights   `json:"target"`
		Networks   [][]weights `json:"networks"`
		Accuracies []float64   `json:"accuracies"`
		Lambda     float64     `json:"lambda"`
		Power      int         `json:"cost_power"`
		Bias       bool        `json:"bias_in_cost"`
		Output     string      `json:"output_layer"`
	} `json:"inputs"`
	Expected struct {
		Plans   []json.RawMessage `json:"plans"`
		Aligned []weights         `json:"aligned_source"`
		Fused   []weights         `json:"fused"`
		Order   []int             `json:"ascending_order"`
		Pairs   []weights         `json:"sequential_fused"`
		AtOnce  []weights         `json:"simultaneous_fused"`
		To      int               `json:"simultaneous_reference"`
	} `json:"expected"`
}

// weights are a layer's: W is out×in, or out×in×height×width.
type weights struct {
	W any       `json:"W"`
	B []float64 `json:"b"`
}

// sizes returns the lengths of nested lists.
func sizes(v any) (list []int) {
	for {
		l, ok := v.([]any)
		if !ok {
			return list
		}
		list, v = append(list, len(l)), l[0]
	}
}

// number returns an element of nested lists.
func number(v any, index ...int) float64 {
	for _, i := range index {
		v = v.([]any)[i]
	}
	return v.(float64)
}

// network lays layers out as ours are: convolutions with channels innermost, a flattened image
// pixel by pixel.
func network(layers []weights) fuse.Network {
	var n fuse.Network
	channels := 0 // of the convolution before
	for i, l := range layers {
		size := sizes(l.W)
		out, cols, kind := size[0], 1, fl.KindDense
		for _, s := range size[1:] {
			cols *= s
		}
		at := n.Layout.Len()
		n.Layout.Blocks = append(n.Layout.Blocks,
			fl.Block{Name: fl.Weight, Layer: i, Rows: out, Cols: cols, Offset: at},
			fl.Block{Name: fl.Bias, Layer: i, Rows: out, Cols: 1, Offset: at + out*cols})
		layer := fl.Layer{Blocks: []int{2 * i, 2*i + 1}}
		for o := range out {
			for c := range cols {
				switch {
				case len(size) == 4:
					kind = fl.KindConv
					layer.KH, layer.KW, layer.Stride = size[2], size[3], 1
					in, pixel := c%size[1], c/size[1]
					n.Params = append(n.Params, number(l.W, o, in, pixel/size[3], pixel%size[3]))
				case channels > 0:
					pixels := cols / channels
					n.Params = append(n.Params, number(l.W, o, c%channels*pixels+c/channels))
				default:
					n.Params = append(n.Params, number(l.W, o, c))
				}
			}
		}
		n.Params = append(n.Params, l.B...)
		layer.Kind = kind
		before := len(n.Layout.Layers) - 1
		if kind == fl.KindDense && channels > 0 {
			n.Layout.Layers = append(n.Layout.Layers,
				fl.Layer{Kind: fl.KindFlatten, From: []int{before}})
			before++
		}
		layer.From = []int{before}
		n.Layout.Layers = append(n.Layout.Layers, layer)
		if channels = 0; kind == fl.KindConv {
			channels = out
		}
		if i < len(layers)-1 {
			n.Layout.Layers = append(n.Layout.Layers,
				fl.Layer{Kind: fl.KindReLU, From: []int{len(n.Layout.Layers) - 1}})
		}
	}
	return n
}

// aligner returns what a case asks for.
func (g *golden) aligner() *fuse.Aligner {
	a := &fuse.Aligner{Solver: new(ot.Exact), Root: g.Inputs.Power == 1, Bare: !g.Inputs.Bias,
		Output: g.Inputs.Output == "ot"}
	if g.Inputs.Lambda > 0 {
		a.Solver = &ot.Entropic{Lambda: g.Inputs.Lambda, Epsilon: 1e-13, MaxSweeps: 1_000_000}
	}
	return a
}

func align(t *testing.T, a *fuse.Aligner, from, to fuse.Network) (fl.Vector, []fuse.Step) {
	t.Helper()
	dst := make(fl.Vector, len(to.Params))
	steps, err := a.Align(dst, from, to)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range steps {
		if !s.Converged {
			t.Errorf("layer %d: residual %v after %d sweeps", s.Layer, s.Residual, s.Sweeps)
		}
	}
	return dst, steps
}

// half returns ½a + ½b.
func half(a, b fl.Vector) fl.Vector {
	c := a.Clone()
	c.Scale(0.5)
	c.AddScaled(0.5, b)
	return c
}

func near(t *testing.T, what string, got, want fl.Vector, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i := range got {
		if math.Abs(got[i]-want[i]) > tolerance*(1+math.Abs(want[i])) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

func TestGolden(t *testing.T) {
	text, err := os.ReadFile("testdata/ot_fusion.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []golden }
	if err := json.Unmarshal(text, &file); err != nil || len(file.Cases) != 9 {
		t.Fatalf("%v, %d cases", err, len(file.Cases))
	}
	for _, g := range file.Cases {
		t.Run(g.Name, func(t *testing.T) {
			if g.Inputs.Networks != nil {
				g.several(t)
				return
			}
			from, to := network(g.Inputs.Source), network(g.Inputs.Target)
			got, steps := align(t, g.aligner(), from, to)
			near(t, "aligned", got, network(g.Expected.Aligned).Params, 1e-6)
			near(t, "fused", half(got, to.Params), network(g.Expected.Fused).Params, 1e-6)
			for k, s := range steps {
				var want [][]float64
				if k >= len(g.Expected.Plans) {
					continue
				}
				if err := json.Unmarshal(g.Expected.Plans[k], &want); err != nil {
					t.Fatal(err)
				}
				for i, row := range want {
					near(t, fmt.Sprintf("plan %d, row %d", k, i), s.Plan.Row(i), row, 1e-6)
				}
			}
		})
	}
}

// several fuses three networks, one after the other and all into one.
func (g *golden) several(t *testing.T) {
	var all []fuse.Network
	for _, n := range g.Inputs.Networks {
		all = append(all, network(n))
	}
	fused := all[g.Expected.Order[0]]
	for _, k := range g.Expected.Order[1:] {
		aligned, _ := align(t, g.aligner(), fused, all[k])
		fused = fuse.Network{Layout: all[k].Layout, Params: half(aligned, all[k].Params)}
	}
	near(t, "one after the other", fused.Params, network(g.Expected.Pairs).Params, 1e-6)
	to, mean := all[g.Expected.To], make(fl.Vector, len(fused.Params))
	for k, n := range all {
		if k != g.Expected.To {
			n.Params, _ = align(t, g.aligner(), n, to)
		}
		mean.AddScaled(1/float64(len(all)), n.Params)
	}
	near(t, "all into one", mean, network(g.Expected.AtOnce).Params, 1e-6)
}

// nets are networks of every kind that can be aligned.
func nets(t *testing.T) map[string]*nn.Net {
	t.Helper()
	all := map[string]*nn.Net{}
	add := func(name string, in nn.Shape, layers ...nn.Layer) {
		net, err := nn.New(in, layers...)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = net
	}
	image := nn.Shape{H: 8, W: 8, C: 3}
	add("dense", nn.Shape{H: 1, W: 1, C: 12}, nn.Dense(20), nn.ReLU(), nn.Dense(9), nn.ReLU(), nn.Dense(4))
	add("convolutions", image, nn.Conv(6, 3, 1, 1), nn.ReLU(), nn.MaxPool(2, 2), nn.Conv(10, 3, 1, 1),
		nn.ReLU(), nn.Flatten(), nn.Dense(7), nn.ReLU(), nn.Dense(5))
	add("residual", image, nn.Conv(8, 3, 1, 1), nn.GroupNorm(2), nn.ReLU(),
		nn.Residual(nn.Conv(8, 3, 1, 1), nn.GroupNorm(4), nn.ReLU(), nn.Conv(8, 3, 1, 1)),
		nn.ReLU(), nn.Residual(nn.Conv(12, 3, 2, 1), nn.BatchNorm()), nn.MaxPool(2, 2), nn.Flatten(), nn.Dense(5))
	return all
}

// shuffled lists the hidden neurons of a network in another order: it computes the same. It
// permutes by an Aligner whose "plans" are permutations that respect groups.
func shuffled(t *testing.T, n fuse.Network, rng *rand.Rand) fuse.Network {
	t.Helper()
	a := &fuse.Aligner{Solver: &dealer{rng: rng}}
	params, _ := align(t, a, n, n)
	return fuse.Network{Layout: n.Layout, Params: params}
}

// A dealer is a solver that returns a random permutation, whatever the costs.
type dealer struct {
	rng *rand.Rand
	n   int
}

func (d *dealer) Solve(t ot.Transport) ot.Coupling {
	d.n = len(t.A)
	return ot.Coupling{Converged: true}
}

func (d *dealer) Plan(dst fl.Matrix) {
	clear(dst.Data)
	for i, j := range d.rng.Perm(d.n) {
		dst.Row(i)[j] = 1 / float64(d.n)
	}
}

// wide returns initial parameters of a net, with norms that are not trivial.
func wide(net *nn.Net, rng *rand.Rand) fuse.Network {
	n := fuse.Network{Layout: net.Layout(), Params: make(fl.Vector, net.Params())}
	for i, x := range net.Init(rng) {
		n.Params[i] = float64(x) + 0.1*rng.Float64()
	}
	return n
}

// says returns what a net computes of some images.
func says(net *nn.Net, params fl.Vector, images int) fl.Vector {
	tape, rng := net.Tape(images), rand.New(rand.NewPCG(5, 6))
	x := make([]float64, images*net.In().Len())
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	single := make([]float32, len(params))
	for i, p := range params {
		single[i] = float32(p)
	}
	var out fl.Vector
	for _, s := range tape.Forward(single, tape.Gather(x, nil), images) {
		out = append(out, float64(s))
	}
	return out
}

// A network whose neurons are listed in another order computes the same, and is aligned back
// to what it was; so fusing it with the original returns the original.
func TestPermutedCopiesAreRecovered(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, net := range nets(t) {
		n := wide(net, rng)
		other := shuffled(t, n, rng)
		near(t, name+": what it computes", says(net, other.Params, 3), says(net, n.Params, 3), 1e-4)
		if other.Params.Distance(n.Params) < 0.1 {
			t.Errorf("%s: the copy is not shuffled", name)
		}
		got, _ := align(t, &fuse.Aligner{Solver: new(ot.Exact)}, other, n)
		near(t, name+": aligned", got, n.Params, 1e-12)
	}
}

// As λ falls the entropic plan becomes the assignment.
func TestSmallLambdaMeetsTheAssignment(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	b := wide(nets(t)["dense"], rng)
	a := shuffled(t, b, rng) // the assignment is far cheaper than any other plan
	for i := range a.Params {
		a.Params[i] += 0.01 * rng.NormFloat64()
	}
	want, _ := align(t, &fuse.Aligner{Solver: new(ot.Exact)}, a, b)
	before := math.Inf(1)
	for _, lambda := range []float64{0.1, 0.01, 0.001} {
		solver := &ot.Entropic{Lambda: lambda, Epsilon: 1e-9, MaxSweeps: 1_000_000}
		got, _ := align(t, &fuse.Aligner{Solver: solver}, a, b)
		away := got.Distance(want)
		if away > before {
			t.Errorf("λ = %v is %v from the assignment, a larger one %v", lambda, away, before)
		}
		before = away
	}
	if before > 1e-6*want.Norm() {
		t.Errorf("at λ = 0.001 still %v away", before)
	}
}

// What is aligned has the width of the other; more neurons on either side do no harm.
func TestDifferentWidths(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	build := func(w ...int) *nn.Net {
		net, err := nn.New(nn.Shape{H: 4, W: 4, C: 2}, nn.Conv(w[0], 3, 1, 1), nn.ReLU(), nn.Flatten(),
			nn.Dense(w[1]), nn.ReLU(), nn.Dense(3))
		if err != nil {
			t.Fatal(err)
		}
		return net
	}
	for _, w := range [][]int{{3, 5}, {6, 5}, {4, 11}, {1, 1}, {9, 30}} {
		from, to := build(4, 6), build(w...)
		a, b := wide(from, rng), wide(to, rng)
		got, steps := align(t, &fuse.Aligner{Solver: new(ot.Exact)}, a, b)
		if len(got) != to.Params() || !got.Finite() || len(steps) != 2 {
			t.Errorf("widths %v: %d parameters, %d plans", w, len(got), len(steps))
		}
	}
}
