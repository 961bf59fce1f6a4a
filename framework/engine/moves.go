package engine

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// moves are the two moves that decide who trains in a round: nature's and the server's.
type moves struct {
	setup     *Setup
	reach     fl.Reach
	draw      fl.Draw
	nature    fl.Stream
	server    fl.Stream
	natureTap *fl.Tap
	serverTap *fl.Tap

	enrolled []int     // ascending
	present  []int     // room for those available that are enrolled
	context  fl.Matrix // Z of this round as the server sees it
	rates    fl.Vector // P(available) in rounds in which the model says no more; nil: not asked
	truth    fl.Vector // room for π
	settled  bool      // truth is that of every round
	stated   bool      // enrolment has said how likely everyone enrols
	seen     fl.Matrix // room for the context of the enrolled
	told     fl.Oracle

	watched bool  // in some round the model said how likely everyone is available
	never   []int // whom it gave no chance in any of those; ascending, and enrolled
}

// newMoves returns the moves of a cell. The prefix keeps simulated rounds apart from real
// ones; it is empty for the latter.
func newMoves(s *Setup, w *World, prefix string) *moves {
	fixed := fl.NewStream(s.Seed, "availability fixed")
	return &moves{
		setup: s,
		reach: fl.Reach{Roster: w.Nature, State: fl.NewStore(), Fixed: fixed.Rand,
			Folders: w.Folders},
		draw:   fl.Draw{Roster: w.Roster, State: fl.NewStore()},
		nature: fl.NewStream(s.Seed, prefix+"availability"), natureTap: fl.NewTap(),
		server: fl.NewStream(s.Seed, prefix+"selection"), serverTap: fl.NewTap(),
		enrolled: enrolled(w.Nature),
	}
}

// cohort returns the cohort of round t, ascending. It lives until the next call.
func (m *moves) cohort(t int) ([]int, error) {
	r := &m.reach
	r.Recycle()
	r.Context, r.Inclusion = fl.Matrix{}, nil
	r.T, r.RNG = t, m.natureTap.Open(m.nature.At(t, 0))
	available := m.setup.Availability.Available(r)
	if err := r.Failure(); err != nil {
		return nil, fmt.Errorf("availability: %w", err)
	}
	if err := m.checkAscending("availability", available); err != nil {
		return nil, err
	}
	if err := m.look(); err != nil {
		return nil, err
	}
	m.watch()
	available = m.reached(available)
	m.draw.Available = available
	if len(available) == 0 {
		return nil, nil
	}
	m.draw.Recycle()
	m.draw.T = t
	m.draw.RNG = m.serverTap.Open(m.server.At(t, 0))
	cohort := m.setup.Selection.Select(&m.draw)
	if err := m.checkAscending("selection", cohort); err != nil {
		return nil, err
	}
	if !same(available, r.Everyone()) && !subset(cohort, available) {
		return nil, fmt.Errorf("selection picked a client that is not available: %v of %v",
			cohort, available)
	}
	return cohort, nil
}

// watch looks for those that never have a chance to come.
func (m *moves) watch() {
	if m.reach.Inclusion == nil {
		return
	}
	candidates := m.never
	if !m.watched {
		m.watched, m.never, candidates = true, make([]int, 0, 8), m.enrolled
	}
	left := m.never[:0]
	for _, i := range candidates {
		if m.reach.Inclusion[i] == 0 {
			left = append(left, i)
		}
	}
	m.never = left
}

// reached returns those of the available that are enrolled.
func (m *moves) reached(available []int) []int {
	pop := m.reach.Roster
	switch {
	case pop.Enrolled == nil:
		return available
	case same(available, m.reach.Everyone()):
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

// look checks what the availability model said beside who is available, and lets the server
// see the context of the enrolled.
func (m *moves) look() error {
	r, n := &m.reach, m.reach.Roster.N
	if r.Inclusion != nil && len(r.Inclusion) != n {
		return fmt.Errorf("availability gave %d inclusion probabilities of %d clients",
			len(r.Inclusion), n)
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

// inclusion returns P(i ∈ S | i is enrolled) of this round, by client: given the context and,
// where the server selects, who else is available; then it is 0 for those that are not.
func (m *moves) inclusion() (fl.Vector, error) {
	if m.settled {
		return m.truth, nil
	}
	pi, err := m.chances()
	law, known := m.setup.Selection.Law(m.draw.Roster, m.draw.Available)
	switch {
	case !known:
		return nil, lacking(err, errors.New("this selection mechanism states no probabilities"))
	case !law.Everyone && law.Inclusion == nil && law.Sets == nil:
		return nil, lacking(err, errors.New("this selection mechanism states no inclusion "+
			"probabilities"))
	case err != nil:
		return nil, err
	case law.Everyone:
		return pi, nil
	case law.Inclusion == nil:
		law.Inclusion = inclusion(&law, m.draw.Roster.N)
	}
	if len(m.truth) != len(pi) {
		m.truth = make(fl.Vector, len(pi))
	}
	for i := range m.truth {
		m.truth[i] = pi[i] * law.Inclusion[i]
	}
	nature, known := m.setup.Availability.Law(m.reach.Roster)
	m.settled = known && nature.Everyone
	return m.truth, nil
}

// chances returns the probability of every client to be available in this round.
func (m *moves) chances() (fl.Vector, error) {
	if m.reach.Inclusion != nil {
		return m.reach.Inclusion, nil
	}
	if m.rates == nil {
		m.rates = availability(m.setup, m.reach.Roster)
	}
	if m.rates == nil {
		return nil, errors.New("this availability model states no probabilities")
	}
	return m.rates, nil
}

// checkAscending refuses clients that are out of range, out of order or named twice.
func (m *moves) checkAscending(who string, ids []int) error {
	if everyone := m.reach.Everyone(); same(ids, everyone) || same(ids, m.enrolled) {
		return nil
	}
	last := -1
	for _, i := range ids {
		if i <= last || i >= m.reach.Roster.N {
			return fmt.Errorf("%s returned client %d after client %d of %d; want them ascending",
				who, i, last, m.reach.Roster.N)
		}
		last = i
	}
	return nil
}

// same reports whether a and b are the same memory.
func same(a, b []int) bool { return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] }

// subset reports whether a is part of b; both ascend.
func subset(a, b []int) bool {
	if same(a, b) {
		return true
	}
	for _, i := range a {
		k, found := slices.BinarySearch(b, i) // many may be available to few
		if !found {
			return false
		}
		b = b[k+1:]
	}
	return true
}
