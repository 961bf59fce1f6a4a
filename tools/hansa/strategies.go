package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins"
	"github.com/hansa-fl/hansa/registry"
)

// strategies are those of the user's.
type strategies []*plugins.Strategy

// A toolbox is everything that an experiment can name.
type toolbox struct {
	registry *registry.Registry
	loaded   strategies
	sources  []plugins.Source // of those

	exams map[string]*store.Exam // by the digests of those that were examined
}

// builtinTools returns what is built in.
func builtinTools() (*toolbox, error) {
	t := &toolbox{registry: &registry.Registry{Elsewhere: sampled}, exams: map[string]*store.Exam{}}
	return t, builtin.Register(t.registry)
}

// openToolbox returns everything built in and the strategies of an experiment. Each call into
// one may take as long as the budget.
func openToolbox(files []study.Plugin, budget time.Duration) (*toolbox, error) {
	t, err := builtinTools()
	if err != nil {
		return nil, err
	}
	var problems study.Problems
	for _, f := range files {
		source, err := plugins.Read(f.Path)
		if err != nil {
			problems = append(problems, unreadableStrategy(f, err)...)
			continue
		}
		err = t.add(source, budget)
		var wrong study.Problems
		if errors.As(err, &wrong) {
			problems = append(problems, wrong...)
		} else if err != nil {
			problems = append(problems,
				study.Problem{Pos: f.At, Message: "plugins: " + err.Error()})
		}
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return t, nil
}

// add adds a strategy to the registry, which lives as long as the process. It is interpreted.
func (t *toolbox) add(source plugins.Source, budget time.Duration) error {
	s, err := plugins.Load(context.Background(), source, budget)
	if err != nil {
		return err
	}
	return t.register(s)
}

// addCompiled adds a strategy that is compiled into this program.
func (t *toolbox) addCompiled(source plugins.Source, budget time.Duration) error {
	c, ok := compiledStrategies()[source.Digest()]
	if !ok {
		return fmt.Errorf("%s is not compiled into this program", source.Path)
	}
	s, err := plugins.LoadCompiled(context.Background(), source, budget, c)
	if err != nil {
		return err
	}
	return t.register(s)
}

func (t *toolbox) register(s *plugins.Strategy) error {
	t.sources, t.loaded = append(t.sources, s.Source), append(t.loaded, s)
	return s.Register(t.registry)
}

// interpretAll loads strategies that no experiment names. Each call into one may take as long as
// the budget.
func interpretAll(paths []string, budget time.Duration) (strategies, error) {
	t, err := builtinTools()
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		source, err := plugins.Read(path)
		if err != nil {
			return nil, unreadableStrategy(study.Plugin{Path: path}, err)
		}
		if err := t.add(source, budget); err != nil {
			return nil, err
		}
	}
	return t.loaded, nil
}

// stored lists the strategies as a run keeps them.
func (t *toolbox) stored() []store.Strategy {
	var list []store.Strategy
	for _, s := range t.sources {
		list = append(list, store.Strategy{Path: s.Path, Digest: s.Digest(),
			Exam: t.exams[s.Digest()]})
	}
	return list
}

// foreign reports whether a component of a resolved cell is of a strategy.
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

// overdue says that a call did not return in time after it was stopped, so that nothing but the
// end of the process ends it; or nothing.
func (s strategies) overdue(grace time.Duration) string {
	for _, one := range s {
		for _, c := range one.Calls() {
			if c.Firm && c.Late > 0 {
				return fmt.Sprintf("took longer than %v", c.Budget)
			}
			if c.Late > grace {
				return "took too long and cannot be stopped; it was last seen here"
			}
		}
	}
	return ""
}

// isStrategy reports whether a path is a Go file, or a folder of them.
func isStrategy(path string) bool {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return true
	}
	return filepath.Ext(path) == ".go"
}
