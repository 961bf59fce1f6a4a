package engine

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// DrawOf returns the law by which cohorts are drawn, as far as differential privacy may claim
// amplification by it: what availability and selection state of themselves, and no more. The
// population is that of the clients that are enrolled; enrolment is taken to be known.
func DrawOf(s *Setup, w *World) fl.Draw {
	everyone := enrolled(w.Environment)
	nature, known := natureLaw(s, w)
	if !known {
		return fl.Draw{Why: "availability states no law of its rounds"}
	}
	server, same := s.Selection.Law(w.Roster, everyone)
	if !same {
		return fl.Draw{Why: "the selection states no law of its cohorts"}
	}
	law, of := &server, "the selection"
	switch {
	case server.Everyone:
		law, of = &nature, "availability"
	case !nature.Everyone:
		return fl.Draw{Why: "availability and selection both decide on the cohort, and no " +
			"bound is known of what they make together"}
	}
	if law.Everyone {
		return fl.Draw{Size: len(everyone), Of: len(everyone)}
	}
	d := drawn(law, everyone, of)
	if d.Rate > 0 && s.Release != nil && s.Release.Shares != nil {
		return fl.Draw{Why: "clients add the noise, and how many participate is random"}
	}
	return d
}

// drawn returns the draw that a law of rounds is, over the clients that are enrolled.
func drawn(law *fl.Law, everyone []int, of string) fl.Draw {
	switch {
	case !law.Memoryless:
		return fl.Draw{Why: of + " does not draw each round independently of the others"}
	case !law.Exact:
		return fl.Draw{Why: of + " states no exact law"}
	}
	if k := uniform(law, everyone); k > 0 {
		return fl.Draw{Size: k, Of: len(everyone)}
	}
	if rate := independent(law, everyone); rate > 0 {
		return fl.Draw{Rate: rate}
	}
	return fl.Draw{Why: of + " draws clients neither independently of each other nor uniformly " +
		"among cohorts of one size"}
}

// uniform returns k where all cohorts of k clients are equally likely, else 0.
func uniform(law *fl.Law, everyone []int) int {
	n := len(everyone)
	switch {
	case law.Empty > 0:
		return 0
	case law.Sets != nil:
		k, count := len(law.Sets[0]), 1.0
		for i := range min(k, n-k) {
			count = math.Round(count * float64(n-i) / float64(i+1))
		}
		if float64(len(law.Sets)) != count {
			return 0
		}
		for j, set := range law.Sets {
			if len(set) != k || math.Abs(law.Q[j]*count-1) > 1e-9 {
				return 0
			}
		}
		return k
	case law.Chance != nil && law.Size > 0:
		for _, i := range everyone {
			if law.Chance[i] != law.Chance[everyone[0]] {
				return 0
			}
		}
		return law.Size
	}
	return 0
}

// independent returns the largest inclusion probability where clients participate independently of
// each other, else 0.
func independent(law *fl.Law, everyone []int) float64 {
	chance := law.Chance
	if law.Sets != nil {
		chance = law.Inclusion
	}
	if chance == nil || law.Sets == nil && law.Size > 0 {
		return 0
	}
	most, none := 0.0, 1.0
	for _, i := range everyone {
		most, none = max(most, chance[i]), none*(1-chance[i])
	}
	if math.Abs(none-law.Empty) > 1e-9 {
		return 0
	}
	for j, set := range law.Sets {
		q := 1.0
		for _, i := range everyone {
			if _, in := slices.BinarySearch(set, i); in {
				q *= chance[i]
			} else {
				q *= 1 - chance[i]
			}
		}
		if math.Abs(q-law.Q[j]*(1-law.Empty)) > 1e-9 {
			return 0
		}
	}
	return most
}

// exposure counts the rounds in which clients were available, where what is spent of privacy
// depends on them.
type exposure struct {
	Rounds     []int // by client
	Last       []int // by client: the number of the last one, from 1; 0: none
	Most       int
	Separation int
}

// count takes the clients that are available in a round, with its number from 0.
func (e *exposure) count(t int, available []int) {
	for _, i := range available {
		if e.Rounds[i]++; e.Rounds[i] > e.Most {
			e.Most = e.Rounds[i]
		}
		if gap := t + 1 - e.Last[i]; e.Last[i] > 0 && (e.Separation == 0 || gap < e.Separation) {
			e.Separation = gap
		}
		e.Last[i] = t + 1
	}
}

func (e *exposure) clone() *exposure {
	if e == nil {
		return nil
	}
	return &exposure{slices.Clone(e.Rounds), slices.Clone(e.Last), e.Most, e.Separation}
}

// exposure carries when clients were available.
func (w *codec) exposure(kept **exposure) {
	if w.reads() {
		*kept = new(exposure)
	}
	e := *kept
	list(w, &e.Rounds, w.number)
	list(w, &e.Last, w.number)
	w.number(&e.Most)
	w.number(&e.Separation)
}

// accounts reports whether a measure accounts for privacy.
func (s *Setup) accounts() bool {
	return slices.ContainsFunc(s.Measures, func(m Measure) bool { return m.Accounts })
}

// openPerSample readies what measures that account for privacy of samples are shown. It refuses
// what clients sent before without noise.
func (c *Cell) openPerSample() error {
	s := c.setup
	if !slices.ContainsFunc(s.Measures, func(m Measure) bool { return m.AccountsSamples }) {
		return nil
	}
	switch {
	case s.PerSample == nil:
		return errors.New("ε of samples is asked for, and clients send what has no noise")
	case c.world.Uploaded > 0:
		return fmt.Errorf("ε of samples is asked for, and clients sent %d numbers to "+
			"preprocessors, which move rows by them", c.world.Uploaded)
	}
	c.snapshot.PerSample = s.PerSample
	return nil
}

// openExposure readies what measures that account for privacy are shown. It refuses what releases
// more than the aggregator says.
func (c *Cell) openExposure(start *Progress) error {
	s := c.setup
	if !s.accounts() {
		return nil
	}
	switch {
	case s.Release == nil:
		return errors.New("ε is asked for, and the aggregator adds no noise")
	case c.world.Uploaded > 0:
		return fmt.Errorf("ε is asked for, and clients sent %d numbers to preprocessors, without "+
			"noise", c.world.Uploaded)
	}
	e := &fl.Exposure{Release: *s.Release, Draw: DrawOf(s, c.world)}
	if c.law != nil {
		e.Expected = c.law.Inclusion.Sum()
	}
	c.snapshot.Exposure = e
	if n := c.world.Roster.N; e.Why != "" || e.Tree {
		start.Exposure = &exposure{Rounds: make([]int, n), Last: make([]int, n)}
	}
	return nil
}

// expose shows measures what was released so far.
func (c *Cell) expose() {
	e, p := c.snapshot.Exposure, c.progress
	if e == nil {
		return
	}
	e.Rounds = p.Round
	if p.Exposure != nil {
		e.Most, e.Separation = p.Exposure.Most, max(p.Exposure.Separation, 1)
	}
}
