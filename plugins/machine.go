package plugins

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins/vet"
)

// A machine is one evaluation of a strategy, on an interpreter of its own: calls into it come
// one after another, on a clock, and what goes wrong in them is a Fault.
type machine struct {
	evaluation
	pkg    *vet.Package
	line   reflect.Value   // the position variable
	ctx    context.Context // done: the interpreter is stopped for good
	stop   context.CancelFunc
	budget time.Duration // of a call; 0: there is none

	mu    sync.Mutex // held during a call
	calls *calls     // that have not returned, of all machines of a strategy
	loan  *loan      // of the inputs of a call; apart, as a tracer that has it must not keep m

	tracer *tracer // nil unless the strategy is examined
}

// newMachine evaluates a strategy that was vetted. It lives until ctx is done or it is unreachable.
func newMachine(
	ctx context.Context, pkg *vet.Package, budget time.Duration, by interpreter,
) (*machine, error) {
	m := &machine{pkg: pkg, budget: budget, calls: new(calls), loan: new(loan)}
	within, cancel := context.WithCancel(ctx)
	late := func() bool { return false }
	if budget > 0 {
		late = host.NewAlarm(budget, cancel).Stop
	}
	var err error
	m.evaluation, err = by.evaluate(within, pkg)
	slow := late() && ctx.Err() == nil
	cancel()
	if err != nil && slow {
		return nil, study.Problems{{Pos: pkg.At(0),
			Message: fmt.Sprintf("loading takes longer than %v", budget),
			Hint: "what variables of the package hold is computed for each component that is " +
				"built: compute less of it"}}
	}
	if err != nil {
		return nil, err
	}
	if traced, ok := m.evaluation.(tracedEvaluation); ok {
		m.tracer, traced.tracer.loan = traced.tracer, m.loan
	}
	m.line = m.value(vet.PositionVariable)
	m.ctx, m.stop = context.WithCancel(ctx)
	if err := m.stopAt(m.ctx); err != nil {
		return nil, err
	}
	runtime.AddCleanup(m, func(stop context.CancelFunc) { stop() }, m.stop)
	return m, nil
}

// call runs f, which calls a method of the component called name and lends it inputs, and returns
// what went wrong.
func (m *machine) call(name, method string, f func() error, lent ...input) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	fault := &Fault{Name: name, Call: method}
	if m.ctx.Err() != nil {
		fault.Pos, fault.Message, fault.Timeout = m.pkg.At(0), "was stopped before", true
		return fault
	}
	m.line.SetInt(0)
	m.listen(method)
	m.tracer.begin()
	m.loan.lend(lent...)
	now := m.calls.begin(m, name, method)
	defer m.calls.end(now)
	wrong, at := m.protected(f)
	if wrong != nil {
		fault.Message = m.wrongText(wrong)
	}
	if written := m.loan.changed(); written != nil {
		fault.Message = strings.TrimSuffix(written.Error()+"; "+fault.Message, "; ")
	}
	switch {
	case now.alarm != nil && now.alarm.Stop():
		fault.Message, fault.Timeout = fmt.Sprintf("took longer than %v", m.budget), true
	case m.ctx.Err() != nil:
		fault.Message, fault.Timeout = "was stopped", true
	case fault.Message == "":
		return nil
	}
	fault.Pos = m.pkg.At(at)
	if m.tracer != nil && m.tracer.culprit > 0 {
		fault.Pos = m.pkg.At(m.tracer.culprit)
		return fault
	}
	if inner, ok := m.blame(); ok && !fault.Timeout && !m.pkg.Recovers {
		fault.Pos, fault.Hint = m.pkg.Blame(at, inner)
	}
	return fault
}

// protected runs f and returns its error or what it panicked with, if anything, and the
// position at its end.
func (m *machine) protected(f func() error) (wrong any, at int) {
	defer func() {
		if p := recover(); p != nil {
			wrong = panicked{p}
			m.raised()
		}
		at = int(m.line.Int())
	}()
	if err := f(); err != nil {
		wrong = err
	}
	return wrong, at
}

// panicked is what a strategy panicked with.
type panicked struct{ value any }

// wrongText returns what an error or a panic says. That may be code of the strategy, too,
// which may panic.
func (m *machine) wrongText(wrong any) (text string) {
	text = "an error that cannot say what it is"
	defer func() { _ = recover() }()
	if p, ok := wrong.(panicked); ok {
		return "panic: " + m.words(p.value)
	}
	if said := wrong.(error).Error(); said != "" {
		text = said
	}
	return text
}
