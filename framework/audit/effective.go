package audit

import (
	"fmt"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// Effective is what an aggregator's weights amount to over many rounds.
type Effective struct {
	P        fl.Vector `json:"-"`        // p̃: mean weight of each client, scaled to sum 1
	Exact    bool      `json:"exact"`    // a mean over the law; false: over simulated rounds
	Rounds   int       `json:"rounds"`   // simulated rounds behind it; 0 when exact
	Learns   bool      `json:"learns"`   // the weights of a cohort change from round to round
	Total    float64   `json:"total"`    // mean of Σw, the weight of the cohort
	TotalSD  float64   `json:"total_sd"` // its standard deviation from round to round
	Scale    float64   `json:"scale"`    // mean of Σw plus the weight of θᵗ⁻¹; 1: consensus
	ScaleSD  float64   `json:"scale_sd"` // its standard deviation; 0 where consensus is kept
	Speaking float64   `json:"speaking"` // mean of (Σw)²/Σw²: how many clients a round listens to
	Cohort   float64   `json:"cohort"`   // mean size of the cohorts that came
	Thin     bool      `json:"thin"`     // too few rounds to tell clients apart
	Noise    float64   `json:"tv_noise"` // total variation that simulation error alone would show
}

// measure adds up what cohorts were given.
type measure struct {
	sum, square      fl.Vector // Σ q·w and Σ q·w², by client
	mass             float64   // Σ q
	total, totalSq   float64
	scale, scaleSq   float64
	speaking, cohort float64
}

func newMeasure(n int) *measure {
	return &measure{sum: make(fl.Vector, n), square: make(fl.Vector, n)}
}

func (m *measure) add(q float64, cohort []int, r reading) {
	total, square := 0.0, 0.0
	for k, w := range r.weights {
		m.sum[cohort[k]] += q * w
		m.square[cohort[k]] += q * w * w
		total += w
		square += w * w
	}
	m.mass += q
	m.total += q * total
	m.totalSq += q * total * total
	m.scale += q * (total + r.global)
	m.scaleSq += q * (total + r.global) * (total + r.global)
	m.cohort += q * float64(len(cohort))
	if square > 0 {
		m.speaking += q * total * total / square
	}
}

// effective returns the mean of what was added; draws is the number of independent rounds
// behind it, 0 when it is exact.
func (m *measure) effective(draws int) Effective {
	e := Effective{P: m.sum.Clone(), Exact: draws == 0, Rounds: draws,
		Speaking: m.speaking / m.mass, Cohort: m.cohort / m.mass}
	e.Total, e.TotalSD = meanSD(m.total/m.mass, m.totalSq/m.mass)
	e.Scale, e.ScaleSD = meanSD(m.scale/m.mass, m.scaleSq/m.mass)
	sum := e.P.Sum()
	if draws > 0 && sum != 0 {
		for i := range e.P {
			mean := m.sum[i] / m.mass
			variance := math.Max(0, m.square[i]/m.mass-mean*mean) / float64(draws)
			// The mean size of a normal deviation is √(2/π) of its standard deviation.
			e.Noise += math.Sqrt(variance*2/math.Pi) / 2 * m.mass / math.Abs(sum)
		}
	}
	if sum != 0 {
		e.P.Scale(1 / sum)
	}
	return e
}

// meanSD returns the mean and the standard deviation of what has this mean and this mean
// square. A deviation within rounding of the mean is none.
func meanSD(mean, square float64) (float64, float64) {
	variance := square - mean*mean
	if variance < 1e-14*square {
		return mean, 0
	}
	return mean, math.Sqrt(variance)
}

// effectiveOf probes the aggregator of a cell over the law of its cohorts: exactly where
// the cohorts are listed and their weights stay the same, over simulated rounds otherwise. It
// returns the rounds that it played, if any.
func effectiveOf(s *engine.Setup, w *engine.World, law *fl.Law) (Effective, *play, error) {
	if s.Statistics != "" {
		return Effective{}, nil, fmt.Errorf("clients send %s, not models, so it has no p̃",
			s.Statistics)
	}
	told := law
	if !s.Law {
		told = nil
	}
	p := newProbe(s, w.Roster, told)
	varies, err := varying(s, w)
	if err != nil {
		return Effective{}, nil, err
	}
	if law.Sets == nil || varies {
		return simulated(s, w, p)
	}
	m := newMeasure(w.Roster.N)
	first, err := p.read(0, law.Sets[0])
	if err != nil {
		return Effective{}, nil, err
	}
	before := slices.Clone(first.weights)
	for j, cohort := range law.Sets {
		r, err := p.read(j+1, cohort)
		if err != nil {
			return Effective{}, nil, err
		}
		if !r.linear {
			return Effective{}, nil, errNotLinear
		}
		m.add(law.Q[j], cohort, r)
	}
	again, err := p.read(len(law.Sets)+1, law.Sets[0])
	if err != nil {
		return Effective{}, nil, err
	}
	if !slices.Equal(before, again.weights) {
		return simulated(s, w, newProbe(s, w.Roster, told))
	}
	return m.effective(law.Draws), &play{notes: p.round.Notes.All(), probe: p}, nil
}

// varying reports whether rounds differ by more than who comes: by context, or by a truth of
// which the aggregator is told. Weights of a cohort then belong to a round.
func varying(s *engine.Setup, w *engine.World) (shown bool, err error) {
	if s.Oracle {
		return true, nil
	}
	err = engine.Simulate(s, w, 1, func(turn engine.Turn) error {
		shown = turn.Context.Cols > 0
		return nil
	})
	return shown, err
}

// A play is rounds as they would come, and what the aggregator gave.
type play struct {
	notes   []string
	probe   *probe
	members []int     // of one cohort after another
	weights fl.Vector // by member
	end     []int     // of each round among members
}

// mostKept bounds the members of the rounds that a play keeps.
const mostKept = 4_000_000

// keep remembers a round; those beyond what can be kept are forgotten.
func (p *play) keep(cohort []int, weights fl.Vector) {
	if len(p.members)+len(cohort) <= mostKept {
		p.members = append(p.members, cohort...)
		p.weights = append(p.weights, weights...)
		p.end = append(p.end, len(p.members))
	}
}

// simulated probes the aggregator in rounds as they would come. Weights that are learnt
// need time: the first half of the rounds is left out of the mean.
func simulated(s *engine.Setup, w *engine.World, p *probe) (Effective, *play, error) {
	rounds := min(20_000, max(s.Rounds, 2000))
	m, draws := newMeasure(w.Roster.N), 0
	kept := &play{probe: p}
	var first engine.Turn // in which somebody came, and what they were given then
	var before fl.Vector
	err := engine.Simulate(s, w, rounds, func(turn engine.Turn) error {
		t, cohort := turn.T, turn.Cohort
		if len(cohort) == 0 {
			return nil
		}
		p.see(turn)
		r, err := p.read(t, cohort)
		if err != nil {
			return err
		}
		if !r.linear {
			return errNotLinear
		}
		if first.Cohort == nil {
			first, before = lasting(turn), slices.Clone(r.weights)
		}
		if t >= rounds/2 {
			m.add(1, cohort, r)
			kept.keep(cohort, r.weights)
			draws++
		}
		return nil
	})
	if err != nil {
		return Effective{}, nil, err
	}
	if draws == 0 {
		return Effective{}, nil, fmt.Errorf("nobody came in %d simulated rounds", rounds-rounds/2)
	}
	p.see(first)
	again, err := p.read(rounds, first.Cohort)
	if err != nil {
		return Effective{}, nil, err
	}
	e := m.effective(draws)
	e.Learns = !slices.Equal(before, again.weights)
	kept.notes = p.round.Notes.All()
	return e, kept, nil
}

// lasting returns a turn that outlives its round.
func lasting(t engine.Turn) engine.Turn {
	t.Cohort = slices.Clone(t.Cohort)
	t.Context.Data = slices.Clone(t.Context.Data)
	if t.Oracle != nil {
		truth := *t.Oracle
		truth.Inclusion = truth.Inclusion.Clone()
		t.Oracle = &truth
	}
	return t
}
