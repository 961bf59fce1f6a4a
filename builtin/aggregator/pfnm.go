// PFNM — neurons of all networks matched with those of a global one by a Bayesian model.
//
//	M. Yurochkin, M. Agarwal, S. Ghosh, K. Greenewald, T. N. Hoang, Y. Khazaeni. Bayesian
//	Nonparametric Federated Learning of Neural Networks. ICML 2019, Sections 3.1 and 3.2.
//
// Notation: of a hidden neuron its bias and the weights with which it leaves, in terms of the
// global neurons of the next layer; in the first layer also those that enter it. σ² the variance of
// clients' neurons around global ones, σ₀² that of global ones around 0, γ the mass of the beta
// process.
//
//	from the last hidden layer to the first: match as fuse.Atoms says;  θ_i ← G_i/S_i
//
// so that a mean is taken of matched neurons, which is drawn towards the prior: by J copies of a
// network each number is made θ·Jσ₀²/(Jσ₀² + σ²).
//
// Departures: the global network of the paper has as many neurons as are found, here no more than
// the model has: those of most clients are kept. Weights to classes and their biases count by the
// samples of a client, where the paper has those of each class, which no client sends. The prior
// mean of biases is 0, where the authors' code has 0.1.

package aggregator

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/fuse"
)

// PFNM describes the aggregator to the registry.
var PFNM = fl.AggregatorEntry{
	Name:    "pfnm",
	Summary: "matches neurons with global ones under a beta process prior: their mode",
	Paper:   "yurochkin2019",
	Deviations: "no more global neurons than the model has; classes count by the samples of a " +
		"client",
	New:  newPFNM,
	Fits: denseOnly("PFNM"),
	Waives: map[string]string{
		"consensus": "the prior draws parameters towards 0",
		"numbering": "the first client's neurons are the first global ones",
	},
}

// matched is what PFNM and FedMA have for parameters.
type matched struct {
	variance, prior, gamma float64
	passes                 int
}

func newMatched(p *fl.Params) matched {
	return matched{
		variance: p.Float("sigma", 1, fl.Above(0),
			"σ², the variance of clients' neurons around global ones"),
		prior: p.Float("sigma_prior", 10, fl.Above(0), "σ₀², the variance of global neurons"),
		gamma: p.Float("gamma", 1, fl.Above(0), "γ: the larger, the more global neurons are found"),
		passes: p.Int("passes", 5, fl.AtLeast(0),
			"over the clients, after neurons have been matched once"),
	}
}

// denseOnly is why a method does not fit networks that are not of dense layers.
func denseOnly(method string) func(fl.Setting) error {
	return func(s fl.Setting) error {
		if !s.Network {
			return fmt.Errorf("%s matches neurons, and this model has no layers", method)
		}
		if s.Layout.Layers == nil {
			return nil // a round tells
		}
		_, err := fuse.Dense(&s.Layout, method)
		return err
	}
}

// pfnm keeps nothing in State.
type pfnm struct{ matched }

var _ fl.Aggregator = pfnm{}

func newPFNM(p *fl.Params) (fl.Aggregator, error) { return pfnm{newMatched(p)}, nil }

// A matching is a round of PFNM or FedMA.
type matching struct {
	*matched
	round  *fl.Round
	layout fl.Layout
	layers []int     // dense ones
	order  []int     // of updates
	share  fl.Vector // of samples, by place in the order
	out    fl.Vector

	classes []fl.Vector // samples of each class, by place in the order; nil: not known
}

// begin prepares a round.
func (a *matched) begin(r *fl.Round, method string) (*matching, error) {
	if len(r.Updates) == 0 {
		return nil, errNoUpdates
	}
	m := &matching{matched: a, round: r, layout: r.Model.Layout(), order: byClient(r)}
	w, err := sharing("samples").of(r)
	if err != nil {
		return nil, err
	}
	for _, k := range m.order {
		m.share = append(m.share, w[k])
		if len(r.Updates[k].Params) != m.layout.Len() {
			return nil, errMixed
		}
	}
	m.out = make(fl.Vector, m.layout.Len())
	m.layers, err = fuse.Dense(&m.layout, method)
	return m, err
}

// blocks returns the weight and the bias, nil where there is none, of the c-th dense layer.
func (m *matching) blocks(c int) (weight, bias *fl.Block) {
	return m.layout.Block(m.layers[c], fl.Weight), m.layout.Block(m.layers[c], fl.Bias)
}

// theta returns the parameters of the j-th client.
func (m *matching) theta(j int) fl.Vector { return m.round.Updates[m.order[j]].Params }

// match matches neurons of the c-th layer, given precisions of their numbers by client.
func (m *matching) match(c int, own []fl.Matrix, precision []fl.Vector) fuse.Assignment {
	dim, width := own[0].Cols, own[0].Rows
	a := &fuse.Atoms{Mean: make(fl.Vector, dim), Precision: make(fl.Vector, dim), Gamma: m.gamma,
		Passes: m.passes, Most: width}
	a.Precision.Fill(1 / m.prior)
	found := a.Match(own, precision, m.round.RNG)
	m.round.Notes.Observe(fmt.Sprintf("global neurons found in layer %d", c+1),
		float64(found.Found))
	return found
}

// precise returns n precisions of the numbers of neurons.
func (m *matching) precise(n int) fl.Vector {
	v := make(fl.Vector, n)
	v.Fill(1 / m.variance)
	return v
}

// mode returns the mode of numbers that count by the samples of clients.
func (m *matching) mode(x func(j int) float64) float64 {
	sum := 0.0
	for j, w := range m.share {
		sum += w / m.variance * x(j)
	}
	return sum / (1/m.variance + 1/m.prior)
}

// Aggregate implements fl.Aggregator.
func (a pfnm) Aggregate(r *fl.Round) (fl.Outcome, error) {
	m, err := a.begin(r, "PFNM")
	if err != nil {
		return fl.Outcome{}, err
	}
	last := len(m.layers) - 1
	if _, bias := m.blocks(last); bias != nil {
		for c := range bias.Rows {
			bias.Of(m.out).Data[c] = m.mode(func(j int) float64 {
				return bias.Of(m.theta(j)).Data[c]
			})
		}
	}
	next := make([][]int, len(m.order)) // neurons of the layer above; nil: classes, in their places
	if last == 0 {
		weight, _ := m.blocks(0)
		for k := range weight.Of(m.out).Data {
			weight.Of(m.out).Data[k] = m.mode(func(j int) float64 {
				return weight.Of(m.theta(j)).Data[k]
			})
		}
	}
	for c := last - 1; c >= 0; c-- {
		next = m.hidden(c, next)
	}
	return fl.Outcome{Params: m.out}, nil
}

// hidden matches the c-th layer, given what became of the neurons of the next, and writes what
// belongs to it. A neuron is what enters it, in the first layer, its bias, and what leaves it.
func (m *matching) hidden(c int, next [][]int) [][]int {
	in, bias := m.blocks(c)
	up, _ := m.blocks(c + 1)
	width, first, top := in.Rows, 0, 0 // where the bias is, and what leaves the neuron
	if c == 0 {
		first = in.Cols
	}
	if top = first; bias != nil {
		top++
	}
	own, precision := make([]fl.Matrix, len(m.order)), make([]fl.Vector, len(m.order))
	for j := range own {
		own[j], precision[j] = fl.NewMatrix(width, top+up.Rows), m.precise(top+up.Rows)
		theta := m.theta(j)
		for l := range width {
			row := own[j].Row(l)
			copy(row[:first], in.Of(theta).Row(l))
			if bias != nil {
				row[first] = bias.Of(theta).Data[l]
			}
			for o := range up.Rows {
				if to := globalOf(next[j], o); to >= 0 {
					row[top+to] = up.Of(theta).Row(o)[l]
				}
			}
		}
		if next[j] == nil {
			precision[j][top:].Scale(m.share[j])
		}
	}
	found := m.match(c, own, precision)
	for i := range found.Global.Rows {
		row := found.Global.Row(i)
		copy(in.Of(m.out).Row(i), row[:first])
		if bias != nil {
			bias.Of(m.out).Data[i] = row[first]
		}
		for o := range up.Rows {
			up.Of(m.out).Row(o)[i] = row[top+o]
		}
	}
	return found.Of
}

// globalOf returns where a neuron is among global ones; without an assignment it stays.
func globalOf(of []int, l int) int {
	if of == nil {
		return l
	}
	return of[l]
}
