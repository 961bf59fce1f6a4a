package plugins

import (
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins/vet"
	"github.com/hansa-fl/hansa/registry"
)

// Kinds lists the kinds that a strategy can be of.
func Kinds() (list []registry.Kind) {
	for _, k := range guards() {
		list = append(list, k.Facts())
	}
	return list
}

// guards are the kinds that a strategy can be of, each with what guards its components and, where
// calls of the kind have a size, with what measures them.
func guards() []anyGuard {
	const (
		params, everyClient = 100_000, "it does much for every client; one pass with compiled " +
			"functions is faster"
	)
	return []anyGuard{
		guard[fl.Partitioner]{registry.Partitioners(), guardPartitioner, probe[fl.Partitioner]{}},
		guard[fl.Preprocessor]{registry.Preprocessors(), guardPreprocessor,
			probe[fl.Preprocessor]{"moving 10,000 rows of 10 features", movingRows, probeClients,
				probeClients * perOnce,
				"it does much for every row; one pass with compiled functions is faster", 0}},
		guard[fl.Importance]{registry.Importances(), guardImportance,
			probe[fl.Importance]{"weighing 10,000 clients", weighing, probeClients,
				probeClients * perClient, everyClient, 0}},
		guard[fl.LocalRule]{registry.LocalRules(), guardLocalRule,
			probe[fl.LocalRule]{"training a client of 4 samples × 50,000 parameters", training,
				localParams, localParams * perStep,
				"it loops over parameters itself, in STEPS; a Descent, tensor and the methods of " +
					"vectors do, compiled", localParams}},
		guard[fl.Enrollment]{registry.Enrollments(), guardEnrollment,
			probe[fl.Enrollment]{"enrolling 10,000 clients", enrolling, probeClients,
				probeClients * perOnce, everyClient, 0}},
		guard[fl.Availability]{registry.Availability(), guardAvailability,
			probe[fl.Availability]{"a round of 10,000 clients", reaching, probeClients,
				probeClients * perClient, everyClient, 0}},
		guard[fl.Selection]{registry.Selections(), guardSelection, probe[fl.Selection]{}},
		guard[fl.Completion]{registry.Completions(), guardCompletion,
			probe[fl.Completion]{"a round of 10,000 clients", finishing, probeClients,
				probeClients * perClient, everyClient, 0}},
		guard[fl.Compressor]{registry.Compressors(), guardCompressor,
			probe[fl.Compressor]{"coding an update of 100,000 parameters", coding, params,
				params * perCoordinate,
				"it does much for every parameter; what it draws or writes is by parameter",
				params}},
		guard[fl.Adversary]{registry.Adversaries(), guardAdversary,
			probe[fl.Adversary]{"an attack on 10 clients × 100,000 parameters", corrupting, params,
				probeCohort * params * perCoordinate,
				"it loops over parameters itself; tensor, stats and the methods of vectors do, " +
					"compiled", params / 10}},
		guard[fl.Guard]{registry.Guards(), guardGuard,
			probe[fl.Guard]{"guarding 10 clients × 100,000 parameters", preaggregating, params,
				probeCohort * params * perCoordinate,
				"it loops over parameters itself; tensor, stats and the methods of vectors do, " +
					"compiled", params / 10}},
		guard[fl.Aggregator]{registry.Aggregators(), guardAggregator,
			probe[fl.Aggregator]{"a round of 10 clients × 100,000 parameters", aggregating, params,
				probeCohort * params * perCoordinate,
				"it loops over parameters itself; tensor, stats and r.Combine do, compiled",
				params / 10}}, // as a statement that is watched takes long
		guard[fl.Metric]{registry.Metrics(), guardMetric, probe[fl.Metric]{}},
	}
}

// guardOf returns the guard of a kind, or nil.
func guardOf(is func(k registry.Kind) bool) anyGuard {
	list := guards()
	i := slices.IndexFunc(list, func(k anyGuard) bool { return is(k.Facts()) })
	if i < 0 {
		return nil
	}
	return list[i]
}

// anyGuard is a guard of components of any type.
type anyGuard interface {
	Facts() registry.Kind
	adopt(s *Strategy, in vet.Entry) *study.Problem
	speed(r *registry.Registry, name string) (Speed, bool)
	begin(r *registry.Registry, name string) (parameters int, called bool)
}

// A guard is a kind, what puts a guard around a component of it, and what measures one.
type guard[T any] struct {
	registry.KindOf[T]
	wrap  func(guarded, T) (T, error)
	probe probe[T]
}

// adopt takes over an entry of the kind, or says what is wrong with it.
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
