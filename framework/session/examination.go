package session

import (
	"context"
	"errors"
	"os"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/session/exam"
	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins"
)

// examineApart examines a strategy in a worker process: it may end its process. How fast it is, is
// measured where that is asked for.
func examineApart(ctx context.Context, s *plugins.Strategy, speeds bool) (*exam.Examined, error) {
	w, err := newWorker(min(spare(1), exam.Memory))
	if err != nil {
		return nil, err
	}
	defer w.Close()
	o := order{Examine: true, Speeds: speeds, Sources: []plugins.Source{s.Source},
		Budget: exam.Budget}
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
		if last := s.At(exam.NotedPlace(o.Place)); last.Line > 0 {
			at = last
		}
		return nil, study.Problems{{Pos: at, Message: message}}
	}
	if err != nil {
		return nil, err
	}
	found := new(exam.Examined)
	return found, decode(answer, found)
}

// Examine examines a strategy that lies at a path, and measures how fast its components are.
// Requirements that it violates are returned as problems.
func Examine(ctx context.Context, path string) (*plugins.Strategy, *exam.Examined, error) {
	list, err := toolbox.Interpret([]string{path}, exam.Budget)
	if err != nil {
		return nil, nil, err
	}
	found, err := examineApart(ctx, list[0], true)
	if err != nil {
		return nil, nil, err
	}
	if problems := exam.Problems(list[0], found.Violations); len(problems) > 0 {
		return nil, nil, problems
	}
	return list[0], found, nil
}
