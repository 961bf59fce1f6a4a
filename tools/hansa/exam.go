package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins"
	"github.com/hansa-fl/hansa/registry"
	"github.com/hansa-fl/hansa/registry/contract"
)

// Limits of an examination. The toys are small, so that a call takes microseconds.
const (
	examBudget = 4 * time.Second        // of one call
	examGrace  = 500 * time.Millisecond // for a call that was stopped to return
	examTime   = 2 * time.Minute        // of all calls
	examMemory = 512 << 20              // bytes
)

// An examined strategy is what a worker process found out about one.
type examined struct {
	Violations []contract.Violation
	Speeds     []Speed
	Promises   map[string]int // by kind: how many were asked about
	Unreached  []string       // statements that no question reached, by their lines
}

// examination examines a strategy in a worker process: it may end its process. How fast it is, is
// measured where that is asked for.
func examination(ctx context.Context, s strategy, speeds bool) (*examined, error) {
	w, err := newWorker(min(spare(1), examMemory))
	if err != nil {
		return nil, err
	}
	defer w.Close()
	o := order{Examine: true, Speeds: speeds, Sources: []plugins.Source{s.Source},
		Budget: examBudget}
	place, err := os.CreateTemp("", "hansa-exam-")
	if err == nil { // else the line is less certain
		o.Place = place.Name()
		defer os.Remove(o.Place)
		defer place.Close()
	}
	job, err := encode(o)
	if err != nil {
		return nil, err
	}
	answer, err := w.Do(ctx, job, func(launch.Report) {})
	var f *launch.Failure
	if errors.As(err, &f) {
		at, message := s.Locate(f.Error())
		if last := s.At(notedPlace(o.Place)); last.Line > 0 {
			at = last
		}
		return nil, study.Problems{{Pos: at, Message: message}}
	}
	if err != nil {
		return nil, err
	}
	found := new(examined)
	return found, decode(answer, found)
}

// examine examines the strategies of an order, interpreted.
func (w *worker) examine(o *order) ([]byte, error) {
	w.limits.Store(&examLimits{host.NewDeadline(examTime)})
	defer w.limits.Store(nil)
	exam := new(plugins.Exam)
	if o.Place != "" {
		exam.Place = sharedPlace(o.Place)
	}
	found, list, err := w.ask(o, exam)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(found.Violations, wrote) {
		// Which statement wrote is seen by looking after each, which takes long.
		blamed, _, err := w.ask(o, &plugins.Exam{Place: exam.Place, Blame: true})
		if err == nil && slices.ContainsFunc(blamed.Violations, wrote) {
			found.Violations = blamed.Violations
		}
	}
	for _, s := range list {
		for _, gap := range s.Unreached(exam) {
			found.Unreached = append(found.Unreached, gap.String())
		}
	}
	if o.Speeds && len(found.Violations) == 0 {
		err = w.measureSpeeds(o, found)
	}
	if err != nil {
		return nil, err
	}
	return encode(found)
}

// wrote reports whether a strategy wrote to what it may only read.
func wrote(v contract.Violation) bool {
	return strings.Contains(v.Found, registry.Written)
}

// ask asks of the components of strategies what the contract asks of every one.
func (w *worker) ask(o *order, exam *plugins.Exam) (*examined, strategies, error) {
	r, list, err := w.watch(o, exam)
	if err != nil {
		return nil, nil, err
	}
	own := map[string]bool{}
	for _, s := range list {
		for _, e := range s.Entries {
			own[e.Kind+"/"+e.Name] = true
		}
	}
	return &examined{Promises: promises(), Violations: questions(r, own)}, list, nil
}

// watch loads the strategies of an order for an exam, beside all that is built in.
func (w *worker) watch(o *order, exam *plugins.Exam) (*registry.Registry, strategies, error) {
	t, err := builtinTools()
	if err != nil {
		return nil, nil, err
	}
	var list strategies
	for _, source := range o.Sources {
		s, err := plugins.LoadExam(context.Background(), source, o.Budget, exam)
		if err == nil {
			err = s.Register(t.registry)
		}
		if err != nil {
			return nil, nil, err
		}
		list = append(list, s)
	}
	w.strategies.Store(&list)
	return t.registry, list, nil
}

// questions asks some components of a registry what the contract asks.
func questions(r *registry.Registry, own map[string]bool) []contract.Violation {
	papers := map[string]bool{}
	for key := range builtin.Papers() {
		papers[key] = true
	}
	return contract.Examine(r, contract.Options{Papers: papers, Seed: 1,
		Only: func(kind, name string) bool { return own[kind+"/"+name] }})
}

// promises counts, by kind, how many promises are asked about.
func promises() map[string]int {
	n := map[string]int{}
	for _, p := range contract.Promises() {
		n[p.Kind]++
	}
	for kind := range n {
		if kind != "entry" {
			n[kind] += n["entry"]
		}
	}
	return n
}

// measureSpeeds measures how fast the components of an order are as they are run: statements that
// tell where they are take longer.
func (w *worker) measureSpeeds(o *order, found *examined) error {
	if err := w.load(o); err != nil {
		return err
	}
	for _, s := range *w.strategies.Load() {
		for _, e := range s.Entries {
			if speed, ok := measureSpeed(w.registry, e.Kind, e.Name); ok {
				found.Speeds = append(found.Speeds, speed)
			}
		}
	}
	return w.confirmLoops(o, found)
}

// confirmLoops has nothing said of loops over parameters where there are none: helpers take their
// time, too. A loop is seen by how many statements begin.
func (w *worker) confirmLoops(o *order, found *examined) error {
	if !slices.ContainsFunc(found.Speeds, func(s Speed) bool { return s.suspected() }) {
		return nil
	}
	exam := new(plugins.Exam)
	r, _, err := w.watch(o, exam)
	if err != nil {
		return err
	}
	for i := range found.Speeds {
		s := &found.Speeds[i]
		if s.suspected() && !loopsOverParameters(r, s.Kind, s.Name, exam) {
			s.Slow = ""
		}
	}
	return nil
}

// examLimits are the limits of the examination that a process is at.
type examLimits struct{ deadline host.Deadline }

// overdue says why the process has to end now, or nothing.
func (w *worker) overdue() string {
	list, limits := w.strategies.Load(), w.limits.Load()
	if limits == nil {
		return list.overdue(grace)
	}
	if late := list.overdue(examGrace); late != "" {
		return late
	}
	if limits.deadline.Left() <= 0 {
		return fmt.Sprintf("the examination takes longer than %v; it was last seen here", examTime)
	}
	return ""
}
