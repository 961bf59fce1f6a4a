package contract

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

var nameOfCheck = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)

var cloud = fl.SourceEntry{
	Name: "cloud", Summary: "a few samples for each client", Paper: "known2024",
	New: func(p *fl.Params) (fl.Source, error) {
		shape := fl.Shape{Features: p.Int("features", 4, fl.Closed(4, 2000), "columns"),
			Owned: true, Tested: true}
		if p.Bool("labelled", true, "with classes instead of targets") {
			shape.Classes, shape.Image = 4, fl.Image{C: 1, H: 1, W: shape.Features}
		}
		return source{shape, func(l *fl.LoadInput) (train, test *fl.Dataset, err error) {
			train, _ = newData(shape, slices.Repeat([]int{20}, l.Clients), l.RNG)
			test, _ = newData(shape, slices.Repeat([]int{5}, l.Clients), l.RNG)
			return train, test, nil
		}}, nil
	},
}

// lost is a source whose file is nowhere.
var lost = fl.SourceEntry{
	Name: "lost", Summary: "samples of a file", Paper: "A. Author. A title. 1998.",
	New: func(*fl.Params) (fl.Source, error) {
		return source{fl.Shape{Features: 1}, func(l *fl.LoadInput) (_, _ *fl.Dataset, err error) {
			lost := data.Set{Name: "lost", Files: []data.File{{Name: "lost.gz"}}}
			_, err = lost.Find(l.Folders)
			return nil, nil, err
		}}, nil
	},
	Inspect: func(_ fl.Source, i *fl.Inspection) { i.Lack("name", "lost.gz") },
	Waives:  map[string]string{"disjoint": "the publisher repeats some rows"},
}

var turns = fl.PartitionerEntry{
	Name: "turns", Summary: "one row after another",
	New: func(*fl.Params) (fl.Partitioner, error) {
		return dealer(func(d *fl.Dataset, n int, _ *rand.Rand) ([][]int, error) {
			return inTurn(upTo(d.Len()), n)
		}), nil
	},
}

func inTurn(rows []int, n int) ([][]int, error) {
	if n > len(rows) {
		return nil, fmt.Errorf("%d rows for %d clients", len(rows), n)
	}
	parts := make([][]int, n)
	for k, r := range rows {
		parts[k%n] = append(parts[k%n], r)
	}
	return parts, nil
}

var cards = fl.PartitionerEntry{
	Name: "cards", Summary: "shuffles and deals",
	New: func(p *fl.Params) (fl.Partitioner, error) {
		labelled := p.Choice("by", "", "what is shuffled", "row", "label") == "label"
		if s := p.Setting(); labelled && s.Known() && s.Shape.Classes == 0 {
			labelled = false
		}
		return dealer(func(d *fl.Dataset, n int, rng *rand.Rand) ([][]int, error) {
			rows := rng.Perm(d.Len())
			if labelled {
				slices.SortStableFunc(rows, func(a, b int) int { return d.Y[a] - d.Y[b] })
			}
			return inTurn(rows, n)
		}), nil
	},
}

var even = fl.ImportanceEntry{
	Name: "even", Summary: "N equal weights",
	New: func(*fl.Params) (fl.Importance, error) {
		return importance(func(pop *fl.Roster) fl.Vector { return equal(pop.N, 1/float64(pop.N)) }), nil
	},
}

var bySamples = fl.ImportanceEntry{
	Name: "by-samples", Summary: "proportional to samples",
	New: func(*fl.Params) (fl.Importance, error) { return importance(shares), nil },
}

func shares(pop *fl.Roster) fl.Vector {
	p := make(fl.Vector, pop.N)
	for i, n := range pop.Samples {
		p[i] = float64(n)
	}
	p.Scale(1 / p.Sum())
	return p
}

// written6 is an importance that only an Example can build.
var written6 = fl.ImportanceEntry{
	Name: "written", Summary: "Written down for each client",
	Example: map[string]any{"weights": []any{1.0, 0.0, int64(1), 1.0, 0.5, 0.5}},
	New: func(p *fl.Params) (fl.Importance, error) {
		w := fl.Vector(p.Floats("weights", fl.Closed(0, 10), "one for each client"))
		if s := p.Setting(); s.Known() && s.Clients != len(w) {
			p.Fail("weights", "%d for %d clients", len(w), s.Clients)
		}
		return importance(func(*fl.Roster) fl.Vector {
			q := w.Clone()
			q.Scale(1 / q.Sum())
			return q
		}), nil
	},
}

var straight = fl.ModelEntry{
	Name: "straight", Summary: "linear scores",
	New: func(*fl.Params) (fl.Model, error) { return toyLinear{}, nil },
}

var descent = fl.LocalRuleEntry{
	Name: "descent", Summary: "gradient steps on one sample each",
	New: func(p *fl.Params) (fl.LocalRule, error) {
		lr := p.Float("lr", 0.1, fl.AtLeast(0), "step size")
		steps := p.Int("steps", 3, fl.Closed(1, 100), "number of steps")
		return localRule(func(t *fl.Task) (fl.Update, error) {
			row, grad := t.Ints(1), t.Scratch(len(t.Params))
			for range t.Fit(steps) {
				clear(grad)
				row[0] = t.RNG.IntN(t.Client.Data.Len())
				t.Worker.Gradient(grad, t.Params, &t.Client.Data, row)
				t.Params.AddScaled(-lr, grad)
			}
			last := fl.Matrix{Rows: 1, Cols: len(grad), Data: grad.Clone()}
			return fl.Update{Steps: t.Fit(steps), Params: t.Params, Payload: fl.Tensors{"last": last}}, nil
		}), nil
	},
}

// toss lets each client come with its chance, which it keeps in State.
func toss(r *fl.AvailabilityInput, chance float64) []int {
	kept := r.State.Vector("chance", r.Roster.N)
	ids := r.Room(r.Roster.N)
	for i := range kept {
		kept[i] = chance
		if r.RNG.Float64() < kept[i] {
			ids = append(ids, i)
		}
	}
	return ids
}

// coins says its law in full, pairs as a list, shy only in part.
var coins = fl.AvailabilityEntry{
	Name: "coins", Summary: "a coin for each client",
	New: func(p *fl.Params) (fl.Availability, error) {
		chance := p.Float("chance", 0.3, fl.LeftOpen(0, 1), "probability of coming")
		return availability{
			func(r *fl.AvailabilityInput) []int { return toss(r, chance) },
			func(pop *fl.Roster) (fl.Law, bool) { return tossed(pop.N, chance), true },
		}, nil
	},
}

func tossed(n int, chance float64) fl.Law {
	empty, _ := stats.Attendance(equal(n, chance))
	return fl.Law{Chance: equal(n, chance), Inclusion: equal(n, chance), Empty: empty, Exact: true}
}

var pairs = fl.AvailabilityEntry{
	Name: "pairs", Summary: "two clients by a prior",
	New: func(p *fl.Params) (fl.Availability, error) {
		prior := p.Importance("prior", "even", "chances of being drawn")
		return availability{
			func(r *fl.AvailabilityInput) []int {
				tree := r.State.Vector("tree", 2*r.Roster.N)
				if r.T == 0 {
					stats.SumTree(tree, prior.Weights(r.Roster))
				}
				return stats.DrawSuccessive(r.Room(2), tree, 2, r.RNG)
			},
			func(pop *fl.Roster) (fl.Law, bool) {
				return fl.Law{Sets: stats.Subsets(pop.N, 2),
					Q: stats.SuccessiveLaw(prior.Weights(pop), 2), Exact: true}, true
			},
		}, nil
	},
}

var shy = fl.AvailabilityEntry{
	Name: "shy", Summary: "coins that tell no more than chances",
	New: func(*fl.Params) (fl.Availability, error) {
		return availability{
			func(r *fl.AvailabilityInput) []int { return toss(r, 0.6) },
			func(pop *fl.Roster) (fl.Law, bool) {
				return fl.Law{Inclusion: equal(pop.N, 0.6), Draws: 1000}, true
			},
		}, nil
	},
}

var few = fl.SelectionEntry{
	Name: "few", Summary: "a subset of two",
	New: func(*fl.Params) (fl.Selection, error) { return selection{someTwo, lawOfTwo}, nil },
}

func someTwo(d *fl.SelectionInput) []int {
	ids := stats.DrawUniform(d.Room(2), len(d.Available), min(2, len(d.Available)), d.RNG)
	for k := range ids {
		ids[k] = d.Available[ids[k]]
	}
	return ids
}

func lawOfTwo(pop *fl.Roster, available []int) (fl.Law, bool) {
	k := min(2, len(available))
	law := fl.Law{Chance: make(fl.Vector, pop.N), Inclusion: make(fl.Vector, pop.N), Size: k, Exact: true}
	for _, i := range available {
		law.Chance[i], law.Inclusion[i] = 0.5, float64(k)/float64(len(available))
	}
	return law, true
}

var everybody = fl.SelectionEntry{
	Name: "everyone", Summary: "all that are available",
	New: func(*fl.Params) (fl.Selection, error) {
		return selection{
			func(d *fl.SelectionInput) []int { return d.Available },
			func(*fl.Roster, []int) (fl.Law, bool) {
				return fl.Law{Everyone: true, Exact: true}, true
			},
		}, nil
	},
}

// average returns θᵗ⁻¹ and the mean change on top of it.
func average(r *fl.Round) fl.Vector {
	return r.CombineDeltas(equal(len(r.Updates), 1/float64(len(r.Updates))))
}

var errNobody = errors.New("empty round")

// momentum keeps a velocity in State, tells clients of it, and has something to say.
// tally and gathered are two halves of a method without models.
var tally = fl.LocalRuleEntry{
	Name: "tally", Summary: "sends the sum of features", Traits: fl.LocalTraits{Statistics: "sums"},
	New: func(*fl.Params) (fl.LocalRule, error) { return localRule(tallies), nil },
}

var gathered = fl.AggregatorEntry{
	Name: "gathered", Summary: "weights that are the mean of features",
	Traits: fl.AggregatorTraits{Statistics: "sums"},
	New:    func(*fl.Params) (fl.Aggregator, error) { return aggregate(sumsOf), nil },
}

// sumsOf returns parameters that begin with the mean of the sums of clients.
func sumsOf(r *fl.Round) (fl.Vector, error) {
	if len(r.Updates) == 0 {
		return nil, errNobody
	}
	next := r.Scratch(len(r.Global))
	for _, u := range r.Updates {
		sum := u.Payload["sum"].Data
		next[:len(sum)].AddScaled(1/float64(len(r.Updates)), sum)
	}
	return next, nil
}

var momentum = fl.AggregatorEntry{
	Name: "momentum", Summary: "mean with momentum",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		beta := p.Float("beta", 0.5, fl.RightOpen(0, 1), "share of the velocity that stays")
		return heavyServer{beta}, nil
	},
}

type heavyServer struct{ beta float64 }

func (s heavyServer) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{Params: r.Global}, nil
	}
	next, velocity := average(r), r.State.Vector("velocity", len(r.Global))
	for k := range next {
		velocity[k] = s.beta*velocity[k] + next[k] - r.Global[k]
		next[k] = r.Global[k] + velocity[k]
	}
	r.Notes.Add(fmt.Sprintf("%d clients came", len(r.Updates)))
	sent := fl.Matrix{Rows: 1, Cols: len(next), Data: velocity} // which is copied
	return fl.Outcome{Params: next, Broadcast: fl.Tensors{"velocity": sent}}, nil
}

// horvitz needs the law, and says so early or late.
var horvitz = fl.AggregatorEntry{
	Name: "horvitz", Summary: "Horvitz weights on deltas",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		early := p.Bool("early", true, "refuse an unknown law before the first round")
		if s := p.Setting(); early && s.Known() && !s.Law {
			p.Fail("early", "the law is unknown")
		}
		return fl.Weigh(weigh(func(r *fl.Round) (fl.Weights, error) {
			if len(r.Updates) == 0 {
				return fl.Weights{}, errNobody
			}
			if r.Law == nil {
				return fl.Weights{}, errors.New("the law is unknown")
			}
			w := r.Scratch(len(r.Updates))
			for k, u := range r.Updates {
				w[k] = r.Roster.Importance[u.Client] / r.Law.Inclusion[u.Client]
			}
			return fl.Weights{By: w, Deltas: true}, nil
		})), nil
	},
}

func lossOfAll(s *fl.Snapshot) (float64, error) { return s.Objective(), nil }

var objective = fl.MetricEntry{
	Name: "objective", Summary: "F(θ), the training objective",
	New: func(*fl.Params) (fl.Metric, error) { return metric{measure: lossOfAll}, nil },
}

var accuracy = fl.MetricEntry{
	Name: "accuracy", Summary: "share of test samples that are right",
	Fits: func(s fl.Setting) error {
		if s.Shape.Classes == 0 {
			return errors.New("needs classes")
		}
		return nil
	},
	New: func(*fl.Params) (fl.Metric, error) {
		return metric{unit: "%", higher: true, measure: func(s *fl.Snapshot) (float64, error) {
			d, right := s.Population.Test, 0
			scores := fl.NewMatrix(d.Len(), d.Shape.Classes)
			s.Worker.Scores(scores, s.Params, d.X)
			for r, y := range d.Y {
				if scores.Row(r)[y] == slices.Max(scores.Row(r)) {
					right++
				}
			}
			return 100 * float64(right) / float64(d.Len()), nil
		}}, nil
	},
}

var excess = fl.MetricEntry{
	Name: "excess", Summary: "the objective above its minimum",
	New: func(*fl.Params) (fl.Metric, error) {
		return metric{measure: func(s *fl.Snapshot) (float64, error) {
			best, err := s.Optimal()
			if err != nil {
				return 0, err
			}
			return s.Objective() - best.Value, nil
		}}, nil
	},
}

// sent is a metric of what clients sent, in the unit of now and in that of older strategies.
func sent(name, unit string) fl.MetricEntry {
	return fl.MetricEntry{
		Name: name, Summary: "numbers sent",
		New: func(*fl.Params) (fl.Metric, error) {
			return metric{unit: unit, measure: func(s *fl.Snapshot) (float64, error) {
				return float64(s.Uploaded), nil
			}}, nil
		},
	}
}
