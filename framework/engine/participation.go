package engine

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
)

// participation decides which clients train in a round: availability, then selection, and then
// completion.
type participation struct {
	setup           *Setup
	available       fl.AvailabilityInput
	selected        fl.SelectionInput
	environment     fl.Stream
	server          fl.Stream
	environmentRand *fl.ReseedableRand
	serverRand      *fl.ReseedableRand

	enrolled []int     // ascending
	present  []int     // room for those available that are enrolled
	context  fl.Matrix // Z of this round as the server sees it
	rates    fl.Vector // P(available) in rounds in which the model says no more; nil: not asked
	truth    fl.Vector // room for π
	settled  bool      // truth is that of every round
	stated   bool      // enrolment has said how likely everyone enrols
	seen     fl.Matrix // room for the context of the enrolled
	told     fl.Oracle

	completion *completion // nil: all that are asked finish at once

	asynchronous *asynchronous // nil: the server is synchronous

	finishes fl.Vector // probability of each client that is asked; nil: not asked for

	progress *Progress // of the cell, or of a simulation
}

// newParticipation returns the participation of a cell, which follows its progress. The prefix
// keeps simulated rounds apart from real ones; it is empty for the latter.
func newParticipation(s *Setup, w *World, prefix string) *participation {
	fixed := fl.NewStream(s.Seed, "availability fixed")
	m := &participation{
		setup: s,
		available: fl.AvailabilityInput{Roster: w.Environment, Fixed: fixed.Rand,
			Folders: w.Folders},
		selected:        fl.SelectionInput{Roster: w.Roster},
		environment:     fl.NewStream(s.Seed, prefix+"availability"),
		environmentRand: fl.NewReseedableRand(),
		server:          fl.NewStream(s.Seed, prefix+"selection"),
		serverRand:      fl.NewReseedableRand(),
		enrolled:        enrolled(w.Environment),
		completion:      newCompletion(s, w, prefix),
	}
	m.asynchronous = newAsynchronous(m, prefix)
	return m
}

// follow makes p what is kept from round to round.
func (m *participation) follow(p *Progress) {
	m.progress, m.available.State, m.selected.State = p, p.Nature, p.Server
	m.selected.Shared, m.selected.Told = p.Shared, p.Reports.of
	if m.completion != nil {
		m.completion.input.State = p.Finishing
	}
	if m.asynchronous != nil {
		m.asynchronous.follow(p)
	}
}

// cohort returns the cohort of round t, ascending: those of the asked whose updates arrive in time,
// or of an asynchronous server in this round. It lives until the next call.
func (m *participation) cohort(t int) (cohort []int, err error) {
	if a := m.asynchronous; a != nil {
		cohort, err = a.round(t)
		m.selected.Times, m.selected.Expected = nil, nil
	} else {
		cohort, err = m.finishers(t)
	}
	if err == nil && len(cohort) > 0 && keepsReports(m.setup.Selects) {
		m.progress.Reports.take(cohort, t, m.room())
		m.time(cohort)
	}
	return cohort, err
}

// time notes for the selection how long the clients of a cohort needed, where it asks and there is
// a completion model.
func (m *participation) time(cohort []int) {
	switch c, a := m.completion, m.asynchronous; {
	case !m.setup.Selects.Seconds || c == nil:
	case a != nil:
		m.progress.Reports.time(cohort, func(k int) float64 { return a.heard[k].Seconds })
	default:
		m.progress.Reports.time(cohort, func(k int) float64 { return c.took[k] })
	}
}

// finishers returns those of the asked that finish in time, ascending.
func (m *participation) finishers(t int) ([]int, error) {
	available, err := m.reach(t)
	if err != nil {
		return nil, err
	}
	cohort, err := m.choose(t, 0, available)
	if c := m.completion; c != nil && err == nil {
		d := &m.selected
		if err := c.finish(t, m.progress.Time, cohort, d.Times); err != nil {
			return nil, err
		}
		m.progress.Time += c.lasts
		cohort, d.Expected = c.heard, nil // which says nothing of the clients that finish
		if d.Times != nil {
			d.Times = c.times
		}
	}
	return cohort, err
}

// reach returns the clients that are available in round t, ascending, and enrolled.
func (m *participation) reach(t int) ([]int, error) {
	r := &m.available
	r.Recycle()
	r.Context, r.Inclusion, r.Phase, r.Phases = fl.Matrix{}, nil, 0, 0
	r.T, r.RNG = t, m.environmentRand.Open(m.environment.At(t, 0))
	available := m.setup.Availability.Available(r)
	if err := r.Failure(); err != nil {
		return nil, fmt.Errorf("availability: %w", err)
	}
	if err := m.check("availability", available); err != nil {
		return nil, err
	}
	if err := m.look(); err != nil {
		return nil, err
	}
	m.watch()
	available = m.reached(available)
	if e := m.progress.Exposure; e != nil {
		e.count(t, available)
	}
	return available, nil
}

// choose returns the clients that are selected of the available ones in round t, ascending. A
// synchronous server chooses once in a round; the number says for which time it is.
func (m *participation) choose(t, number int, available []int) ([]int, error) {
	d := &m.selected
	d.Recycle()
	d.Available = available
	if len(available) == 0 {
		return nil, nil
	}
	d.T = t
	d.RNG = m.serverRand.Open(m.server.At(t, number))
	cohort := m.setup.Selection.Select(d)
	if err := cmp.Or(m.check("selection", cohort), m.checkSaid(cohort)); err != nil {
		return nil, err
	}
	if same(available, m.available.Everyone()) || same(cohort, available) {
		return cohort, nil
	}
	if err := fl.CheckSubset(cohort, available); err != nil {
		return nil, fmt.Errorf("selection returned %w", err)
	}
	return cohort, nil
}

// room is how many numbers a report of an update takes: none where there is no model.
func (m *participation) room() int {
	if !m.setup.Selects.Updates {
		return 0
	}
	return len(m.progress.Global)
}

// checkSaid refuses what selection says of its cohort where that has no meaning. Times of 1 alone
// are none.
func (m *participation) checkSaid(cohort []int) error {
	d, traits := &m.selected, m.setup.Selects
	if d.Times != nil && len(d.Times) != len(cohort) ||
		d.Expected != nil && len(d.Expected) != len(cohort) {
		return fmt.Errorf("selection set Times of %d and Expected of %d clients, the cohort has %d",
			len(d.Times), len(d.Expected), len(cohort))
	}
	if d.Expected == nil && traits.Expected && len(cohort) > 0 {
		return errors.New("selection set no Expected, and its traits say that it does")
	}
	for k, x := range d.Expected {
		if !(x > 0) || math.IsInf(x, 0) {
			return fmt.Errorf("selection expects client %d to be counted %v times", cohort[k], x)
		}
	}
	repeats := false
	for k, times := range d.Times {
		if times < 1 || times > 1 && !traits.Repeats {
			return fmt.Errorf("selection counts client %d %d times; Repeats of its traits is %t",
				cohort[k], times, traits.Repeats)
		}
		repeats = repeats || times > 1
	}
	if !repeats {
		d.Times = nil
	}
	return nil
}

// watch looks for those that never have a chance to come.
func (m *participation) watch() {
	if m.available.Inclusion == nil {
		return
	}
	p := m.progress
	candidates := p.Never
	if !p.Watched {
		p.Watched, p.Never, candidates = true, make([]int, 0, 8), m.enrolled
	}
	left := p.Never[:0]
	for _, i := range candidates {
		if m.available.Inclusion[i] == 0 {
			left = append(left, i)
		}
	}
	p.Never = left
}

// reached returns those of the available that are enrolled.
func (m *participation) reached(available []int) []int {
	pop := m.available.Roster
	switch {
	case pop.Enrolled == nil:
		return available
	case same(available, m.available.Everyone()):
		return m.enrolled
	}
	m.present = m.present[:0]
	for _, i := range available {
		if pop.Enrolled[i] {
			m.present = append(m.present, i)
		}
	}
	return m.present
}

// look checks what the availability model set beside the available clients, and shows the server
// the context of the enrolled.
func (m *participation) look() error {
	r, n := &m.available, m.available.Roster.N
	if r.Inclusion != nil && len(r.Inclusion) != n {
		return fmt.Errorf("availability gave %d inclusion probabilities of %d clients",
			len(r.Inclusion), n)
	}
	if r.Phase < 0 || r.Phase > r.Phases || r.Phases > 0 && r.Phase == 0 {
		return fmt.Errorf("availability says that phase %d of %d is seen", r.Phase, r.Phases)
	}
	m.context = r.Context
	if r.Context.Cols == 0 {
		return nil
	}
	if r.Context.Rows != n {
		return fmt.Errorf("availability gave the context of %d clients of %d", r.Context.Rows, n)
	}
	if r.Roster.Enrolled == nil {
		return nil
	}
	if m.seen.Rows != n || m.seen.Cols != r.Context.Cols {
		m.seen = fl.NewMatrix(n, r.Context.Cols)
		fl.Vector(m.seen.Data).Fill(math.NaN())
	}
	for _, i := range m.enrolled {
		copy(m.seen.Row(i), r.Context.Row(i))
	}
	m.context = m.seen
	return nil
}

// show tells the server what it sees of this round beside its cohort.
func (m *participation) show(r *fl.Round) {
	r.Context, r.Phase, r.Phases = m.context, m.available.Phase, m.available.Phases
}

// inclusion returns P(i ∈ S | i is enrolled) of this round, by client: given the context and, where
// the server selects, the other available clients; then it is 0 for those that are not.
func (m *participation) inclusion() (fl.Vector, error) {
	if m.settled {
		return m.truth, nil
	}
	pi, err := m.chances()
	err = lacking(err, m.finishing())
	law, known := m.setup.Selection.Law(m.selected.Roster, m.selected.Available)
	switch {
	case !known:
		return nil, lacking(err, errors.New("this selection mechanism states no probabilities"))
	case !law.Everyone && law.Inclusion == nil && law.Sets == nil:
		return nil, lacking(err, errors.New("this selection mechanism states no inclusion "+
			"probabilities"))
	case err != nil:
		return nil, err
	case law.Everyone && m.finishes == nil:
		return pi, nil
	case law.Everyone:
		law.Inclusion = m.finishes
	case law.Inclusion == nil:
		law.Inclusion = inclusion(&law, m.selected.Roster.N)
	}
	if len(m.truth) != len(pi) {
		m.truth = make(fl.Vector, len(pi))
	}
	for i := range m.truth {
		m.truth[i] = pi[i] * law.Inclusion[i]
		if m.finishes != nil && !law.Everyone {
			m.truth[i] *= m.finishes[i]
		}
	}
	nature, known := m.setup.Availability.Law(m.available.Roster)
	m.settled = known && nature.Everyone
	return m.truth, nil
}

// finishing sets finishes, once.
func (m *participation) finishing() (err error) {
	if m.finishes == nil {
		m.finishes, err = m.completion.chances()
	}
	return err
}

// chances returns the probability of every client to be available in this round.
func (m *participation) chances() (fl.Vector, error) {
	if m.available.Inclusion != nil {
		return m.available.Inclusion, nil
	}
	if m.rates == nil {
		m.rates = availability(m.setup, m.available.Roster)
	}
	if m.rates == nil {
		return nil, errors.New("this availability model states no probabilities")
	}
	return m.rates, nil
}

// check refuses clients that are out of range, out of order or named twice.
func (m *participation) check(component string, ids []int) error {
	if everyone := m.available.Everyone(); same(ids, everyone) || same(ids, m.enrolled) {
		return nil
	}
	if err := fl.CheckClients(ids, m.available.Roster.N); err != nil {
		return fmt.Errorf("%s returned %w", component, err)
	}
	return nil
}

// same reports whether a and b are the same memory.
func same[T any](a, b []T) bool { return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] }
