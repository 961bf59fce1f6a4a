//go:build unix

package host

import (
	"testing"
	"time"
)

// compute computes until the process has computed for so long.
func compute(t *testing.T, d time.Duration) {
	t.Helper()
	start, ok := computed()
	if !ok {
		t.Fatal("the system does not say what the process has computed")
	}
	for used := start; used < start+d; used, _ = computed() {
		for x := range 10_000 {
			_ = x
		}
	}
}

// What is used up of a budget is what the process has computed, and a tenth of the time at least.
func TestWaitingIsNoComputing(t *testing.T) {
	const budget = time.Hour
	d := NewDeadline(budget)
	d.began = d.began.Add(-time.Minute) // it has waited for a minute
	before := d.Left()
	if used := budget - before; used < 6*time.Second || used > 8*time.Second {
		t.Errorf("a minute of waiting uses up %v, want a tenth", used)
	}
	d.computed -= 40 * time.Second // it has computed for most of that
	if used := budget - d.Left(); used < 40*time.Second || used > 42*time.Second {
		t.Errorf("40 s of computing use up %v", used)
	}
	d.computed -= time.Hour // on many processors
	if used := budget - d.Left(); used < time.Minute || used > 62*time.Second {
		t.Errorf("a minute on many processors uses up %v", used)
	}
	d.budget = 10 * time.Second
	if left := d.Left(); left > -50*time.Second || left < -52*time.Second {
		t.Errorf("50 s too late, it says %v", left)
	}
}

// An alarm rings once its budget is used up, and not before.
func TestAlarmRings(t *testing.T) {
	rung := make(chan bool, 1)
	a := NewAlarm(20*time.Millisecond, func() { rung <- true })
	compute(t, 30*time.Millisecond)
	<-rung
	if !a.Stop() || a.Late() <= 0 {
		t.Errorf("it has rung, %v late", a.Late())
	}
	if _, paused := a.Pause(); paused {
		t.Error("it has rung, and is paused")
	}
}

// What waits does not ring at its time, but in the end.
func TestWaitingRingsInTheEnd(t *testing.T) {
	const budget = 50 * time.Millisecond
	rung, began := make(chan time.Time, 1), time.Now()
	NewAlarm(budget, func() { rung <- time.Now() })
	if took := (<-rung).Sub(began); took < budget {
		t.Errorf("it has rung after %v, before its %v", took, budget)
	}
}

// A clock that is paused stands still, and one that is stopped never rings.
func TestAlarmsArePausedAndStopped(t *testing.T) {
	a := NewAlarm(time.Hour, func() { t.Error("it has rung") })
	resume, paused := a.Pause()
	if !paused || a.Late() != 0 {
		t.Error("it cannot be paused")
	}
	a.due.began = a.due.began.Add(-24 * time.Hour)
	a.look()
	resume()
	if left := a.due.Left(); left < 50*time.Minute {
		t.Errorf("what passes while it is paused counts: %v are left", left)
	}
	a.look() // too early
	resume, _ = a.Pause()
	if a.Stop() || a.Late() != 0 {
		t.Error("it was stopped, and has rung")
	}
	resume()
	a.due.began, a.due.computed = a.due.began.Add(-24*time.Hour), a.due.computed-24*time.Hour
	a.look() // long after its time, but it was stopped
	if a.Late() != 0 {
		t.Error("it was stopped, and goes on")
	}
}
