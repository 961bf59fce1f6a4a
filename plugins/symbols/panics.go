package symbols

import "reflect"

// fail panics in a strategy.
func fail(message string) { panic(message) }

// Panics runs the deferred functions of one interpreter.
type Panics struct {
	line  *int // where a statement begins
	ready *Panic
}

// NewPanics returns what runs deferred functions; line is where the interpreter says which
// statement runs.
func NewPanics(line *int) *Panics { return &Panics{line: line} }

// Defers are the deferred calls of one call of a function.
type Defers struct {
	panics *Panics
	list   []func()
	now    *Panic // what panicked, or nil
}

// A Panic is one that deferred functions may end.
type Panic struct {
	value any
	line  int
	of    *Defers
}

// Begin returns the deferred calls of a function that is called.
func (p *Panics) Begin() *Defers { return &Defers{panics: p} }

// Take returns the panic that the function that is called may end: it is the one of the
// deferred call that is made right now.
func (p *Panics) Take() *Panic {
	now := p.ready
	p.ready = nil
	return now
}

// Recover ends a panic and returns it, or nil when there is none.
func (p *Panic) Recover() *Panic {
	if p == nil || p.of.now != p {
		return nil
	}
	p.of.now = nil
	return p
}

// Again panics with what was recovered.
func (p *Panic) Again() { panic(p.value) }

// Push defers a call.
func (d *Defers) Push(f func()) { d.list = append(d.list, f) }

// Run runs the body of a function, and what it defers.
func (d *Defers) Run(body func()) {
	d.protected(body)
	for len(d.list) > 0 {
		last := len(d.list) - 1
		f := d.list[last]
		d.list = d.list[:last]
		d.panics.ready = d.now
		d.protected(f)
		d.panics.ready = nil
	}
	if d.now != nil {
		*d.panics.line = d.now.line
		panic(d.now.value)
	}
}

// protected runs a function and keeps what it panics with.
func (d *Defers) protected(f func()) {
	over := false
	defer func() {
		if over {
			return
		}
		value := recover()
		if v, ok := value.(reflect.Value); ok && v.IsValid() && v.CanInterface() {
			value = v.Interface()
		}
		d.now = &Panic{value: value, line: *d.panics.line, of: d}
	}()
	f()
	over = true
}
