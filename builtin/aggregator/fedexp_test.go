package aggregator

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// exPRun is a history with changes of control variates, and what comes of it.
type exPRun struct {
	history
	Controls [][]fl.Vector
	want     struct {
		Rounds, Broadcasts []fl.Vector
		Epsilons           []float64
	}
}

// follow returns the models and broadcasts of an aggregator of each round.
func (h *exPRun) follow(t *testing.T, of func(round int) fl.Aggregator) (models, sent []fl.Vector) {
	t.Helper()
	theta, state := h.Start.Clone(), fl.NewStore()
	for round, deltas := range h.Deltas {
		r := &fl.Round{T: round, Global: theta, State: state, Notes: new(fl.Notes),
			Roster: &fl.Roster{N: len(deltas)}}
		for i, d := range deltas {
			m := theta.Clone()
			m.Add(d)
			r.Updates = append(r.Updates, fl.Update{Client: i, Samples: h.Samples[i], Params: m,
				Payload: fl.Tensors{"control": fl.Matrix{Rows: 1, Cols: len(m), Data: h.Controls[round][i]}}})
		}
		out, err := of(round).Aggregate(r)
		if err != nil {
			t.Fatal(err)
		}
		theta = out.Params.Clone()
		models = append(models, theta)
		sent = append(sent, slices.Clone(out.Broadcast["control"].Data))
	}
	return models, sent
}

// Five rounds with weights by samples, without, and of SCAFFOLD at that rate are those that NumPy
// computes from the formulas.
//
//hansa:verifies golden aggregator/fedexp aggregator/naive aggregator/scaffold
func TestGoldenFedExP(t *testing.T) {
	rate := map[string]any{"server_schedule": "fedexp"}
	for _, one := range []struct {
		name  string
		e     fl.AggregatorEntry
		given map[string]any
	}{
		{"uniform", FedExP, nil}, {"uniform", Naive, rate},
		{"samples", FedExP, map[string]any{"weights": "samples", "epsilon": 0.1}},
		{"scaffold", Scaffold, map[string]any{"server_schedule": "fedexp", "server_epsilon": 0.01}},
	} {
		var h exPRun
		c := golden(t, "fedexp", one.name, &h, &h.want)
		a := build(t, one.e, one.given)
		models, sent := h.follow(t, func(int) fl.Aggregator { return a })
		for k, want := range h.want.Rounds {
			c.equal(t, one.name, models[k], want)
		}
		for k, want := range h.want.Broadcasts {
			c.equal(t, one.name+", broadcast", sent[k], want)
		}
	}
}

// Rounds by samples are those of the official code, main.py of Divyansh03/FedExP, with its ε of each
// round times the size of the cohort.
//
//hansa:verifies source aggregator/fedexp
func TestFedExPIsTheOfficialOne(t *testing.T) {
	var h exPRun
	c := golden(t, "fedexp", "official", &h, &h.want)
	models, _ := h.follow(t, func(round int) fl.Aggregator {
		return build(t, FedExP, map[string]any{"weights": "samples", "epsilon": h.want.Epsilons[round]})
	})
	for k, want := range h.want.Rounds {
		c.equal(t, "official", models[k], want)
	}
}

// The rate of naive and that of fedexp by samples, of one each, are that of the plain formula, to the
// bit, for every number of clients; so is SCAFFOLD's step, which is SCAFFOLD where clients agree.
//
//hansa:verifies equivalence aggregator/fedexp aggregator/naive aggregator/scaffold
func TestFedExPIsOneRate(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	rate := map[string]any{"server_schedule": "fedexp"}
	for clients := 1; clients < 60; clients++ {
		pop := &fl.Roster{N: clients, Samples: slices.Repeat([]int{1}, clients)}
		global, params := normal(rng, 5), models(rng, clients, 5)
		cohort := make([]int, clients)
		for i := range cohort {
			cohort[i] = i
		}
		play := func(e fl.AggregatorEntry, given map[string]any) fl.Vector {
			r := roundOf(pop, nil, global, params, cohort)
			for k := range r.Updates {
				r.Updates[k].Payload = fl.Tensors{"control": fl.NewMatrix(1, 5)}
			}
			out, err := build(t, e, given).Aggregate(r)
			if err != nil {
				t.Fatal(err)
			}
			return out.Params
		}
		want := plainFedExP(roundOf(pop, nil, global, params, cohort))
		for name, got := range map[string]fl.Vector{
			"fedexp": play(FedExP, nil), "naive": play(Naive, rate), "scaffold": play(Scaffold, rate),
			"fedexp by samples": play(FedExP, map[string]any{"weights": "samples"}),
		} {
			if !slices.Equal(got, want) {
				t.Errorf("%s of %d clients: %v, want %v", name, clients, got, want)
			}
		}
		for k := range params {
			params[k] = params[0]
		}
		if !slices.Equal(play(Scaffold, rate), play(Scaffold, nil)) {
			t.Errorf("SCAFFOLD of %d clients that agree has another rate than 1", clients)
		}
	}
}

// plainFedExP is a round of FedExP as eq. (6) has it.
func plainFedExP(r *fl.Round) fl.Vector {
	w := make(fl.Vector, len(r.Updates))
	w.Fill(1 / float64(len(w)))
	next, squares := r.CombineDeltas(w), 0.0
	along := next.Distance(r.Global)
	for k := range r.Updates {
		away := r.Updates[k].Params.Distance(r.Global)
		squares += away * away
	}
	rate := squares / (2 * float64(len(w)) * (along*along + 0.001))
	if !(rate > 1) || along == 0 {
		return next
	}
	w.Scale(rate)
	return r.CombineDeltas(w)
}

// Servers whose step is no mean of deltas have no such rate, and one that is chosen has no other.
func TestFedExPRateIsRefused(t *testing.T) {
	refused := func(e fl.AggregatorEntry, given map[string]any) string {
		p := fl.NewParams(given, fl.Setting{Clients: 6, Rounds: 3, Law: true}, nil)
		_, err := e.New(p)
		if problems := p.Finish(); err == nil && len(problems) == 1 {
			return problems[0].Message + " " + strings.Join(problems[0].Allowed, " ")
		}
		return ""
	}
	for _, e := range []fl.AggregatorEntry{FedAvgM, FedAdagrad, FedAdam, FedYogi, FedGMA, FedVARP,
		MIFA, FedAU, FedCM, IFCA, FedMGDA} {
		if got := refused(e, map[string]any{"server_schedule": "fedexp"}); got !=
			`server_schedule: "fedexp" is not one of its options constant step cosine` {
			t.Errorf("%s: %q", e.Name, got)
		}
	}
	for _, e := range []fl.AggregatorEntry{Naive, Scaffold} {
		both := map[string]any{"server_schedule": "fedexp", "server_rate": 2.0}
		if got := refused(e, both); !strings.HasPrefix(got, `server_rate: the schedule "fedexp" chooses`) {
			t.Errorf("%s: %q", e.Name, got)
		}
	}
	if got := refused(FedExP, map[string]any{"weights": "ht"}); !strings.Contains(got, "uniform") {
		t.Errorf("weights that do not sum to 1: %q", got)
	}
}
