package host

import (
	"sync"
	"time"
)

// leastShare is the part of a processor that a process is taken to have had at least: what waits
// for something that never comes ends, too.
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
	over  bool // it was stopped, or has rung
	rung  bool
	ring  func()
}

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
	if a.over {
		return
	}
	if left := a.due.Left(); left > 0 {
		a.timer.Reset(left)
		return
	}
	a.over, a.rung = true, true
	a.ring()
}

// Stop ends the alarm and reports whether it has rung.
func (a *Alarm) Stop() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
	a.timer.Stop()
	return a.rung
}

// Pause stops the clock, unless the alarm has rung or was stopped, until resume is called. It
// reports whether it did.
func (a *Alarm) Pause() (resume func(), paused bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over {
		return func() {}, false
	}
	left := a.due.Left()
	a.over = true
	a.timer.Stop()
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.due, a.over = NewDeadline(left), false
		a.timer.Reset(max(left, 0))
	}, true
}

// Late returns for how long the budget has been used up, 0 while it is not, and while the clock
// stands still.
func (a *Alarm) Late() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over && !a.rung {
		return 0
	}
	return max(0, -a.due.Left())
}
