package main

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins"
	"github.com/hansa-fl/hansa/registry"
)

// strategies are those of the user's that are interpreted.
type strategies []*plugins.Strategy

// A toolbox is everything that an experiment can name.
type toolbox struct {
	registry    *registry.Registry
	interpreted strategies
	all         []store.Strategy // those, and the ones that this program was built with
}

// openToolbox returns everything built in and the strategies of an experiment. Each call into
// one may take as long as the budget.
func openToolbox(files []study.Plugin, budget time.Duration) (*toolbox, error) {
	t := &toolbox{registry: new(registry.Registry)}
	if err := builtin.Register(t.registry); err != nil {
		return nil, err
	}
	var problems study.Problems
	for _, f := range files {
		err := t.add(f, budget)
		var wrong study.Problems
		if errors.As(err, &wrong) {
			problems = append(problems, wrong...)
		} else if err != nil {
			return nil, err
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return t, nil
}

// add reads a strategy and adds it to the registry: as it was compiled into this program where
// it is that very code, else interpreted.
func (t *toolbox) add(f study.Plugin, budget time.Duration) error {
	source, err := plugins.Read(f.Path)
	if err != nil {
		return unreadableStrategy(f, err)
	}
	t.all = append(t.all, store.Strategy{Path: f.Path, Digest: source.Digest()})
	for _, c := range compiledStrategies() {
		if c.digest != source.Digest() {
			continue
		}
		if err := c.add(t.registry); err != nil {
			return study.Problems{{Pos: f.At, Message: "plugins: " + err.Error()}}
		}
		return nil
	}
	s, err := interpret(source, budget)
	if err != nil {
		return err
	}
	t.interpreted = append(t.interpreted, s)
	return s.Register(t.registry)
}

// interpret loads a strategy, which lives as long as the process.
func interpret(source plugins.Source, budget time.Duration) (*plugins.Strategy, error) {
	return plugins.Load(context.Background(), source, budget)
}

// interpretAll loads strategies that nothing but the command line names.
func interpretAll(paths []string) (strategies, error) {
	var list strategies
	reg := new(registry.Registry)
	if err := builtin.Register(reg); err != nil {
		return nil, err
	}
	for _, path := range paths {
		source, err := plugins.Read(path)
		if err != nil {
			return nil, unreadableStrategy(study.Plugin{Path: path}, err)
		}
		s, err := interpret(source, examBudget)
		if err != nil {
			return nil, err
		}
		if err := s.Register(reg); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// foreign reports whether a component of a resolved cell is interpreted.
func (s strategies) foreign(c study.Cell) bool {
	return slices.ContainsFunc(c.Sources(), func(source string) bool {
		_, digest, _ := strings.Cut(source, " ")
		return slices.ContainsFunc(s, func(one *plugins.Strategy) bool {
			return one.Digest() == digest
		})
	})
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
