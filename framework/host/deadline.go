package host

import (
	"sync"
	"time"
)

// leastShare is the part of a processor that a process is assumed to have had at least, so that a
// process that waits for ever ends, too.
const leastShare = 0.1

// A Deadline ends a budget of time. Time in which other programs have the processors does not
// count: what is used up is what has passed, but no more than the process has computed, nor less
// than a tenth of what has passed. Where the system does not say what the process has computed,
// all that has passed counts.
type Deadline struct {
	budget   time.Duration
	began    time.Time
	computed time.Duration // by the process until then
}

// NewDeadline begins a budget.
func NewDeadline(budget time.Duration) Deadline {
	computed, _ := computed()
	return Deadline{budget, time.Now(), computed}
}

// Left returns what is left of the budget, which lasts at least as long. It is not positive when
// the budget is used up, and then says since when.
func (d Deadline) Left() time.Duration {
	passed := time.Since(d.began)
	used := passed
	if now, ok := computed(); ok {
		used = max(min(passed, now-d.computed), time.Duration(leastShare*float64(passed)))
	}
	return d.budget - used
}

// An Alarm calls a function once a budget is used up, unless it is stopped before.
type Alarm struct {
	mu    sync.Mutex
	due   Deadline
	timer *time.Timer
	state state
	ring  func()
}

type state int

const (
	running state = iota
	paused
	stopped
	rung
)

// NewAlarm begins a budget, after which ring is called, once.
func NewAlarm(budget time.Duration, ring func()) *Alarm {
	a := &Alarm{due: NewDeadline(budget), ring: ring}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.timer = time.AfterFunc(budget, a.look)
	return a
}

func (a *Alarm) look() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.state != running {
		return
	}
	if left := a.due.Left(); left > 0 {
		a.timer.Reset(left)
		return
	}
	a.state = rung
	a.ring()
}

// Stop ends the alarm for good and reports whether it has rung.
func (a *Alarm) Stop() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.state != rung {
		a.state = stopped
		a.timer.Stop()
	}
	return a.state == rung
}

// Pause stops the clock of an alarm that runs, until resume is called. It reports whether it did.
func (a *Alarm) Pause() (resume func(), ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.state != running {
		return func() {}, false
	}
	left := a.due.Left()
	a.state = paused
	a.timer.Stop()
	return func() { a.resume(left) }, true
}

func (a *Alarm) resume(left time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.state != paused {
		return
	}
	a.due, a.state = NewDeadline(left), running
	a.timer.Reset(max(left, 0))
}

// Late returns for how long the budget has been used up, 0 while it is not, and while the clock
// stands still.
func (a *Alarm) Late() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.state == paused || a.state == stopped {
		return 0
	}
	return max(0, -a.due.Left())
}
