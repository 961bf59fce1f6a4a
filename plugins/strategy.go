package plugins

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hansa-fl/hansa/framework/fl"
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
	for _, k := range guards() {
		if k.Facts().Type == in.Kind {
			return k.adopt(s, in)
		}
	}
	return &study.Problem{Pos: in.Name, Message: "no strategy can be a " + in.Kind}
}

// Kinds lists the kinds that a strategy can be of.
func Kinds() (list []registry.Kind) {
	for _, k := range guards() {
		list = append(list, k.Facts())
	}
	return list
}

// guards are the kinds that a strategy can be of, each with what guards its components.
func guards() []adopter {
	return []adopter{
		guard[fl.Partitioner]{registry.Partitioners(), guardPartitioner},
		guard[fl.Preprocessor]{registry.Preprocessors(), guardPreprocessor},
		guard[fl.Importance]{registry.Importances(), guardImportance},
		guard[fl.LocalRule]{registry.LocalRules(), guardLocalRule},
		guard[fl.Enrollment]{registry.Enrollments(), guardEnrollment},
		guard[fl.Availability]{registry.Availability(), guardAvailability},
		guard[fl.Selection]{registry.Selections(), guardSelection},
		guard[fl.Aggregator]{registry.Aggregators(), guardAggregator},
		guard[fl.Metric]{registry.Metrics(), guardMetric},
	}
}

// An adopter is a guard of any type.
type adopter interface {
	Facts() registry.Kind
	adopt(s *Strategy, in vet.Entry) *study.Problem
}

// A guard is a kind, and what puts a guard around a component of it.
type guard[T any] struct {
	registry.KindOf[T]
	wrap func(guarded, T) (T, error)
}

func (k guard[T]) adopt(s *Strategy, in vet.Entry) *study.Problem {
	e := described[T](s.first, in)
	if e.New == nil {
		return &study.Problem{Pos: in.Name, Message: in.Variable + " has no New",
			Hint: "New builds the component"}
	}
	if err := k.Table(&s.own).Add(entry(s, in, k.wrap)); err != nil {
		return &study.Problem{Pos: in.Name,
			Message: strings.TrimPrefix(err.Error(), "registry: ")}
	}
	s.Entries = append(s.Entries, Entry{Kind: k.Name, Name: e.Name, Variable: in.Variable,
		Pos: in.Name, Example: e.Example})
	return nil
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
