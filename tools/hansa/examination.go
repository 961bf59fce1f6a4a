package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins"
)

// examination examines a strategy in a worker process: it may end its process. How fast it is, is
// measured where that is asked for.
func examination(ctx context.Context, s *plugins.Strategy, speeds bool) (*examined, error) {
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

// examine examines a strategy that lies at a path, and measures how fast its components are.
// Promises that it breaks are returned as problems.
func examine(ctx context.Context, path string) (*plugins.Strategy, *examined, error) {
	list, err := interpretAll([]string{path}, examBudget)
	if err != nil {
		return nil, nil, err
	}
	found, err := examination(ctx, list[0], true)
	if err != nil {
		return nil, nil, err
	}
	if problems := violationsOf(list[0], found.Violations); len(problems) > 0 {
		return nil, nil, problems
	}
	return list[0], found, nil
}

// examLimits are the limits of the examination that a process is at.
type examLimits struct{ deadline host.Deadline }

// examine examines the strategies of an order.
func (w *worker) examine(o *order) ([]byte, error) {
	w.limits.Store(&examLimits{host.NewDeadline(examTime)})
	defer w.limits.Store(nil)
	e := examOrder{Sources: o.Sources, Budget: o.Budget, Place: o.Place, Speeds: o.Speeds}
	found, err := e.examine(func(list strategies) { w.strategies.Store(&list) })
	if err != nil {
		return nil, err
	}
	return encode(found)
}

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
