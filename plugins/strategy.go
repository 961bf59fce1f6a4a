package plugins

import (
	"context"
	"errors"
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
	own := &s.own
	switch in.Kind {
	case "Aggregator":
		return adopt(s, in, &own.Aggregators, kind[fl.Aggregator]{"aggregator", guardAggregator})
	case "LocalRule":
		return adopt(s, in, &own.LocalRules, kind[fl.LocalRule]{"local", guardLocalRule})
	case "Importance":
		return adopt(s, in, &own.Importances, kind[fl.Importance]{"importance", guardImportance})
	case "Enrollment":
		return adopt(s, in, &own.Enrollments, kind[fl.Enrollment]{"enrollment", guardEnrollment})
	case "Availability":
		return adopt(s, in, &own.Availability,
			kind[fl.Availability]{"availability", guardAvailability})
	case "Selection":
		return adopt(s, in, &own.Selections, kind[fl.Selection]{"selection", guardSelection})
	case "Partitioner":
		return adopt(s, in, &own.Partitioners, kind[fl.Partitioner]{"partition", guardPartitioner})
	case "Preprocessor":
		return adopt(s, in, &own.Preprocessors,
			kind[fl.Preprocessor]{"preprocess", guardPreprocessor})
	case "Metric":
		return adopt(s, in, &own.Metrics, kind[fl.Metric]{"metrics", guardMetric})
	}
	return &study.Problem{Pos: in.Name, Message: "no strategy can be a " + in.Kind}
}

// A kind is what the entries of one table have in common.
type kind[T any] struct {
	slot  string // in an experiment
	guard func(guarded, T) (T, error)
}

func adopt[T any](s *Strategy, in vet.Entry, own *registry.Table[T], k kind[T]) *study.Problem {
	e := described[T](s.first, in)
	if e.New == nil {
		return &study.Problem{Pos: in.Name, Message: in.Variable + " has no New",
			Hint: "New builds the component"}
	}
	guarded := entry(s, in, k.guard)
	if err := own.Add(guarded); err != nil {
		return &study.Problem{Pos: in.Name,
			Message: strings.TrimPrefix(err.Error(), "registry: ")}
	}
	s.Entries = append(s.Entries, Entry{Kind: k.slot, Name: e.Name, Variable: in.Variable,
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
	own := &s.own
	return errors.Join(
		move(&r.Aggregators, &own.Aggregators), move(&r.LocalRules, &own.LocalRules),
		move(&r.Importances, &own.Importances), move(&r.Enrollments, &own.Enrollments),
		move(&r.Availability, &own.Availability), move(&r.Selections, &own.Selections),
		move(&r.Partitioners, &own.Partitioners), move(&r.Preprocessors, &own.Preprocessors),
		move(&r.Metrics, &own.Metrics),
	)
}

// move adds what one table holds to another.
func move[T any](to, from *registry.Table[T]) error {
	var errs []error
	for _, name := range from.Names() {
		e, _ := from.Get(name)
		errs = append(errs, to.Add(e))
	}
	return errors.Join(errs...)
}
