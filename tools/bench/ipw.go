package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
	"github.com/hansa-fl/hansa/framework/study"
)

const (
	people    = 2000 // clients of experiments/fedipw
	enrolled  = 700  // of them, as many as enrol there
	attending = 220  // of those, in a round
	span      = 10   // rounds from one estimate of participation to the next, and of its window
)

// inverse measures what inverse probabilities cost: an estimate of participation beside the
// training between two of them, and rounds of every estimator with a hundred of ever more clients.
func inverse() [][]benchmark {
	list := [][]benchmark{{
		{"ipw/refit/2000", "spans/s", refit},
		{"ipw/train/2000", "spans/s", spans},
	}}
	memo := engine.NewMemo(1) // of populations, which the methods of one size share
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		for _, name := range []string{"fedavg", "naive", "oracle-ipw", "round-ipw", "fedipw",
			"calibrated"} {
			list = append(list, []benchmark{{fmt.Sprintf("ipw/%s/%d", name, n), "rounds/s",
				bySpan(play(func() (engine.Setup, error) { return selective(n, 100, name) },
					engine.Options{Memo: memo}))}})
		}
	}
	return list
}

// half enrols every second client.
type half struct{}

// Enroll implements fl.Enrollment.
func (half) Enroll(e *fl.EnrollmentInput) []bool {
	in := make([]bool, e.Roster.N)
	for i := range in {
		e.Probability[i] = 0.5
		in[i] = i%2 == 0
	}
	return in
}

// selective is a logistic regression of n clients, half of them enrolled; k train per round.
func selective(n, k int, aggregator string) (engine.Setup, error) {
	reg, err := menu()
	if err != nil {
		return engine.Setup{}, err
	}
	given := map[string]any{"normalisation": "hajek"}
	switch aggregator {
	case "naive":
		given = nil
	case "fedavg":
		given = map[string]any{"weights": "uniform"}
	}
	rows := int64(20) // as in experiments/fedipw
	if n > people {
		rows = 2 // a million clients are to fit into memory
	}
	s, _, problems := reg.Compose(study.Cell{
		Method: "bench", Clients: n, Rounds: 1 << 40, Every: 1 << 40,
		Disclose: string(fl.DiscloseFull), Oracle: aggregator == "oracle-ipw",
		Picks: map[string]study.Pick{
			"dataset": pick("population-logistic", map[string]any{"features": int64(5),
				"samples_per_client": rows, "test_samples_per_client": int64(0)}),
			"partition":    pick("natural", nil),
			"importance":   pick("uniform", nil),
			"model":        pick("logistic", map[string]any{"bias": false}),
			"local":        pick("sgd", map[string]any{"steps": int64(steps), "lr": 0.3}),
			"availability": pick("always", nil),
			"selection":    pick("uniform-k", map[string]any{"k": int64(k)}),
			"aggregator":   pick(aggregator, given),
		},
	})
	if len(problems) > 0 {
		return s, problems
	}
	s.Enrollment = half{}
	return s, nil
}

// refit fits participation to the rows of a window, each with three covariates and a context.
func refit() (task, error) {
	rng := rand.New(rand.NewPCG(1, 2))
	x := fl.NewMatrix(span*enrolled, 4)
	y := make(fl.Vector, x.Rows)
	for i := range y {
		row := x.Row(i)
		row.AddNoise(1, rng)
		if rng.Float64() < 1/(1+math.Exp(1-0.8*row[1]-0.8*row[3])) {
			y[i] = 1
		}
	}
	fit := new(stats.Logistic)
	return task{do: func(n int) error {
		for range n {
			if got := fit.Fit(x, y, nil, 1e-3); !got.Converged {
				return fmt.Errorf("the fit stopped at %v", got.Residual)
			}
		}
		return nil
	}}, nil
}

// spans plays the rounds between two fits, without any weights.
func spans() (task, error) {
	t, err := bySpan(play(func() (engine.Setup, error) {
		s, err := selective(people, attending, "naive")
		s.Enrollment = nil
		return s, err
	}, engine.Options{}))()
	t.worth = 1
	return t, err
}

// bySpan makes spans of rounds pieces of work, each with one estimate of participation.
func bySpan(open func() (task, error)) func() (task, error) {
	return func() (task, error) {
		t, err := open()
		if err != nil {
			return t, err
		}
		play := t.do
		t.do, t.worth = func(n int) error { return play(n * span) }, span
		return t, nil
	}
}
