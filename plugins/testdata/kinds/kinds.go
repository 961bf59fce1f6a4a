// Package kinds describes one component of every kind that a strategy can be. It is
// interpreted, and compiled into the test that compares both.
package kinds

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// Median is the coordinate-wise median, in plain loops, with momentum.
var Median = fl.AggregatorEntry{
	Name:    "loop-median",
	Summary: "coordinate-wise median with server momentum",
	New: func(p *fl.Params) (fl.Aggregator, error) {
		return &median{
			beta: p.Float("beta", 0.5, fl.RightOpen(0, 1), "momentum of the server"),
			trim: p.Int("trim", 0, fl.AtLeast(0), "values dropped at either end"),
		}, nil
	},
}

// median keeps in State: velocity, length d.
type median struct {
	beta float64
	trim int
}

// Aggregate moves θ by the momentum of the median step.
func (m *median) Aggregate(r *fl.Round) (fl.Vector, error) {
	if len(r.Updates) == 0 {
		return nil, errors.New("nobody came")
	}
	velocity := r.State.Vector("velocity", len(r.Global))
	next := make(fl.Vector, len(r.Global))
	column := make([]float64, len(r.Updates))
	for j := range r.Global {
		for k := range r.Updates {
			column[k] = r.Updates[k].Params[j]
		}
		slices.Sort(column)
		step := middle(column, m.trim) - r.Global[j]
		velocity[j] = m.beta*velocity[j] + (1-m.beta)*step
		next[j] = r.Global[j] + velocity[j]
	}
	if len(r.Updates) < 3 {
		r.Notes.Add("a median of fewer than three")
	}
	return next, nil
}

func middle(sorted []float64, trim int) float64 {
	n := len(sorted)
	trim = min(trim, (n-1)/2)
	sum, count := 0.0, 0
	for _, x := range sorted[trim : n-trim] {
		sum += x
		count++
	}
	if n%2 == 1 && trim == 0 {
		return sorted[n/2]
	}
	return sum / float64(count)
}

// Proximal is gradient descent with a pull towards the received model.
var Proximal = fl.LocalRuleEntry{
	Name:    "pull",
	Summary: "full gradients with a proximal term",
	New:     newProximal,
}

type proximal struct {
	steps    int
	rate, mu float64
}

func newProximal(p *fl.Params) (fl.LocalRule, error) {
	return &proximal{
		steps: p.Int("steps", 3, fl.AtLeast(1), "gradient steps"),
		rate:  p.Float("lr", 0.01, fl.Above(0), "step size"),
		mu:    p.Float("mu", 0.1, fl.AtLeast(0), "weight of the pull"),
	}, nil
}

// Run implements θ ← θ − η(∇f(θ) + μ(θ − θᵗ⁻¹)).
func (l *proximal) Run(t *fl.Task) (fl.Update, error) {
	grad := t.Scratch(len(t.Params))
	for range l.steps {
		for i := range grad {
			grad[i] = 0
		}
		t.Worker.Gradient(grad, t.Params, &t.Client.Data, nil)
		grad.AddScaled(l.mu, t.Params)
		grad.AddScaled(-l.mu, t.Global)
		t.Params.AddScaled(-l.rate, grad)
	}
	return fl.Update{Steps: l.steps, Params: t.Params}, nil
}

// Root weighs clients by the root of their samples.
var Root = fl.ImportanceEntry{
	Name:    "root",
	Summary: "the root of the number of samples, times a trend",
	New: func(p *fl.Params) (fl.Importance, error) {
		return &root{slope: p.Float("slope", 0.1, fl.AtLeast(0), "growth from client to client")}, nil
	},
	Waives: map[string]string{"equivariant": "the trend is that of the clients' numbers"},
}

type root struct{ slope float64 }

// Weights returns pᵢ ∝ √nᵢ (1 + slope·i).
func (i *root) Weights(pop *fl.Roster) fl.Vector {
	p := make(fl.Vector, pop.N)
	for k, n := range pop.Samples {
		p[k] = math.Sqrt(float64(n)) * (1 + i.slope*float64(k))
	}
	p.Scale(1 / p.Sum())
	return p
}

// Tide is an availability that comes and goes.
var Tide = fl.AvailabilityEntry{
	Name:    "tide",
	Summary: "clients come and go with the hours",
	New: func(p *fl.Params) (fl.Availability, error) {
		return &tide{
			low:  p.Float("low", 0.2, fl.Closed(0, 1), "least chance"),
			day:  p.Float("day", 24, fl.Above(0), "rounds of a day"),
			more: p.Importance("favours", "uniform", "who comes more often"),
		}, nil
	},
}

type tide struct {
	low, day float64
	more     fl.Importance
}

// chance is πᵢₜ of a client whose share in the favours is w.
func (a *tide) chance(t, i int, w float64) float64 {
	wave := 0.5 - 0.5*math.Cos(2*math.Pi*(float64(t)/a.day+float64(i)/7))
	return min(1, a.low+(1-a.low)*wave*w)
}

// Available draws every client by itself.
func (a *tide) Available(r *fl.Reach) []int {
	favour := a.more.Weights(r.Roster)
	ids := r.Room(r.Roster.N)
	for i := range r.Roster.N {
		if r.RNG.Float64() < a.chance(r.T, i, favour[i]*float64(r.Roster.N)) {
			ids = append(ids, i)
		}
	}
	return ids
}

// Law is not known: the chances change from round to round.
func (a *tide) Law(*fl.Roster) (fl.Law, bool) { return fl.Law{}, false }

// Rotate selects whoever was not selected for longest.
var Rotate = fl.SelectionEntry{
	Name:    "rotate",
	Summary: "those who waited longest",
	New: func(p *fl.Params) (fl.Selection, error) {
		return &rotate{k: p.Int("k", 3, fl.AtLeast(1), "clients per round")}, nil
	},
}

// rotate keeps in State: last, length N, the round after the one a client was last in.
type rotate struct{ k int }

type turn struct {
	client int
	last   float64
	lot    float64
}

// Select sorts those available by when they were last selected, ties by lot.
func (s *rotate) Select(d *fl.Draw) []int {
	last := d.State.Vector("last", d.Roster.N)
	var turns []turn
	for _, i := range d.Available {
		turns = append(turns, turn{i, last[i], d.RNG.Float64()})
	}
	sort.Slice(turns, func(a, b int) bool {
		if turns[a].last != turns[b].last {
			return turns[a].last < turns[b].last
		}
		return turns[a].lot < turns[b].lot
	})
	ids := d.Room(s.k)
	for k := range min(s.k, len(turns)) {
		ids = append(ids, turns[k].client)
		last[turns[k].client] = float64(d.T + 1)
	}
	sort.Ints(ids)
	return ids
}

// Law is not known: it depends on the rounds before.
func (s *rotate) Law(*fl.Roster, []int) (fl.Law, bool) { return fl.Law{}, false }

// Ladder gives later clients more rows.
var Ladder = fl.PartitionerEntry{
	Name:    "ladder",
	Summary: "sizes grow from client to client",
	New:     func(p *fl.Params) (fl.Partitioner, error) { return &ladder{}, nil },
}

type ladder struct{}

// Split cuts shuffled rows into parts proportional to i + 1, each of at least one.
func (*ladder) Split(d *fl.Dataset, n int, rng *rand.Rand) ([][]int, error) {
	if d.Len() < n {
		return nil, fmt.Errorf("%d rows for %d clients", d.Len(), n)
	}
	rows := rng.Perm(d.Len())
	parts := make([][]int, n)
	total := float64(n*(n+1)) / 2
	at := 0
	for i := range parts {
		size := max(1, int(float64(len(rows)-n)*float64(i+1)/total))
		end := min(len(rows)-(n-1-i), at+size)
		if i == n-1 {
			end = len(rows)
		}
		parts[i] = rows[at:end]
		at = end
	}
	return parts, nil
}

// Spread measures how far apart the clients' losses are.
var Spread = fl.MetricEntry{
	Name:    "spread",
	Summary: "the range of the clients' losses, and its entropy",
	New: func(p *fl.Params) (fl.Metric, error) {
		return &spread{of: p.Choice("of", "range", "what is measured", "range", "entropy")}, nil
	},
	Waives: map[string]string{"direction": "far away all losses are large alike"},
}

type spread struct{ of string }

// Measure implements fl.Metric.
func (m *spread) Measure(s *fl.Snapshot) (float64, error) {
	losses := s.ClientLosses()
	if m.of == "range" {
		return slices.Max(losses) - slices.Min(losses), nil
	}
	sum, entropy := losses.Sum(), 0.0
	for _, x := range losses {
		if x > 0 {
			entropy -= x / sum * math.Log(x/sum)
		}
	}
	one, two := stats.UniformInclusion(len(losses), 1)
	return entropy * one * (1 + two), nil
}

// Unit implements fl.Metric.
func (*spread) Unit() string { return "" }

// Higher implements fl.Metric.
func (*spread) Higher() bool { return false }
