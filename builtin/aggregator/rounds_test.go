package aggregator

import (
	"math/rand/v2"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// build builds an aggregator from what an experiment would say.
func build(t *testing.T, e fl.AggregatorEntry, given map[string]any) fl.Aggregator {
	t.Helper()
	p := fl.NewParams(given, fl.Setting{Clients: 6, Law: true}, nil)
	a, err := e.New(p)
	if problems := p.Finish(); err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	return a
}

// roundOf is a round in which the given clients upload their rows of params.
func roundOf(pop *fl.Roster, law *fl.Law, global fl.Vector, params []fl.Vector, cohort []int) *fl.Round {
	r := &fl.Round{Global: global, Roster: pop, Law: law, State: fl.NewStore(), Notes: new(fl.Notes)}
	for _, i := range cohort {
		n := 1
		if pop.Samples != nil {
			n = pop.Samples[i]
		}
		r.Updates = append(r.Updates, fl.Update{Client: i, Samples: n, Params: params[i]})
	}
	return r
}

// again returns the same round with another cohort, after it was played.
func again(r *fl.Round, params []fl.Vector, cohort []int) *fl.Round {
	r.Recycle()
	r.T++
	r.Updates = roundOf(r.Roster, r.Law, r.Global, params, cohort).Updates
	return r
}

// pairs is the law of uniform pairs of n clients.
func pairs(n int) *fl.Law {
	sets := stats.Subsets(n, 2)
	law := &fl.Law{Exact: true, Sets: sets, Q: make(fl.Vector, len(sets))}
	for j := range law.Q {
		law.Q[j] = 1 / float64(len(sets))
	}
	law.Inclusion = stats.Inclusion(law.Sets, law.Q, n)
	return law
}

func normal(rng *rand.Rand, n int) fl.Vector {
	v := make(fl.Vector, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

// models returns n random models of d parameters.
func models(rng *rand.Rand, n, d int) []fl.Vector {
	list := make([]fl.Vector, n)
	for i := range list {
		list[i] = normal(rng, d)
	}
	return list
}

// meanOver returns the mean of an aggregator's output for fixed models, over a law.
func meanOver(t *testing.T, a fl.Aggregator, r *fl.Round, params []fl.Vector) fl.Vector {
	t.Helper()
	mean := make(fl.Vector, len(r.Global))
	for j, cohort := range r.Law.Sets {
		next, err := paramsOf(a, again(r, params, cohort))
		if err != nil {
			t.Fatal(err)
		}
		mean.AddScaled(r.Law.Q[j], next)
	}
	return mean
}

// weighted returns Σ pᵢ θᵢ.
func weighted(p fl.Vector, params []fl.Vector) fl.Vector {
	sum := make(fl.Vector, len(params[0]))
	for i, x := range params {
		sum.AddScaled(p[i], x)
	}
	return sum
}

// paramsOf returns what an aggregator makes of a round.
func paramsOf(a fl.Aggregator, r *fl.Round) (fl.Vector, error) {
	out, err := a.Aggregate(r)
	return out.Params, err
}
