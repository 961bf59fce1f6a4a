package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// A network is one that papers train, with the batches that they train it on.
type network struct {
	name   string
	params map[string]any
	image  fl.Image
	batch  int
	text   int // positions of a row of tokens, of which each has a label; 0: rows are images
}

// shape is that of its data: ten classes, or 80 tokens.
func (n network) shape() fl.Shape {
	if n.text > 0 {
		return fl.Shape{Features: n.text, Classes: 80, Tokens: 80, Labels: n.text}
	}
	return fl.Shape{Features: n.image.Len(), Classes: 10, Image: n.image}
}

var (
	digit  = fl.Image{C: 1, H: 28, W: 28}
	colour = fl.Image{C: 3, H: 32, W: 32}
	mlp    = network{"mlp", map[string]any{"widths": []any{int64(400), int64(200), int64(100)}},
		digit, 64, 0}
	logits = network{"softmax", nil, digit, 64, 0}
	small  = network{"lstm", map[string]any{"units": int64(32), "layers": int64(1)},
		fl.Image{}, 16, 40}
)

// training lists steps of networks by plain gradient descent, and of the first by Adam; and
// rounds of ten clients out of a hundred, by one worker and by two.
func training() [][]benchmark {
	list := [][]benchmark{
		{{"step/mlp/sgd", "samples/s", steps32(mlp, "sgd")}},
		{{"step/mlp/adam", "samples/s", steps32(mlp, "adam")}},
		{{"step/lstm-32/sgd", "samples/s", steps32(small, "sgd")}},
	}
	for _, n := range []network{
		{"cnn", nil, colour, 16, 0}, {"resnet9", nil, colour, 32, 0},
		{"vgg11", nil, colour, 32, 0}, logits,
		{"lstm", nil, fl.Image{}, 32, 80}, {"transformer", nil, fl.Image{}, 16, 128},
		{"resnet18", nil, colour, 32, 0}, {"mcmahan-cnn", nil, digit, 32, 0},
		{"vit", nil, colour, 32, 0}, {"gru", nil, fl.Image{}, 32, 80},
		{"mobilenet-v2", nil, colour, 32, 0},
	} {
		name := fmt.Sprintf("step/%s/sgd", n.name)
		list = append(list, []benchmark{{name, "samples/s", steps32(n, "sgd")}})
	}
	var encoders []benchmark
	for _, name := range []string{"squeezenet1_0", "vit-b32-clip"} {
		encoders = append(encoders, benchmark{"step/encode/" + name, "images/s", encodes(name)})
	}
	list = append(list, encoders)
	for _, r := range []struct{ name, by string }{
		{"fl/mlp/10", "sgd"}, {"fl/mlp-adam/10", "adam"},
	} {
		compose := func() (engine.Setup, error) { return mlpCell(r.by) }
		list = append(list, []benchmark{{r.name, "rounds/s", play(compose, engine.Options{})}})
	}
	compose := func() (engine.Setup, error) { return mlpCell("sgd") }
	return append(list, []benchmark{
		{"fl/mlp/10/two-workers", "rounds/s", play(compose, engine.Options{Workers: 2})},
		{"fl/mlp/10/one-worker", "rounds/s", play(compose, engine.Options{})},
	})
}

// pieces builds the model of a network and an optimizer by what an experiment would say.
func pieces(n network, by string) (fl.Model, fl.Optimizer, error) {
	reg, err := menu()
	if err != nil {
		return nil, nil, err
	}
	shape := n.shape()
	in := fl.Setting{Clients: 1, Rounds: 1, Shape: shape}
	entry, _ := reg.Models.Get(n.name)
	m, err := entry.New(reg.Params(n.params, in))
	if err != nil {
		return nil, nil, err
	}
	if m, err = m.For(shape); err != nil {
		return nil, nil, err
	}
	optimizer, _ := reg.Optimizers.Get(by)
	o, err := optimizer.New(reg.Params(nil, in))
	return m, o, err
}

// steps32 makes steps on batches of random samples, as a client makes them: gather, forward,
// backward, step.
func steps32(n network, by string) func() (task, error) {
	return func() (task, error) {
		m, o, err := pieces(n, by)
		if err != nil {
			return task{}, err
		}
		rng := rand.New(rand.NewPCG(1, 2))
		shape := n.shape()
		data := fl.Dataset{Shape: shape, X: fl.NewMatrix(8*n.batch, shape.Features)}
		for i := range data.X.Data {
			if data.X.Data[i] = rng.Float64(); n.text > 0 {
				data.X.Data[i] = float64(rng.IntN(shape.Tokens))
			}
		}
		for range data.Len() * shape.PerRow() {
			data.Y = append(data.Y, rng.IntN(shape.Classes))
		}
		theta := m.Init(rng)
		t := &fl.Task{Client: &fl.Client{Data: data}, Model: m, Worker: m.Worker(), RNG: rng,
			Global: theta, Params: theta.Clone()}
		return task{worth: float64(n.batch), do: func(steps int) error {
			t.Recycle()
			copy(t.Params, theta)
			d := t.Descent()
			d.Optimizer, d.Rate, d.Steps, d.Batches = o, 1e-3, steps, t.Batches(n.batch)
			t.Worker.Descend(d)
			return nil
		}}, nil
	}
}

// encodes makes features of small images by a published network, whose parameters are random here.
func encodes(name string) func() (task, error) {
	return func() (task, error) { return encoding(name) }
}

func encoding(name string) (task, error) {
	const rows = 16
	reg, err := menu()
	if err != nil {
		return task{}, err
	}
	shape := fl.Shape{Features: colour.Len(), Classes: 10, Image: colour}
	entry, _ := reg.Preprocessors.Get("encode")
	e, err := entry.New(reg.Params(map[string]any{"encoder": "pretrained", "file": "none needed",
		"architecture": name}, fl.Setting{Clients: 1, Rounds: 1, Shape: shape}))
	if err != nil {
		return task{}, err
	}
	rng, x := rand.New(rand.NewPCG(1, 2)), fl.NewMatrix(rows, shape.Features)
	for i := range x.Data {
		x.Data[i] = rng.Float64()
	}
	all := model.Architectures()
	at := slices.IndexFunc(all, func(a *model.Pretrained) bool { return a.Name == name })
	net, err := all[at].Net()
	if err != nil {
		return task{}, err
	}
	sent := fl.NewMatrix(1, net.Params())
	for i, v := range net.Init(rng) {
		sent.Data[i] = float64(v)
	}
	m := &fl.TransformInput{Rows: x, Shape: shape, Reference: fl.Tensors{"encoder": sent}}
	return task{worth: rows, do: func(n int) error {
		for range n {
			if _, err := e.Transform(m); err != nil {
				return err
			}
		}
		return nil
	}}, nil
}

// mlpCell is modelCell of a perceptron.
func mlpCell(by string) (engine.Setup, error) { return modelCell(mlp, by) }

// modelCell is FedAvg with a network for digits: ten of a hundred clients, five steps of a batch
// each.
func modelCell(n network, by string) (engine.Setup, error) {
	reg, err := menu()
	if err != nil {
		return engine.Setup{}, err
	}
	s, _, problems := reg.Compose(study.Cell{
		Method: "bench", Clients: 100, Rounds: 1 << 40, Every: 1 << 40, Law: true,
		Picks: map[string]study.Pick{
			"dataset":    pick("glyphs", map[string]any{"train": int64(32_000), "test": int64(0)}),
			"partition":  pick("iid", nil),
			"importance": pick("uniform", nil),
			"model":      pick(n.name, n.params),
			"local": pick("sgd", map[string]any{"steps": int64(steps), "batch": int64(n.batch),
				"lr": rate, "optimizer": by}),
			"availability": pick("always", nil),
			"selection":    pick("uniform-k", map[string]any{"k": int64(10)}),
			"aggregator":   pick("fedavg", map[string]any{"weights": "uniform"}),
		},
	})
	if len(problems) > 0 {
		return s, problems
	}
	return s, nil
}
