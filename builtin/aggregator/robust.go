package aggregator

import (
	"errors"
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
)

// errApart is why a rule that needs distances refuses updates.
var errApart = errors.New("the models are too far apart for their distances to be numbers")

// A faulty is f, how many clients of a cohort may be faulty, and how large that makes a cohort.
type faulty struct {
	f     int
	least func(f int) int // clients that a rule needs beside f faulty ones
}

// newFaulty declares f of a rule that needs least(f) clients in a cohort. Where faulty clients
// would be no minority of all, no rule can stand them, and f is refused.
func newFaulty(p *fl.Params, least func(f int) int) faulty {
	a := faulty{f: p.Int("f", 1, fl.AtLeast(0), "f, faulty clients that a cohort may have"),
		least: least}
	if s := p.Setting(); s.Known() && s.Clients <= 2*a.f {
		p.Fail("f", "f = %d of %d clients are no minority", a.f, s.Clients)
	}
	return a
}

// stays returns what a rule makes of a cohort that is too small to stand f faulty clients: the
// model stays as it is. Otherwise the answer is false.
func (a *faulty) stays(r *fl.Round) (fl.Outcome, bool, error) {
	n := len(r.Updates)
	switch {
	case n == 0:
		return fl.Outcome{}, true, errNoUpdates
	case n >= a.least(a.f):
		return fl.Outcome{}, false, nil
	}
	r.Notes.Add(fmt.Sprintf("cohorts of fewer than %d clients, which f = %d needs, left the model "+
		"as it was", a.least(a.f), a.f))
	next := r.Scratch(len(r.Global))
	copy(next, r.Global)
	return fl.Outcome{Params: next}, true, nil
}
