package aggregator

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/nn"
)

// smallImages is a network with batch norms on images in colour.
func smallImages(t *testing.T) fl.Model {
	t.Helper()
	m, err := model.Network(func(_ nn.Shape, scores int) []nn.Layer {
		return []nn.Layer{nn.Conv(4, 3, 1, 1), nn.BatchNorm(), nn.Tanh(), nn.Flatten(),
			nn.Dense(scores)}
	}).For(fl.Shape{Features: 36, Classes: 3, Image: fl.Image{C: 3, H: 4, W: 3}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// chancesOf returns the softmax of scores.
func chancesOf(scores []float64) []float64 {
	p, sum := make([]float64, len(scores)), 0.0
	for c, s := range scores {
		p[c] = math.Exp(s)
		sum += p[c]
	}
	for c := range p {
		p[c] /= sum
	}
	return p
}

// Theorem: what the generator descends on is, at every pixel, the loss of the paper: cross-entropy
// of the ensemble, the mean distance from running statistics, and the divergence from the student
// where it differs, from their definitions in plain loops and by differences.
//
//hansa:verifies theorem aggregator/dense
func TestGeneratorsLossIsThePapers(t *testing.T) {
	const rows, classes, clients, h = 8, 3, 3, 1e-3
	m, rng := smallImages(t), rand.New(rand.NewPCG(6, 2))
	w := m.Worker().(fl.InputWorker)
	built, err := DENSE.New(fl.NewParams(map[string]any{"high": 1.0, "batch_norm": 0.7,
		"adversarial": 0.8}, fl.Setting{}, nil))
	if err != nil {
		t.Fatal(err)
	}
	a := built.(*dense)
	e := &ensembleLoss{worker: w, moments: a.moments, opposing: a.opposing}
	e.build(rows, classes)
	student := m.Init(rng)
	student.AddNoise(0.3, rng)
	for range clients {
		theta := m.Init(rng)
		theta[:m.Layout().Trained(len(theta))].AddNoise(0.3, rng)
		e.models = append(e.models, theta)
	}
	for i := range e.labels {
		e.labels[i] = i % classes
	}
	x := fl.NewMatrix(rows, 36)
	fl.Vector(x.Data).AddNoise(1, rng)
	differ := 0
	loss := func() (sum float64) {
		teacher, own := fl.NewMatrix(rows, classes), fl.NewMatrix(rows, classes)
		for _, theta := range e.models {
			w.Scores(own, theta, x)
			fl.Vector(teacher.Data).AddScaled(1./clients, own.Data)
			nothing := fl.NewMatrix(rows, classes)
			sum += e.moments / clients * w.InputGradient(fl.NewMatrix(rows, 36), theta, x, nothing, 1)
		}
		w.Scores(own, student, x)
		differ = 0
		for i, y := range e.labels {
			p, q := chancesOf(teacher.Row(i)), chancesOf(own.Row(i))
			sum -= math.Log(p[y]) / rows
			if slices.Index(p, slices.Max(p)) == slices.Index(q, slices.Max(q)) {
				continue
			}
			differ++
			for c := range p {
				sum -= e.opposing / rows * p[c] * math.Log(p[c]/q[c])
			}
		}
		return sum
	}
	grad := fl.NewMatrix(rows, 36)
	got := e.loss(grad, x, student)
	if want := loss(); math.Abs(got-want) > 1e-5 {
		t.Errorf("loss %v, want %v", got, want)
	}
	if differ == 0 || differ == rows {
		t.Fatalf("student and ensemble differ about %d of %d rows", differ, rows)
	}
	for i, own := range slices.Clone(x.Data) {
		x.Data[i] = own + h
		slope := loss()
		x.Data[i] = own - h
		slope = (slope - loss()) / (2 * h)
		x.Data[i] = own
		if math.Abs(slope-grad.Data[i]) > 1e-3 {
			t.Fatalf("pixel %d: %v, by differences %v", i, grad.Data[i], slope)
		}
	}
}

// The gradient of weights and noise is that by differences of what is asked of the rows, which lie
// between low and high; images of odd sides and vectors have a generator, too.
func TestGeneratorsFollowTheirRows(t *testing.T) {
	for _, in := range []fl.Image{{C: 2, H: 5, W: 6}, {C: 7, H: 1, W: 1}} {
		g := &generator{low: -2, high: 3, rate: 0.01, samples: 6}
		if err := g.build(in, 4, 3); err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(2, 2))
		g.begin(rng)
		up := make(fl.Vector, len(g.rows.Data))
		up.AddNoise(1, rng)
		for i := range g.weights.at[:g.net.Trained()] { // where it is not flat
			g.weights.at[i] += float32(0.3 * rng.NormFloat64())
		}
		weights, z := slices.Clone(g.weights.at), slices.Clone(g.z.at)
		g.make()
		if least, most := slices.Min(g.rows.Data), slices.Max(g.rows.Data); least < -2 || most > 3 ||
			most-least < 1 {
			t.Errorf("rows between %v and %v", least, most)
		}
		before := up.Dot(g.rows.Data)
		copy(g.atRows.Data, up)
		g.descend()
		wide := g.net.Trained()
		moved := slices.Concat(g.weights.grad[:wide], g.z.grad)
		line := make([]float32, len(moved))
		norm := 0.0
		for i, d := range moved {
			norm += float64(d) * float64(d)
			line[i] = d
		}
		h := 1e-3 / math.Sqrt(norm)
		at := func(h float64) float64 {
			copy(g.weights.at, weights)
			copy(g.z.at, z)
			for i, d := range line {
				if i < wide {
					g.weights.at[i] += float32(h * float64(d))
				} else {
					g.z.at[i-wide] += float32(h * float64(d))
				}
			}
			g.make()
			return up.Dot(g.rows.Data)
		}
		slope := (at(h) - at(-h)) / (2 * h)
		if math.Abs(slope-norm) > 2e-2*norm {
			t.Errorf("%v: a slope of %v along the gradient, want %v", in, slope, norm)
		}
		copy(g.weights.at, weights)
		copy(g.z.at, z)
		for range 20 {
			g.make()
			copy(g.atRows.Data, up)
			g.descend()
		}
		if g.make(); up.Dot(g.rows.Data) > before-1 {
			t.Errorf("%v: from %v to %v in 20 steps", in, before, up.Dot(g.rows.Data))
		}
	}
}

// The latest batches are kept, each with what the ensemble says of it.
func TestPoolKeepsTheLatest(t *testing.T) {
	var p pool
	p.build(6, 1, 1)
	for k := range 5 {
		x, prob := p.slot(2)
		fl.Vector(x.Data).Fill(float64(k))
		fl.Vector(prob.Data).Fill(float64(k))
		if want := min(6, 2*(k+1)); p.filled != want {
			t.Errorf("%d rows after %d batches", p.filled, k+1)
		}
	}
	if want := []float64{3, 3, 4, 4, 2, 2}; !slices.Equal(p.x.Data, want) ||
		!slices.Equal(p.prob.Data, want) {
		t.Errorf("%v and %v, want %v", p.x.Data, p.prob.Data, want)
	}
	if p.build(6, 1, 1); p.filled != 0 {
		t.Error("a new round begins with batches of the last one")
	}
}
