package local_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/builtin/aggregator"
	"github.com/hansa-fl/hansa/builtin/local"
	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/framework/fl"
)

// matchers are clients and a server of FedMA, whose networks have three layers.
type matchers struct {
	net    fl.Model
	layout fl.Layout
	rule   fl.LocalRule
	server fl.Aggregator
	starts []fl.Vector // of the first round, by client
	data   []fl.Dataset
	still  bool // clients do not train

	round   int
	theta   fl.Vector
	memory  *fl.Store
	states  []*fl.Store
	sent    fl.Tensors
	mail    map[int]fl.Tensors
	updates []fl.Update // of the last round
}

// still is a worker that makes no step.
type still struct{ fl.Worker }

func (still) Descend(*fl.Descent) {}

// newMatchers returns clients that begin with these parameters; nil: each with some of its own.
func newMatchers(t *testing.T, starts []fl.Vector, widths ...any) *matchers {
	t.Helper()
	shape := fl.Shape{Features: 5, Classes: 3}
	net, err := made(t, model.MLP, map[string]any{"widths": widths}, fl.Setting{}).For(shape)
	if err != nil {
		t.Fatal(err)
	}
	m := &matchers{net: net, layout: net.Layout(), memory: fl.NewStore(), starts: starts}
	m.rule = made(t, local.FedMA, map[string]any{"epochs": int64(2), "batch": int64(4), "lr": 0.1},
		fl.Setting{Rounds: 9})
	m.server = made(t, aggregator.FedMALayerwise, map[string]any{"sigma": 1e-3}, fl.Setting{})
	for i := range 4 {
		rng := rand.New(rand.NewPCG(71, uint64(i)))
		d := fl.Dataset{Shape: shape, X: fl.NewMatrix(6+3*i, shape.Features)}
		for k := range d.X.Data {
			d.X.Data[k] = rng.NormFloat64()
		}
		for k := range d.X.Rows {
			d.Y = append(d.Y, k%3)
		}
		if starts == nil {
			m.starts = append(m.starts, net.Init(rng))
		}
		m.data, m.states = append(m.data, d), append(m.states, fl.NewStore())
	}
	m.theta = make(fl.Vector, len(m.starts[0]))
	return m
}

// play plays a round of some clients.
func (m *matchers) play(t *testing.T, cohort ...int) {
	t.Helper()
	r := &fl.Round{T: m.round, Global: m.theta, Model: m.net, Layout: m.layout, State: m.memory,
		Notes: new(fl.Notes), Roster: &fl.Roster{N: len(m.data)}}
	for _, i := range cohort {
		worker := m.net.Worker()
		if m.still {
			worker = still{worker}
		}
		task := &fl.Task{T: m.round, Client: &fl.Client{ID: i, Data: m.data[i]}, Global: m.theta,
			Params: m.theta.Clone(), Model: m.net, Worker: worker, Broadcast: m.sent,
			Mail: m.mail[i], State: m.states[i], RNG: rand.New(rand.NewPCG(uint64(m.round), uint64(i)))}
		if m.round == 0 {
			task.Params = m.starts[i].Clone()
		}
		u, err := m.rule.Run(task)
		if err != nil {
			t.Fatal(err)
		}
		u.Client, u.Samples = i, len(m.data[i].Y)
		r.Updates = append(r.Updates, u)
	}
	out, err := m.server.Aggregate(r)
	if err != nil {
		t.Fatal(err)
	}
	m.theta, m.updates, m.round = out.Params.Clone(), r.Updates, m.round+1
	m.sent = fl.Tensors{"matched": {Rows: 1, Cols: 1, Data: slices.Clone(out.Broadcast["matched"].Data)}}
	m.mail = maps.Clone(out.Mail)
}

// layer returns the parameters of the n-th layer with weights, from 0.
func (m *matchers) layer(params fl.Vector, n int) (all fl.Vector) {
	for _, b := range m.layout.Blocks {
		if b.Layer == n {
			all = append(all, b.Of(params).Data...)
		}
	}
	return all
}

// permuted returns the same network with its neurons in another order.
func (m *matchers) permuted(theta fl.Vector, rng *rand.Rand) fl.Vector {
	to := theta.Clone()
	var order []int // of what is below
	for k := range m.layout.Blocks {
		b := &m.layout.Blocks[k]
		own, from := b.Of(to), b.Of(theta)
		if b.Name == fl.Weight {
			below := order
			if order = rng.Perm(b.Rows); b.Layer == 2 {
				slices.Sort(order)
			}
			for r := range b.Rows {
				for c := range b.Cols {
					at := c
					if below != nil {
						at = below[c]
					}
					own.Row(order[r])[at] = from.Row(r)[c]
				}
			}
			continue
		}
		for r := range b.Rows {
			own.Data[order[r]] = from.Data[r]
		}
	}
	return to
}

// Theorem: where clients do not train, the model after each of L rounds is that of the first, to the
// bit, which is what fedma makes of all layers at once, to 1e-14; neurons for which there is no room
// among them.
//
//hansa:verifies theorem aggregator/fedma-layerwise local/fedma
func TestFedMAWithoutTrainingIsOneShot(t *testing.T) {
	m := newMatchers(t, nil, int64(9), int64(7))
	m.still = true
	m.play(t, 0, 1, 2, 3)
	once := made(t, aggregator.FedMA, map[string]any{"sigma": 1e-3}, fl.Setting{})
	out, err := once.Aggregate(&fl.Round{Model: m.net, Layout: m.layout, Updates: m.updates,
		Notes: new(fl.Notes), State: fl.NewStore(), Global: m.theta})
	if err != nil || out.Params.Distance(m.theta) > 1e-14 {
		t.Fatalf("the first round is %v from fedma, %v", out.Params.Distance(m.theta), err)
	}
	first := m.theta
	lost := 0
	for _, sent := range m.mail {
		for _, x := range sent["neurons"].Data[1:] {
			if x < 0 {
				lost++
			}
		}
	}
	if lost == 0 {
		t.Error("there is room for all neurons")
	}
	for range 2 {
		m.play(t, 0, 1, 2, 3)
		if !slices.Equal(m.theta, first) {
			t.Errorf("after %d rounds: %v away", m.round, m.theta.Distance(first))
		}
	}
}

// Theorem: of copies of one network with their neurons in other orders L rounds make a network that
// computes the same.
//
//hansa:verifies theorem aggregator/fedma-layerwise local/fedma
func TestFedMARecoversCopies(t *testing.T) {
	m := newMatchers(t, nil, int64(9), int64(7))
	rng := rand.New(rand.NewPCG(72, 1))
	for i := range m.starts[1:] {
		m.starts[1+i] = m.permuted(m.starts[0], rng)
	}
	m.still = true
	says := func(theta fl.Vector) fl.Vector {
		dst := fl.NewMatrix(len(m.data[3].Y), 3)
		m.net.Worker().Scores(dst, theta, m.data[3].X)
		return dst.Data
	}
	want := says(m.starts[0])
	if d := says(m.starts[2]).Distance(want); d > 1e-4 || slices.Equal(m.starts[2], m.starts[0]) {
		t.Fatalf("a copy is %v away", d)
	}
	for range 3 {
		m.play(t, 0, 1, 2, 3)
		if d := says(m.theta).Distance(want); d > 1e-4 { // scores are in single precision
			t.Errorf("after %d rounds: %v away", m.round, d)
		}
	}
}

// Theorem: layers that are matched do not move, at the server and at the clients, until a new cycle
// begins, and all above them do.
//
//hansa:verifies theorem aggregator/fedma-layerwise local/fedma
func TestFedMAFreezesMatchedLayers(t *testing.T) {
	m := newMatchers(t, nil, int64(9), int64(7))
	for range 7 {
		before, fixed := m.theta, m.round%3
		m.play(t, 0, 1, 2, 3)
		for n := range 3 {
			if same := slices.Equal(m.layer(before, n), m.layer(m.theta, n)); same != (n < fixed) {
				t.Errorf("round %d: layer %d is the same: %v", m.round, n+1, same)
			}
			for _, u := range m.updates {
				same := slices.Equal(m.layer(before, n), m.layer(u.Params, n))
				if same != (n < fixed) && m.round > 1 {
					t.Errorf("round %d: layer %d of client %d is the same: %v", m.round, n+1, u.Client,
						same)
				}
			}
		}
	}
}

// A client's own layers go on, with their columns in terms of global neurons; one that missed a
// round goes on from the model of the round, though it kept layers, and mail waits for it.
func TestFedMAGoesOnFromOwnLayers(t *testing.T) {
	m := newMatchers(t, nil, int64(9), int64(7))
	m.play(t, 0, 1, 2, 3)
	m.still = true
	own, neurons := m.updates[1].Params.Clone(), m.mail[1]["neurons"].Data[1:]
	waits := m.mail[3]
	m.play(t, 0, 1, 2)
	weight := m.layout.Blocks[2]
	got, want := weight.Of(m.updates[1].Params), fl.NewMatrix(weight.Rows, weight.Cols)
	for r := range want.Rows {
		for c, g := range neurons {
			if g >= 0 {
				want.Row(r)[int(g)] = weight.Of(own).Row(r)[c]
			}
		}
	}
	if !slices.Equal(got.Data, want.Data) {
		t.Error("columns are not those of global neurons")
	}
	if !slices.Equal(m.layer(m.updates[1].Params, 2), m.layer(own, 2)) {
		t.Error("the last layer is not the client's own")
	}
	before := m.theta
	m.mail[3] = waits
	m.play(t, 1, 3)
	if !slices.Equal(m.updates[1].Params, before) || slices.Equal(m.updates[0].Params, before) {
		t.Error("a client that missed a round does not go on from the model of the round")
	}
}

// The scores of a class count by the samples that clients have of it, as the paper has them; where
// no client has one, by all of their samples.
func TestFedMACountsClasses(t *testing.T) {
	m := newMatchers(t, nil, int64(9), int64(7))
	for i := range m.data {
		for k := range m.data[i].Y { // none of class 2
			m.data[i].Y[k] = min(1, k%(i+2))
		}
	}
	m.play(t, 0, 1, 2, 3)
	m.play(t, 0, 1, 2, 3)
	m.play(t, 0, 1, 2, 3)
	last := m.layout.Blocks[4]
	got, want, total := last.Of(m.theta), fl.NewMatrix(last.Rows, last.Cols), make(fl.Vector, 3)
	for _, u := range m.updates {
		for c := range 3 {
			n := u.Payload["classes"].Data[c]
			if c == 2 {
				n = float64(u.Samples)
			}
			total[c] += n
			fl.Vector(want.Row(c)).AddScaled(n, last.Of(u.Params).Row(c))
		}
	}
	for c := range 3 {
		fl.Vector(want.Row(c)).Scale(1 / total[c])
	}
	if d := fl.Vector(got.Data).Distance(want.Data); d > 1e-12 {
		t.Errorf("%v away", d)
	}
}

// In the first round of a cycle a client of FedMA is one of sgd, to the bit.
//
//hansa:verifies equivalence local/fedma
func TestFedMABeginsAsSGD(t *testing.T) {
	m := newMatchers(t, nil, int64(9), int64(7))
	m.play(t, 0, 1, 2, 3)
	plain := newMatchers(t, nil, int64(9), int64(7))
	plain.rule = made(t, local.SGD, map[string]any{"epochs": int64(2), "batch": int64(4), "lr": 0.1},
		fl.Setting{Rounds: 9})
	rule := plain.rule
	plain.rule = counted{rule}
	plain.play(t, 0, 1, 2, 3)
	for k := range m.updates {
		if !slices.Equal(m.updates[k].Params, plain.updates[k].Params) {
			t.Errorf("client %d: another model", k)
		}
	}
}

// counted sends what the aggregator needs beside a model.
type counted struct{ fl.LocalRule }

func (c counted) Run(t *fl.Task) (fl.Update, error) {
	u, err := c.LocalRule.Run(t)
	u.Payload = fl.Tensors{"classes": fl.NewMatrix(1, 3)}
	return u, err
}
