package main

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
)

// asked is how many clients a round asks of those that there are.
const asked = 100

// completing lists rounds with a deadline and partial work, by the number of clients, each beside
// the same rounds without a completion model. What a round costs is to grow with the clients that
// are asked, not with all.
func completing() (list [][]benchmark) {
	speeds := pick("speeds", map[string]any{"deadline": 2.0, "partial": true, "dropout": 0.05})
	for _, n := range []int{1000, 1_000_000} {
		name := fmt.Sprintf("fl/completion/%d", n)
		list = append(list, []benchmark{
			{name, "rounds/s", play(func() (engine.Setup, error) { return late(n, &speeds) },
				engine.Options{})},
			{name + "/immediate", "rounds/s", play(func() (engine.Setup, error) {
				return late(n, nil)
			}, engine.Options{})},
		})
	}
	return list
}

// late is FedAvg on least squares, with a sample for each of so many clients, of which a hundred
// are asked in a round.
func late(n int, completion *study.Pick) (engine.Setup, error) {
	reg, err := menu()
	if err != nil {
		return engine.Setup{}, err
	}
	c := study.Cell{
		Method: "bench", Clients: n, Rounds: 1 << 40, Every: 1 << 40,
		Picks: map[string]study.Pick{
			"dataset": pick("regression", map[string]any{"features": int64(2),
				"samples_per_client": int64(1), "test_samples_per_client": int64(0)}),
			"partition":    pick("natural", nil),
			"importance":   pick("uniform", nil),
			"model":        pick("linear", nil),
			"local":        pick("sgd", map[string]any{"steps": int64(steps), "lr": rate}),
			"availability": pick("always", nil),
			"selection":    pick("uniform-k", map[string]any{"k": int64(asked)}),
			"aggregator":   pick("fedavg", map[string]any{"weights": "self-normalised"}),
		},
	}
	if completion != nil {
		c.Picks["completion"] = *completion
	}
	s, _, problems := reg.Compose(c)
	if len(problems) > 0 {
		return s, problems
	}
	return s, nil
}
