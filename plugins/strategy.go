package plugins

import (
	"context"
	"fmt"
	"time"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins/symbols"
	"github.com/hansa-fl/hansa/plugins/vet"
	"github.com/hansa-fl/hansa/registry"
)

// A Strategy is a user's Go package, interpreted or compiled.
type Strategy struct {
	Source
	Package string  // the name in its package clause
	Entries []Entry // in the order of the files

	ctx    context.Context
	budget time.Duration
	pkg    *vet.Package
	by     interpreter
	first  *machine          // that the entries were read from
	calls  *calls            // into it, that have not returned
	own    registry.Registry // its entries
}

// An Entry is one component that a strategy describes.
type Entry struct {
	Kind     string    // as in an experiment: "aggregator"
	Name     string    //
	Variable string    // that holds it
	Pos      study.Pos // where the name is written
	Example  map[string]any
}

// Load vets a strategy and reads what it describes. Calls into it may take as long as the
// budget, or for ever when that is 0; none outlives ctx. An error about the text of the
// strategy is study.Problems.
func Load(ctx context.Context, source Source, budget time.Duration) (*Strategy, error) {
	return loadBy(ctx, source, budget, yaegi{symbols.Table()})
}

func loadBy(
	ctx context.Context, source Source, budget time.Duration, by interpreter,
) (*Strategy, error) {
	pkg, problems := vet.Check(source.Files)
	if problems != nil {
		return nil, problems
	}
	first, err := newMachine(ctx, pkg, budget, by)
	if err != nil {
		return nil, err
	}
	if first.budget == 0 || first.budget > building {
		first.budget = building // nothing but Fits runs on it
	}
	s := &Strategy{Source: source, Package: pkg.Name, ctx: ctx, budget: budget, pkg: pkg, by: by,
		first: first, calls: first.calls}
	for _, in := range pkg.Entries {
		if p := s.adopt(in); p != nil {
			problems = append(problems, *p)
		}
	}
	if problems != nil {
		return nil, problems
	}
	return s, nil
}

// adopt takes one entry over, or says what is wrong with it.
func (s *Strategy) adopt(in vet.Entry) *study.Problem {
	k := guardOf(func(f registry.Kind) bool { return f.Type == in.Kind })
	if k != nil {
		return k.adopt(s, in)
	}
	return &study.Problem{Pos: in.Name, Message: "no strategy can be a " + in.Kind}
}

// Register adds the entries of the strategy to a registry. Names that are taken, by what is
// built in or by another strategy, are study.Problems; then nothing is added.
func (s *Strategy) Register(r *registry.Registry) error {
	var taken study.Problems
	for _, e := range s.Entries {
		for _, k := range r.Kinds() {
			for _, d := range k.Entries {
				if k.Name == e.Kind && d.Name == e.Name {
					message := fmt.Sprintf("there is a component %q of kind %s already",
						e.Name, e.Kind)
					taken = append(taken,
						study.Problem{Pos: e.Pos, Message: message, Hint: "choose another name"})
				}
			}
		}
	}
	if taken != nil {
		return taken
	}
	return r.Merge(&s.own)
}
