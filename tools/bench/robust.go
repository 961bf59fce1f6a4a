package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

const (
	many  = 100 // clients of a cohort in which some are faulty
	wrong = 20  // of them, as rules are told
	tenth = 10  // of the coordinates are done naively
	some  = 20  // models, of which naive loops do all pairs
)

// robust measures the rules and guards of the menu that stand faulty clients: one round of 100
// models of 400,000 parameters, beside the same as it is written in Go without hansa where there
// are columns to be sorted or pairs to be compared. For that a share of the coordinates, or of the
// pairs, is done, as all of them take seconds.
func robust() (list [][]benchmark) {
	shared := sync.OnceValue(func() *cohort { return newCohort(many, parameters) })
	const unit, size = "rounds/s", "/100x400k"
	f := map[string]any{"f": int64(wrong)}
	naive := map[string]func(c *cohort){
		"coordinate-median": func(c *cohort) { c.columns(many/2-1, many/2+1) },
		"trimmed-mean":      func(c *cohort) { c.columns(wrong, many-wrong) },
		"meamed":            (*cohort).aroundMedians,
		"distances":         func(c *cohort) { c.pairsOf(some) },
		"rlr":               (*cohort).votes,
	}
	add := func(name string, open func() (task, error)) {
		p := []benchmark{{"robust/" + name + size, unit, open}}
		if plain, ok := naive[name]; ok {
			worth := 1. / tenth
			if name == "distances" {
				worth = some * (some - 1.) / (many * (many - 1.))
			}
			p = append(p, benchmark{p[0].name + "/naive", unit, func() (task, error) {
				c := shared()
				t := repeat(func() error { plain(c); return nil })
				t.worth = worth
				return t, nil
			}})
		}
		list = append(list, p)
	}
	add("distances", func() (task, error) {
		c := shared()
		return repeat(func() error { tensor.SquaredDistances(c.apart, c.models); return nil }), nil
	})
	for _, r := range []struct {
		name  string
		given map[string]any
	}{
		{"coordinate-median", nil}, {"trimmed-mean", f}, {"meamed", f}, {"krum", f},
		{"multi-krum", f}, {"bulyan", f}, {"mda", f}, {"geometric-median", nil},
		{"norm-clipping", nil}, {"centered-clipping", nil}, {"rlr", nil},
	} {
		add(r.name, func() (task, error) { return combineBy(shared(), r.name, r.given) })
	}
	for _, g := range []struct {
		name  string
		given map[string]any
	}{{"clip", nil}, {"adaptive-clip", nil}, {"arc", f}, {"bucketing", nil}, {"nnm", f}} {
		add(g.name, func() (task, error) { return guard(shared(), g.name, g.given) })
	}
	list = append(list, []benchmark{{"robust/geometric-median/all-steps", unit,
		func() (task, error) {
			return combineBy(shared(), "geometric-median", map[string]any{"epsilon": 1e-300})
		}}})
	for _, n := range []int{100, 1000, 3000} { // what follows the distances, nearly alone
		list = append(list, []benchmark{{fmt.Sprintf("robust/bulyan/%dx8", n), unit,
			func() (task, error) {
				return combineBy(newCohort(n, 8), "bulyan", map[string]any{"f": int64(n / 5)})
			}}})
	}
	return list
}

// columns does a tenth of the coordinates of a mean between two ranks.
func (c *cohort) columns(lo, hi int) {
	c.byColumn(len(c.next)/tenth, meanOf(lo, hi))
}

// aroundMedians does a tenth of the coordinates of MeaMed.
func (c *cohort) aroundMedians() {
	n := len(c.models)
	c.byColumn(len(c.next)/tenth, func(column []float64) float64 {
		median := (column[(n-1)/2] + column[n/2]) / 2
		low, high := 0, n
		for high-low > n-wrong {
			if median-column[low] > column[high-1]-median {
				low++
			} else {
				high--
			}
		}
		return meanOf(low, high)(column)
	})
}

// votes does a tenth of the coordinates of RLR.
func (c *cohort) votes() {
	for i := range len(c.next) / 10 {
		sum, signs := 0.0, 0.0
		for _, model := range c.models {
			sum += model[i]
			if model[i] > 0 {
				signs++
			} else if model[i] < 0 {
				signs--
			}
		}
		c.next[i] = sum / many
		if math.Abs(signs) < 0.4*many {
			c.next[i] = -c.next[i]
		}
	}
}

// repeat is a task that does a piece of work so many times.
func repeat(work func() error) task {
	return task{do: func(times int) error {
		for range times {
			if err := work(); err != nil {
				return err
			}
		}
		return nil
	}}
}

// newCohort returns a cohort of models of normal numbers.
func newCohort(n, size int) *cohort {
	rng := rand.New(rand.NewPCG(1, 2))
	c := &cohort{weights: make(tensor.Vector, n), next: make(tensor.Vector, size),
		apart: tensor.NewMatrix(n, n)}
	c.weights.Fill(1 / float64(n))
	for range n {
		model := make(tensor.Vector, size)
		model.AddNoise(1, rng)
		c.models = append(c.models, model)
	}
	return c
}

// updates returns the models as clients send them.
func (c *cohort) updates() (list []fl.Update) {
	for k, model := range c.models {
		list = append(list, fl.Update{Client: k, Samples: 1, Steps: 1, Params: model})
	}
	return list
}

// combineBy applies a rule of the menu, and says how much memory it keeps for that.
func combineBy(c *cohort, name string, given map[string]any) (task, error) {
	reg, err := menu()
	if err != nil {
		return task{}, err
	}
	entry, ok := reg.Aggregators.Get(name)
	if !ok {
		return task{}, fmt.Errorf("the menu has no aggregator %q", name)
	}
	a, err := entry.New(fl.NewParams(given, fl.Setting{}, nil))
	if err != nil {
		return task{}, err
	}
	r := &fl.Round{Global: make(fl.Vector, len(c.next)), Updates: c.updates(), State: fl.NewStore(),
		Notes: new(fl.Notes)}
	work := func() error {
		r.Recycle()
		_, err := a.Aggregate(r)
		return err
	}
	return measured(work)
}

// guard applies a guard of the menu.
func guard(c *cohort, name string, given map[string]any) (task, error) {
	reg, err := menu()
	if err != nil {
		return task{}, err
	}
	entry, ok := reg.Guards.Get(name)
	if !ok {
		return task{}, fmt.Errorf("the menu has no guard %q", name)
	}
	a, err := entry.New(fl.NewParams(given, fl.Setting{}, nil))
	if err != nil {
		return task{}, err
	}
	sent := c.updates()
	g := &fl.Guarding{Global: make(fl.Vector, len(c.next)), State: fl.NewStore(),
		RNG: rand.New(rand.NewPCG(3, 4)), Notes: new(fl.Notes)}
	return measured(func() error {
		g.Recycle()
		g.Updates = append(g.Updates[:0], sent...)
		return a.Apply(g)
	})
}

// measured is a task with the memory that it keeps after its first piece of work.
func measured(work func() error) (task, error) {
	before := heap()
	err := work()
	t := repeat(work)
	t.kept = max(0, float64(heap()-before))
	return t, err
}
