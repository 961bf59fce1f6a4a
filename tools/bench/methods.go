package main

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
)

// methods lists rounds of methods that correct local training, each beside rounds of FedAvg with
// the same steps: ten of twenty clients, of a perceptron and of a network of convolutions. Rounds
// are counted once nearly all clients have trained, so that what they keep has its memory. What a
// method does once a round weighs less in rounds of more steps: papers make 60 and more.
func methods() (list [][]benchmark) {
	for _, c := range []struct {
		network
		steps int
	}{{mlp, steps}, {mlp, 50}, {network{"cnn", nil, colour, 16, 0}, steps}} {
		for _, m := range []struct{ local, aggregator string }{
			{"fedprox", "fedavg"}, {"scaffold", "scaffold"}, {"feddyn", "feddyn"},
		} {
			name := fmt.Sprintf("method/%s/%d/%s", c.name, c.steps, m.local)
			cell := func(local, aggregator string) func() (task, error) {
				return warm(play(methodCell(c.network, c.steps, local, aggregator),
					engine.Options{}))
			}
			list = append(list, []benchmark{
				{name, "rounds/s", cell(m.local, m.aggregator)},
				{name + "/fedavg", "rounds/s", cell("sgd", "fedavg")},
			})
		}
	}
	return list
}

// warm has a few rounds played that are not counted.
func warm(open func() (task, error)) func() (task, error) {
	return func() (task, error) {
		t, err := open()
		t.warm = 8
		return t, err
	}
}

// methodCell composes a method of two halves with a network.
func methodCell(n network, steps int, local, aggregator string) func() (engine.Setup, error) {
	return func() (engine.Setup, error) {
		reg, err := menu()
		if err != nil {
			return engine.Setup{}, err
		}
		images := map[string]any{"train": int64(20 * n.batch), "test": int64(0)}
		if n.image.C == 3 {
			images["image"] = "colour"
		}
		s, _, problems := reg.Compose(study.Cell{
			Method: "bench", Clients: 20, Rounds: 1 << 40, Every: 1 << 40, Law: true,
			Picks: map[string]study.Pick{
				"dataset":    pick("glyphs", images),
				"partition":  pick("iid", nil),
				"importance": pick("uniform", nil),
				"model":      pick(n.name, n.params),
				"local": pick(local, map[string]any{"steps": int64(steps),
					"batch": int64(n.batch), "lr": rate}),
				"availability": pick("always", nil),
				"selection":    pick("uniform-k", map[string]any{"k": int64(10)}),
				"aggregator":   pick(aggregator, nil),
			},
		})
		if len(problems) > 0 {
			return s, problems
		}
		return s, nil
	}
}
