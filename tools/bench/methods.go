package main

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
)

// methods lists rounds of methods that correct local training, each beside rounds of FedAvg with
// the same steps: ten of twenty clients, of a perceptron and of a network of convolutions. Rounds
// are counted once nearly all clients have trained, so that what they keep has its memory.
func methods() (list [][]benchmark) {
	for _, n := range []network{mlp, {"cnn", nil, colour, 16}} {
		for _, m := range []struct{ local, aggregator string }{
			{"fedprox", "fedavg"}, {"scaffold", "scaffold"}, {"feddyn", "feddyn"},
		} {
			name := fmt.Sprintf("method/%s/%s", n.name, m.local)
			list = append(list, []benchmark{
				{name, "rounds/s",
					warm(play(methodCell(n, m.local, m.aggregator), engine.Options{}))},
				{name + "/fedavg", "rounds/s",
					warm(play(methodCell(n, "sgd", "fedavg"), engine.Options{}))},
			})
		}
	}
	return list
}

// warm plays a few rounds that are not counted.
func warm(open func() (task, error)) func() (task, error) {
	return func() (task, error) {
		t, err := open()
		if err == nil {
			err = t.do(8)
		}
		return t, err
	}
}

// methodCell composes a method of two halves with a network.
func methodCell(n network, local, aggregator string) func() (engine.Setup, error) {
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
