package main

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins"
	"github.com/hansa-fl/hansa/registry"
)

// strategies are the user's components of an experiment.
type strategies []*plugins.Strategy

// withStrategies returns everything built in and the strategies of an experiment. Each call
// into one may take as long as the budget.
func withStrategies(
	files []study.Plugin, budget time.Duration,
) (*registry.Registry, strategies, error) {
	reg := new(registry.Registry)
	if err := builtin.Register(reg); err != nil {
		return nil, nil, err
	}
	var list strategies
	var problems study.Problems
	for _, f := range files {
		s, err := loadStrategy(f, reg, budget)
		var wrong study.Problems
		if errors.As(err, &wrong) {
			problems = append(problems, wrong...)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		list = append(list, s)
	}
	if len(problems) > 0 {
		return reg, nil, problems
	}
	return reg, list, nil
}

// loadStrategy reads a strategy and adds it to the registry.
func loadStrategy(
	f study.Plugin, reg *registry.Registry, budget time.Duration,
) (*plugins.Strategy, error) {
	source, err := plugins.Read(f.Path)
	if err != nil {
		return nil, unreadableStrategy(f, err)
	}
	// A strategy lives as long as the process.
	s, err := plugins.Load(context.Background(), source, budget)
	if err != nil {
		return nil, err
	}
	return s, s.Register(reg)
}

// unreadableStrategy says why a strategy cannot be read, where an experiment or the command
// line names it.
func unreadableStrategy(f study.Plugin, err error) study.Problems {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	if f.At.Line == 0 {
		return study.Problems{{Pos: study.Pos{File: f.Path}, Message: err.Error()}}
	}
	return study.Problems{{Pos: f.At, Message: "plugins: " + f.Path + ": " + err.Error(),
		Hint: "plugins are named from the folder of the experiment"}}
}

// sources are the texts of the strategies.
func (s strategies) sources() []plugins.Source {
	var list []plugins.Source
	for _, one := range s {
		list = append(list, one.Source)
	}
	return list
}

// where says which line of a strategy runs, and in whose name; nothing when none does.
func (s strategies) where() string {
	for _, one := range s {
		if calls := one.Calls(); len(calls) > 0 {
			c := calls[0]
			return c.Pos.String() + ": " + c.Name + ": " + c.Method
		}
	}
	return ""
}

// grace is how long a strategy that was stopped may take to return: it may wait for a
// function of ours.
const grace = 5 * time.Second

// overdue says that a call can be stopped by nothing but the end of the process, or nothing.
func (s strategies) overdue() string {
	for _, one := range s {
		for _, c := range one.Calls() {
			if c.Late > grace {
				return "took too long and cannot be stopped; it was last seen here"
			}
		}
	}
	return ""
}
