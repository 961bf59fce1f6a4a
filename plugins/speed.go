package plugins

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

// A Speed is how long one call of a component takes, and of what size.
type Speed struct {
	Kind, Name string
	Work       string        // "a round of 10 clients × 100,000 parameters"
	Took       time.Duration // the best of several calls
	Allocs     uint64        // objects
	Bytes      uint64
	Slow       string // why that is slow, and what would be faster; empty when it is not
	Suspected  bool   // it is slow because it may loop over parameters itself
}

// String returns the speed in words.
func (s *Speed) String() string {
	return fmt.Sprintf("%s takes %v and allocates %s", s.Work, s.Took.Round(time.Microsecond),
		several(int(s.Allocs), "object"))
}

// several says how many there are of a thing.
func several(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// A probe measures components of a kind by calls of a size at which their own loops show.
type probe[T any] struct {
	work string // what one call does
	// call returns a call of a size, which returns how many times it did its work; nil where there
	// can be none.
	call  func(c T, r *registry.Registry, size int) func() (times int, err error)
	size  int           // parameters, or clients
	limit time.Duration // of the work done once: beyond it a loop of the strategy's own is there
	slow  string        // what makes a call take longer, in STEPS, and what would be faster
	loops int           // parameters at which a loop over them shows in statements; 0: not asked
}

// MeasureSpeed measures the component of a kind, where calls of that kind have a size.
func MeasureSpeed(r *registry.Registry, kind, name string) (Speed, bool) {
	k := guardOf(func(f registry.Kind) bool { return f.Name == kind })
	if k == nil {
		return Speed{}, false
	}
	return k.speed(r, name)
}

// LoopsOverParameters reports whether as many statements of a component begin as a loop over
// parameters has turns, where components of the kind may have one. It is one of a strategy that an
// exam watches.
func LoopsOverParameters(r *registry.Registry, kind, name string, exam *Exam) bool {
	k := guardOf(func(f registry.Kind) bool { return f.Name == kind })
	before := exam.Begun()
	turns, called := k.begin(r, name)
	return !called || exam.Begun()-before >= int64(turns)/2
}

// begin makes one call at which loops over parameters show, of so many parameters.
func (k guard[T]) begin(r *registry.Registry, name string) (parameters int, called bool) {
	call := k.callOf(r, name, k.probe.loops)
	if call == nil {
		return 0, false
	}
	_, _ = call() // what takes too long has begun many
	return k.probe.loops, true
}

func (k guard[T]) speed(r *registry.Registry, name string) (Speed, bool) {
	s := Speed{Kind: k.Name, Name: name, Work: k.probe.work}
	call := k.callOf(r, name, k.probe.size)
	if call == nil {
		return s, false
	}
	times, err := call()
	if err != nil { // the contract says what is wrong
		return s, false
	}
	s.measure(call)
	times = max(1, times)
	if s.Took > time.Duration(times)*k.probe.limit {
		steps := several(times, "step")
		s.Slow = strings.Replace(k.probe.slow, "STEPS", steps, 1)
		s.Suspected = k.probe.loops > 0
	}
	return s, true
}

// callOf returns a call of a component as its defaults and Example build it, or nil.
func (k guard[T]) callOf(r *registry.Registry, name string, size int) func() (int, error) {
	e, found := k.Table(r).Get(name)
	if k.probe.call == nil || !found {
		return nil
	}
	p := r.Params(e.Example, fl.Setting{Clients: probeClients, Rounds: 100, Law: true,
		Shape: fl.Shape{Features: 10, Owned: true, Tested: true,
			Covariates: []string{"x1", "x2", "x3"}}})
	c, err := e.New(p)
	if err != nil || len(p.Finish()) > 0 || any(c) == nil {
		return nil
	}
	call := k.probe.call(c, r, size)
	if call == nil {
		return nil
	}
	return func() (times int, err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v", p)
			}
		}()
		return call()
	}
}

// measure calls several times and keeps the best.
func (s *Speed) measure(call func() (int, error)) {
	var before, after runtime.MemStats
	for range 5 {
		runtime.ReadMemStats(&before)
		start := time.Now()
		if _, err := call(); err != nil {
			return
		}
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		if s.Took == 0 || took < s.Took {
			s.Took = took
			s.Allocs, s.Bytes = after.Mallocs-before.Mallocs, after.TotalAlloc-before.TotalAlloc
		}
	}
}
