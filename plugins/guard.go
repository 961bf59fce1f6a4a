package plugins

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/plugins/vet"
)

// A guarded component is what all guards have in common: the machine that it runs on, and its
// name.
type guarded struct {
	*machine
	name string
}

// guarding is what most guards are: that, and the component.
type guarding[T any] struct {
	guarded
	of T
}

// try runs f, which calls the method, and returns what went wrong. What the method is lent may
// only be read, but for what is writable.
func (g guarded) try(method string, f func() error, lent ...input) error {
	return g.call(g.name, method, f, lent...)
}

// must is try for methods that return no error: the engine makes one of the panic.
func (g guarded) must(method string, f func() error, lent ...input) {
	if err := g.try(method, f, lent...); err != nil {
		panic(err)
	}
}

// entry returns the guarded form of one entry of a strategy. Its New evaluates the strategy
// afresh and puts a guard around the component.
func entry[T any](s *Strategy, in vet.Entry, guard func(guarded, T) (T, error)) fl.Entry[T] {
	e := described[T](s.first, in)
	fits := e.Fits
	// Of a New and a Fits that did not end: no other cell waits for them again.
	var hung, unfit atomic.Pointer[Fault]
	e.Source = s.Digest()
	e.New = func(p *fl.Params) (T, error) {
		var none, c T
		if fault := hung.Load(); fault != nil {
			return none, fault
		}
		m, err := newMachine(s.ctx, s.pkg, s.budget, s.by)
		if err != nil {
			return none, err
		}
		m.calls = s.calls
		g := guarded{m, e.Name}
		if m.budget == 0 || m.budget > building {
			m.budget = building
		}
		err = g.try("New", func() (err error) {
			c, err = described[T](m, in).New(p)
			if err == nil && any(c) == nil {
				err = fmt.Errorf("returned neither a component nor an error")
			}
			return err
		})
		m.budget = s.budget
		if err != nil {
			keepHung(&hung, err)
			return none, err
		}
		return guard(g, c)
	}
	if fits != nil {
		e.Fits = func(in fl.Setting) error {
			if fault := unfit.Load(); fault != nil {
				return fault
			}
			g := guarded{s.first, e.Name}
			err := g.try("Fits", func() error { return fits(in) }, input{"in", &in})
			keepHung(&unfit, err)
			return err
		}
	}
	return e
}

// keepHung keeps the fault of a call that took too long.
func keepHung(hung *atomic.Pointer[Fault], err error) {
	var fault *Fault
	if errors.As(err, &fault) && fault.Timeout {
		hung.Store(fault)
	}
}

// building is how long New and Fits may take at most: they do no work.
const building = 5 * time.Second

// described returns an entry as the strategy has it.
func described[T any](m *machine, in vet.Entry) fl.Entry[T] {
	return m.value(in.Variable).Interface().(fl.Entry[T])
}
