// Package toolbox is everything that an experiment can name: what is built in and the strategies
// that it brings, interpreted or compiled.
package toolbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins"
	"github.com/hansa-fl/hansa/plugins/samples"
	"github.com/hansa-fl/hansa/registry"
)

// Marks notes in strategies of a plan what examinations found, and reports whether that is new.
func (t *Toolbox) Marks(list []store.Strategy) (changed bool) {
	for i := range list {
		exam := t.Exams[list[i].Digest]
		if exam != nil && (list[i].Exam == nil || *list[i].Exam != *exam) {
			list[i].Exam, changed = exam, true
		}
	}
	return changed
}

// sampled says how to get a component that no registry has but a sample describes, or nothing.
func sampled(kind, name string) string {
	list, err := samples.List()
	if err != nil {
		return "" // a test of samples fails long before a user can see this
	}
	for _, s := range list {
		if s.Name == name && s.Kind == kind {
			return fmt.Sprintf("it is a sample: `hansa new --from %s` makes a folder with it, and "+
				"plugins = [%q] names that", s.Folder, s.Folder)
		}
	}
	return ""
}

// A Toolbox is everything that an experiment can name.
type Toolbox struct {
	Registry *registry.Registry
	Loaded   Strategies
	Sources  []plugins.Source // of those

	Exams map[string]*store.Exam // by the digests of those that were examined

	Announced sync.Once // that strategies are being compiled while a run interprets them
}

// Builtin returns what is built in.
func Builtin() (*Toolbox, error) {
	t := &Toolbox{Registry: &registry.Registry{Elsewhere: sampled}, Exams: map[string]*store.Exam{}}
	return t, builtin.Register(t.Registry)
}

// Open returns everything built in and the strategies of an experiment. Each call into
// one may take as long as the budget.
func Open(files []study.Plugin, budget time.Duration) (*Toolbox, error) {
	t, err := Builtin()
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
		err = t.Add(source, budget)
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

// Add adds a strategy to the registry, which lives as long as the process. It is interpreted.
func (t *Toolbox) Add(source plugins.Source, budget time.Duration) error {
	s, err := plugins.Load(context.Background(), source, budget)
	if err != nil {
		return err
	}
	return t.Register(s)
}

// AddCompiled adds a strategy that is compiled into this program.
func (t *Toolbox) AddCompiled(source plugins.Source, budget time.Duration) error {
	c, ok := Compiled()[source.Digest()]
	if !ok {
		return fmt.Errorf("%s is not compiled into this program", source.Path)
	}
	s, err := plugins.LoadCompiled(context.Background(), source, budget, c)
	if err != nil {
		return err
	}
	return t.Register(s)
}

func (t *Toolbox) Register(s *plugins.Strategy) error {
	t.Sources, t.Loaded = append(t.Sources, s.Source), append(t.Loaded, s)
	return s.Register(t.Registry)
}

// Interpret loads strategies that no experiment names. Each call into one may take as long as
// the budget.
func Interpret(paths []string, budget time.Duration) (Strategies, error) {
	t, err := Builtin()
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		source, err := plugins.Read(path)
		if err != nil {
			return nil, unreadableStrategy(study.Plugin{Path: path}, err)
		}
		if err := t.Add(source, budget); err != nil {
			return nil, err
		}
	}
	return t.Loaded, nil
}

// Stored lists the strategies as a run keeps them.
func (t *Toolbox) Stored() []store.Strategy {
	var list []store.Strategy
	for _, s := range t.Sources {
		list = append(list, store.Strategy{Path: s.Path, Digest: s.Digest(),
			Exam: t.Exams[s.Digest()]})
	}
	return list
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

// IsStrategy reports whether a path is a Go file, or a folder of them.
func IsStrategy(path string) bool {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return true
	}
	return filepath.Ext(path) == ".go"
}

// Menu describes everything built in.
func Menu() []registry.Kind {
	reg := new(registry.Registry)
	if err := builtin.Register(reg); err != nil {
		return nil // a test of builtin fails long before a user can see this
	}
	return reg.Kinds()
}
