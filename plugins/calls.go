package plugins

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/study"
)

// calls are the calls into a strategy that have not returned.
type calls struct {
	mu   sync.Mutex
	list []*call
}

// A call is one of them.
type call struct {
	machine      *machine
	name, method string
	budget       time.Duration
	alarm        *host.Alarm // stops the machine when the budget is used up; nil without one
}

// A Call is a call into a strategy that has not returned.
type Call struct {
	Name   string        // of the component
	Method string        //
	Pos    study.Pos     // the line that runs
	Budget time.Duration // that it may take; 0: for ever
	Late   time.Duration // since its budget was used up
	Firm   bool          // nothing can stop it but the end of the process
}

// Calls returns the calls into the strategy that have not returned, the latest first. It may be
// asked at any time, by any goroutine.
func (s *Strategy) Calls() []Call {
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	var list []Call
	for i := len(s.calls.list) - 1; i >= 0; i-- {
		c := s.calls.list[i]
		now := Call{Name: c.name, Method: c.method, Budget: c.budget,
			Pos:  c.machine.pkg.At(c.machine.peek()),
			Firm: !c.machine.stoppable()}
		if c.alarm != nil {
			now.Late = c.alarm.Late()
		}
		list = append(list, now)
	}
	return list
}

func (l *calls) begin(m *machine, name, method string) *call {
	c := &call{machine: m, name: name, method: method, budget: m.budget}
	if m.budget > 0 {
		c.alarm = host.NewAlarm(m.budget, m.stop)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, c)
	return c
}

func (l *calls) end(c *call) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, other := range l.list {
		if other == c {
			l.list = append(l.list[:i], l.list[i+1:]...)
			return
		}
	}
}

// pause stops the clock of the call into a machine, until what it returns is called.
func (l *calls) pause(m *machine) (goOn func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.list {
		if c.machine == m && c.alarm != nil {
			if goOn, paused := c.alarm.Pause(); paused {
				return goOn
			}
		}
	}
	return func() {}
}

// looks says when to look at the stacks of a call that is not interpreted.
type looks struct {
	next atomic.Int64 // when the next one is due, in nanoseconds since 1970
}

// Looks take no more than one part in so many of the time of a call: a deep stack takes long.
const (
	betweenLooks = 100 * time.Millisecond
	lookShare    = 100
)

// begin says that a call begins, which is not to be looked at for a while.
func (l *looks) begin() { l.next.Store(time.Now().Add(betweenLooks).UnixNano()) }

// take takes a look, if one is due and nothing else takes it.
func (l *looks) take(look func()) {
	began, due := time.Now(), l.next.Load()
	if began.UnixNano() < due || !l.next.CompareAndSwap(due, math.MaxInt64) {
		return
	}
	look()
	l.next.Store(time.Now().Add(max(betweenLooks, lookShare*time.Since(began))).UnixNano())
}
