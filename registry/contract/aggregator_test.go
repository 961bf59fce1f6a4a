package contract

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// serving builds an aggregator of one function.
func serving(breaks, found string, f aggregate) citizen[fl.Aggregator] {
	return made(breaks, found, func() fl.Aggregator { return f })
}

// weighing builds a weighted sum of equal weights, by functions that do more.
func weighing(breaks, found string, f weigh, g move) citizen[fl.Aggregator] {
	return made(breaks, found, func() fl.Aggregator { return fl.WeighThen(f, g) })
}

// evenly weighs all updates alike.
func evenly(r *fl.Round) (fl.Weights, error) {
	if len(r.Updates) == 0 {
		return fl.Weights{}, errNobody
	}
	return fl.Weights{By: equal(len(r.Updates), 1/float64(len(r.Updates))), Deltas: true}, nil
}

// echo sends clients, from the second round on, what the first of them sent in the round before.
type echo struct {
	kept  fl.Vector
	alone bool // to client 3 alone
}

func (e *echo) Aggregate(r *fl.Round) (fl.Outcome, error) {
	next, err := after(func(*fl.Round, fl.Vector) {})(r)
	if err != nil {
		return fl.Outcome{}, err
	}
	last := r.State.Vector("last", len(next)) // for a fresh instance
	sent := last.Clone()
	if e.kept != nil {
		copy(sent, e.kept)
	}
	e.kept = r.Updates[0].Params
	copy(last, e.kept)
	out, all := fl.Outcome{Params: next}, fl.Tensors{"sent": {Rows: 1, Cols: len(sent), Data: sent}}
	if e.alone {
		out.Mail = map[int]fl.Tensors{3: all}
	} else {
		out.Broadcast = all
	}
	return out, nil
}

// taking builds an aggregator that takes something instead of models.
func taking(breaks, what, found string, f aggregate) citizen[fl.Aggregator] {
	c := serving(breaks, found, f)
	c.entry.Traits = fl.AggregatorTraits{Statistics: what}
	return c
}

// after lets an aggregator average and then do something else.
func after(do func(r *fl.Round, next fl.Vector)) aggregate {
	return func(r *fl.Round) (fl.Vector, error) {
		if len(r.Updates) == 0 {
			return nil, errNobody
		}
		next := average(r)
		do(r, next)
		return next, nil
	}
}

// faster moves by a multiple of the mean change, so that consensus stays where it is.
func faster(r *fl.Round, next fl.Vector, factor float64) {
	for k := range next {
		next[k] = r.Global[k] + factor*(next[k]-r.Global[k])
	}
}

func TestBadAggregators(t *testing.T) {
	calls := 0
	catches(t, aggregators(), aggregators().checks, []citizen[fl.Aggregator]{
		taking("statistics", "dreams", "no local rule sends dreams", sumsOf),
		taking("read-only", "sums", "Updates changed", func(r *fl.Round) (fl.Vector, error) {
			next, err := sumsOf(r)
			for _, u := range r.Updates {
				u.Payload["sum"].Data[0]++
			}
			return next, err
		}),

		serving("length", "1 elements for 4", func(r *fl.Round) (fl.Vector, error) {
			return r.Global[:1], nil
		}),
		serving("length", "NaN or Inf", after(func(_ *fl.Round, next fl.Vector) {
			next[3] = math.Inf(1)
		})),
		serving("length", "50 of 60 clients: error: round T = 0: a crowd", func(r *fl.Round) (fl.Vector, error) {
			if len(r.Updates) > clients {
				return nil, errors.New("a crowd")
			}
			return after(func(*fl.Round, fl.Vector) {})(r)
		}),
		serving("length", "round T = 2", func(r *fl.Round) (fl.Vector, error) {
			if r.T > 1 {
				return nil, errors.New("tired")
			}
			return after(func(*fl.Round, fl.Vector) {})(r)
		}),
		serving("length", "panic: ", func(*fl.Round) (fl.Vector, error) { panic("at the disco") }),

		serving("read-only", "Global changed", after(func(r *fl.Round, _ fl.Vector) {
			r.Global[0]++
		})),
		serving("read-only", "Updates changed", after(func(r *fl.Round, _ fl.Vector) {
			r.Updates[0].Params[0]++
		})),
		serving("read-only", "Updates changed", after(func(r *fl.Round, _ fl.Vector) {
			slices.SortStableFunc(r.Updates, func(a, b fl.Update) int {
				return b.Samples - a.Samples
			})
		})),
		serving("read-only", "Roster changed", after(func(r *fl.Round, _ fl.Vector) {
			r.Roster.Importance[0] = 0
		})),
		serving("read-only", "Law changed", after(func(r *fl.Round, _ fl.Vector) {
			if r.Law != nil {
				r.Law.Inclusion[0] = 0
			}
		})),
		serving("read-only", "Layout changed", after(func(r *fl.Round, _ fl.Vector) {
			r.Layout.Blocks[0].Name = "mine"
		})),

		serving("consensus", "1 of 6 clients: round T = 0: element 0", func(r *fl.Round) (fl.Vector, error) {
			if len(r.Updates) == 0 {
				return nil, errNobody
			}
			w := r.Scratch(len(r.Updates))
			for k, u := range r.Updates {
				w[k] = float64(r.Roster.N) / float64(len(w)) * r.Roster.Importance[u.Client]
			}
			return r.Combine(w), nil
		}),

		serving("repeatable", "round T = 0: element 0", after(func(r *fl.Round, next fl.Vector) {
			calls++
			faster(r, next, 1+1e-3*float64(calls%97))
		})),

		made("state", "taken over after round T = 0: round T = 1", func() fl.Aggregator {
			rounds := 0
			return after(func(r *fl.Round, next fl.Vector) {
				rounds++
				faster(r, next, 1/float64(rounds))
			})
		}),
		// This one shows only in the rounds after the first that a successor plays.
		made("state", "taken over after round T = 0: round T = 2", func() fl.Aggregator {
			before := fl.Vector(nil)
			return after(func(r *fl.Round, next fl.Vector) {
				velocity := r.State.Vector("velocity", len(next))
				for k := range next {
					next[k] += 0.1 * velocity[k]
					if before != nil {
						velocity[k] = r.Global[k] - before[k]
					}
				}
				if r.T == 0 {
					before = r.Global.Clone()
				}
			})
		}),
		made("state", "notes", func() fl.Aggregator {
			quiet := false
			return after(func(r *fl.Round, _ fl.Vector) {
				if r.T > 2 && !quiet {
					r.Notes.Add("what begins late says so")
				}
				quiet = true
			})
		}),

		made("references", "round T = 1", func() fl.Aggregator {
			kept := fl.Vector(nil)
			return after(func(r *fl.Round, next fl.Vector) {
				if !kept.Finite() {
					faster(r, next, 0.5)
				}
				kept = r.Updates[0].Params
			})
		}),
		made("references", "broadcasts differ", func() fl.Aggregator {
			return &echo{}
		}),
		made("references", "mail differs", func() fl.Aggregator {
			return &echo{alone: true}
		}),

		serving("numbering", "clients numbered from the other end", after(func(r *fl.Round, next fl.Vector) {
			next.Scale(0.5)
			next.AddScaled(0.5, r.Updates[0].Params)
		})),

		serving("numbering", "round T = 2", after(func(r *fl.Round, next fl.Vector) {
			seen := r.State.Vector("first", 1)
			if seen[0] > 1 && r.T > 1 {
				next.Scale(0.5)
				next.AddScaled(0.5, r.Updates[0].Params)
			}
			seen[0]++
		})),

		serving("repeats", "with Times of 1", after(func(r *fl.Round, next fl.Vector) {
			if r.Times != nil {
				next.Scale(2)
			}
		})),
		serving("stale", "with Staleness of 0", after(func(r *fl.Round, next fl.Vector) {
			if r.Staleness != nil {
				next.Scale(2)
			}
		})),
		serving("stale", "with stale updates: NaN or Inf", after(func(r *fl.Round, next fl.Vector) {
			if len(r.Staleness) > 1 && r.Staleness[1] > 0 {
				next[0] = math.NaN()
			}
		})),
		serving("stale", "with stale updates: Staleness changed", after(func(r *fl.Round, _ fl.Vector) {
			for k := range r.Staleness {
				r.Staleness[k] = 0
			}
		})),
		weighing("length", "2 weights for 1 updates", func(r *fl.Round) (fl.Weights, error) {
			w, err := evenly(r)
			w.By = append(w.By, 0)
			return w, err
		}, func(*fl.Round, fl.Vector) {}),
		weighing("length", "panic: ", evenly, func(r *fl.Round, _ fl.Vector) {
			_ = r.Updates[0].Params[0]
		}),
		weighing("weighs", "round T = 0: element 0", evenly, func(r *fl.Round, next fl.Vector) {
			faster(r, next, 1+float64(r.Updates[0].Steps))
		}),
		weighing("weighs", "round T = 0: element 0", func(r *fl.Round) (fl.Weights, error) {
			w, err := evenly(r)
			if err == nil {
				w.By[0] += 0.1 * float64(len(r.Updates[0].Params))
			}
			return w, err
		}, func(*fl.Round, fl.Vector) {}),

		serving("unknown-law", "panic: ", after(func(r *fl.Round, next fl.Vector) {
			faster(r, next, 1+r.Law.Inclusion.Sum())
		})),
		serving("unknown-law", "NaN or Inf", after(func(r *fl.Round, next fl.Vector) {
			if r.Law == nil {
				next[0] = math.NaN()
			}
		})),

		serving("undisclosed", "NaN or Inf", after(func(r *fl.Round, next fl.Vector) {
			faster(r, next, 1+math.Abs(fl.Vector(r.Roster.Covariates.Data).Sum()))
		})),
		serving("undisclosed", "panic: ", after(func(r *fl.Round, next fl.Vector) {
			faster(r, next, 1+r.Roster.Moments[0])
		})),
	})
}

// TestSixOnly examines an aggregator that is made for six clients, and not on sixty.
func TestSixOnly(t *testing.T) {
	e := fl.AggregatorEntry{
		Example: map[string]any{"weights": []any{1.0, 1.0, 1.0, 1.0, 1.0, 1.0}},
		New: func(p *fl.Params) (fl.Aggregator, error) {
			w := p.Floats("weights", fl.AtLeast(0), "one for each client")
			if s := p.Setting(); s.Known() && s.Clients != len(w) {
				p.Fail("weights", "%d for %d clients", len(w), s.Clients)
			}
			return after(func(r *fl.Round, _ fl.Vector) { _ = w[r.Roster.N-1] }), nil
		},
	}
	for _, v := range examined(t, aggregators(), e) {
		t.Error(v)
	}
}
