package audit_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// watched is an aggregator that looks at the models it makes from some round on.
type watched struct {
	fl.Aggregator
	from, rounds int
	gap          func(fl.Vector) float64
	sums         [20]float64 // of stretches of the rounds
	most         int         // rounds in all
}

func (l *watched) Aggregate(r *fl.Round) (fl.Outcome, error) {
	out, err := l.Aggregator.Aggregate(r)
	if err == nil && r.T >= l.from {
		l.sums[(r.T-l.from)*len(l.sums)/(l.most-l.from)] += l.gap(out.Params)
		l.rounds++
	}
	return out, err
}

// reaches runs base with some lines added and returns the mean of F(θ) − F* over the models of
// the second half of so many rounds, and the standard error of that.
func reaches(t *testing.T, lines string, rounds int) (mean, deviation float64) {
	t.Helper()
	_, s := compose(t, lines)
	_, w := world(t, lines)
	best, err := engine.Optimum(s, engine.Options{}, w)
	if err != nil {
		t.Fatal(err)
	}
	s.Rounds = rounds
	late := watched{Aggregator: s.Aggregator, from: s.Rounds / 2, most: s.Rounds, gap: best.Gap}
	if late.gap == nil {
		at := fl.Snapshot{Worker: s.Model.Worker(), Roster: w.Roster, Population: w.Population}
		late.gap = func(theta fl.Vector) float64 {
			at.Params = theta
			at.Reset()
			return at.Objective() - best.Value
		}
	}
	s.Aggregator, s.Every, s.Measures = &late, s.Rounds, nil
	if _, err := engine.Run(context.Background(), s, engine.Options{}); err != nil {
		t.Fatal(err)
	}
	n := float64(len(late.sums))
	for _, sum := range late.sums {
		mean += sum / float64(late.rounds)
	}
	for _, sum := range late.sums {
		away := sum*n/float64(late.rounds) - mean
		deviation += away * away / (n * (n - 1))
	}
	return mean, math.Sqrt(deviation)
}

// Theorem: with quadratic losses and full gradients the round is linear in θ, so that the level
// is exact: the models of late rounds are on average as far above F* as floor, drift and noise
// say, however long the steps are, however many, and whatever the weights sum to.
func TestTrainingStaysAtTheLevel(t *testing.T) {
	for _, lines := range []string{
		`aggregator = { weights = "uniform" }`,
		`aggregator = { weights = "ht" }`,
		`aggregator = { weights = "scaled" }`,
		"local = { lr = 0.1 }\n" + `aggregator = { weights = "self-normalised" }`,
		"local = { lr = 0.05, steps = 5 }\n" + `aggregator = { weights = "uniform" }`,
		"local = { lr = 0.02, steps = 20 }\n" + `aggregator = { weights = "hajek", of = "params" }`,
		"local = { lr = 0.05, steps = 3 }\naggregator = \"fedavot\"",
		"clients = 30\nlocal = { lr = 0.05, steps = 5 }\navailability = { k = 5 }\n" +
			`aggregator = { weights = "uniform" }`,
	} {
		lines += "\nrounds = 2000\n"
		p := examine(t, lines).Prediction
		if p == nil || p.Level == nil {
			t.Errorf("%s: %+v", lines, p)
			continue
		}
		got, deviation := reaches(t, lines, 60_000)
		l := p.Level
		if math.Abs(got-l.At) > 4*math.Hypot(l.Error, deviation)+1e-9*got || deviation > 0.1*got || math.Abs(p.Floor+l.Drift+l.Noise+l.Start-l.At) > 1e-8*l.At {
			t.Errorf("%s: trained %v, predicted %v + %+v", lines, got, p.Floor, l)
		}
		if many := strings.Contains(lines, "steps"); many != (math.Abs(l.Drift) > 1e-9) || l.Noise <= 0 {
			t.Errorf("%s: %+v", lines, l)
		}
	}
}

// Without noise, under full participation, the level is what training reaches after that many
// rounds, to rounding: the rest is what is left of the first model.
func TestWhatIsLeftOfTheStart(t *testing.T) {
	for _, rounds := range []string{"3", "30", "3000"} {
		lines := "availability = \"always\"\nlocal = { lr = 0.03, steps = 4 }\nrounds = " + rounds + "\n" +
			"metrics = [\"suboptimality\"]\n" + `aggregator = { weights = "self-normalised" }` + "\n"
		_, s := compose(t, lines)
		result, err := engine.Run(context.Background(), s, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		values := result.Series[0].Values
		want, p := values[len(values)-1], examine(t, lines).Prediction
		if math.Abs(p.Level.At-want) > 1e-7*want || p.Level.Noise != 0 {
			t.Errorf("after %s rounds: %v above F*, predicted %+v", rounds, want, p.Level)
		}
	}
}

// What clients do is near to linear near the optimum of a logistic loss: the level is that of
// training within a few per cent.
func TestLevelOfClassification(t *testing.T) {
	lines := "dataset = \"two-classes\"\nmodel = { name = \"softmax\", l2 = 0.05 }\n" +
		"local = { lr = 0.1, steps = 5 }\nrounds = 2000\n" + `aggregator = { weights = "uniform" }` + "\n"
	p := examine(t, lines).Prediction
	if p == nil || p.Level == nil {
		t.Fatalf("%+v", p)
	}
	got, deviation := reaches(t, lines, 30_000)
	if l := p.Level; math.Abs(got-l.At) > 4*math.Hypot(l.Error, deviation)+0.02*got || l.Affine ||
		math.Abs(got-p.Floor) < 0.1*got {
		t.Errorf("trained %v, floor %v, predicted %+v", got, p.Floor, p.Level)
	}
}

// Where clients' work is not the same from round to round, where it has too many dimensions, leads
// away, or follows a loss that is not smooth, no level is known, and the finding says why.
func TestLevelsThatAreNotKnown(t *testing.T) {
	for lines, why := range map[string]string{
		"local = { batch = 3 }\n":                                         "differs from round to round",
		"local = { schedule = \"cosine\" }\n":                             "differs from round to round",
		"clients = 40\ndataset = { features = 700 }\n":                    "a Jacobian of 700×700 for each of 40 clients takes",
		"local = { lr = 3, steps = 2 }\n":                                 "settle",
		"model = \"quantile\"\n":                                          "the loss is not smooth",
		"compressor = \"float16\"\n":                                      "updates are compressed",
		"completion = { name = \"speeds\", concurrency = 3, take = 2 }\n": "rounds overlap",
	} {
		p := examine(t, lines+`aggregator = { weights = "uniform" }`+"\n").Prediction
		if p == nil || p.Level != nil || !strings.Contains(p.Unknown, why) {
			t.Errorf("%s: %+v, want %q", lines, p, why)
		}
	}
}

// The mean of a round is E e ← (1 − η)e and its variance grows by η²·Var of the mean of two minima,
// 5/3, so that after t rounds of clients that are pulled to −3, −1, 1 and 3
//
//	E F − F* = ½·η²·(5/3)·(1 − (1−η)²ᵗ)/(1 − (1−η)²).
//
// Long before it settles the level is that, for any window of rounds, and it says when it will.
func TestLevelsOfTrainingsThatHaveNotSettled(t *testing.T) {
	const eta = 0.005
	lines := "clients = 4\ndataset = { name = \"quadratics\", minima = [-3, -1, 1, 3] }\nimportance = \"uniform\"\n" +
		"local = { lr = 0.005 }\nrounds = 60\navailability = { name = \"k-subset\", k = 2, prior = \"uniform\" }\n"
	c, s := compose(t, lines)
	noise := func(rounds int) float64 {
		return eta * eta * 5 / 6 * (1 - math.Pow(1-eta, 2*float64(rounds))) / (1 - math.Pow(1-eta, 2))
	}
	for _, window := range [][]int{nil, {60}, {20, 40, 60}, {0, 1, 2}} {
		want := 0.0
		for _, round := range window {
			want += noise(round) / float64(len(window))
		}
		if window == nil {
			want = noise(60)
		}
		f, err := audit.Audit(c, s, audit.Options{Window: window, Trials: true})
		if err != nil || f.Prediction == nil || f.Prediction.Level == nil {
			t.Fatalf("%v: %+v", err, f)
		}
		l := f.Prediction.Level
		if math.Abs(l.At-want) > 1e-6*want || l.Error != 0 || !l.Affine {
			t.Errorf("window %v: %+v, want %v", window, l, want)
		}
		// 1 % is left when (1−η)²ᵗ is 0.01.
		if due := int(math.Ceil(math.Log(0.01) / (2 * math.Log(1-eta)))); len(window) < 2 && l.Settles != due {
			t.Errorf("it settles after %d rounds, want %d", l.Settles, due)
		}
		mean := 0.0
		for _, x := range l.Trials {
			mean += x / float64(len(l.Trials))
		}
		if math.Abs(mean-want) > 0.4*want {
			t.Errorf("window %v: simulated trainings reach %v, want %v", window, mean, want)
		}
	}
	if last := noise(60); math.Abs(last-0.000944) > 5e-7 {
		t.Errorf("%v after the last round", last)
	}
}

// A model of seventy parameters has a level: simulated, and within its error that of training.
func TestLevelsOfManyParameters(t *testing.T) {
	lines := "dataset = { features = 70, samples_per_client = 20 }\nlocal = { lr = 0.002, steps = 2 }\n" +
		"rounds = 200\naggregator = { weights = \"uniform\" }\nmetrics = [\"suboptimality\"]\n"
	p := examine(t, lines).Prediction
	if p == nil || p.Level == nil || p.Level.Error <= 0 {
		t.Fatalf("%+v", p)
	}
	_, s := compose(t, lines)
	mean, square := 0.0, 0.0
	const seeds = 20
	for seed := range uint64(seeds) {
		one := *s
		one.Seed = seed
		one.DataSeed = s.Seed
		result, err := engine.Run(context.Background(), &one, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		values := result.Series[0].Values
		x := values[len(values)-1]
		mean += x / seeds
		square += x * x / seeds
	}
	deviation := math.Sqrt((square - mean*mean) / (seeds - 1))
	if l := p.Level; math.Abs(mean-l.At) > 4*math.Hypot(deviation, l.Error) || deviation > 0.2*mean {
		t.Errorf("trained %v ± %v, predicted %+v", mean, deviation, l)
	}
}
