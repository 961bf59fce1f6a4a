// Package registry names components, describes them and builds them.
package registry

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A Registry is one table per kind of component. It is a value: nothing is registered
// by being imported. The field list is the floor plan of builtin/.
type Registry struct {
	Sources       Table[fl.Source]
	Partitioners  Table[fl.Partitioner]
	Preprocessors Table[fl.Preprocessor]
	Importances   Table[fl.Importance]
	Models        Table[fl.Model]
	LocalRules    Table[fl.LocalRule]
	Optimizers    Table[fl.Optimizer]
	Enrollments   Table[fl.Enrollment]
	Availability  Table[fl.Availability]
	Selections    Table[fl.Selection]
	Aggregators   Table[fl.Aggregator]
	Metrics       Table[fl.Metric]

	// Elsewhere says how to get a component of a kind that no table has, or nothing; nil: it is
	// nowhere else.
	Elsewhere func(kind, name string) string
}

// A Table holds the entries of one kind by name.
type Table[T any] struct{ entries map[string]fl.Entry[T] }

// nameForm is the form of the names of components.
var nameForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Named reports whether a component can be called so: words of [a-z0-9], joined by -.
func Named(name string) bool { return nameForm.MatchString(name) }

// Add registers entries. A name can be taken only once.
func (t *Table[T]) Add(entries ...fl.Entry[T]) error {
	if t.entries == nil {
		t.entries = map[string]fl.Entry[T]{}
	}
	var errs []error
	for _, e := range entries {
		switch _, taken := t.entries[e.Name]; {
		case !Named(e.Name):
			errs = append(errs, fmt.Errorf("registry: %q is no name: want [a-z0-9] and -", e.Name))
		case taken:
			errs = append(errs, fmt.Errorf("registry: %q is already registered", e.Name))
		case e.New == nil:
			errs = append(errs, fmt.Errorf("registry: %q has no New", e.Name))
		default:
			t.entries[e.Name] = e
		}
	}
	return errors.Join(errs...)
}

// Names lists what is registered, sorted.
func (t *Table[T]) Names() []string { return slices.Sorted(maps.Keys(t.entries)) }

// Get returns the entry called name.
func (t *Table[T]) Get(name string) (fl.Entry[T], bool) {
	e, ok := t.entries[name]
	return e, ok
}

// A Description is what an entry says of itself.
type Description struct {
	Kind, Name string
	Summary    string
	Paper      string
	Deviations string
	Params     []fl.Spec
	Example    map[string]any
	Waives     map[string]string
	Weighs     bool     // an aggregator that meets models in Round.Combine alone
	Says       []string // what its traits say, in sentences
	Source     string   // digest of the code of a strategy; empty: it is built in
}

// describe lists the entries of a table, sorted by name, with what they declare when
// they are built from nothing.
func (t *Table[T]) describe(kind string) []Description {
	var list []Description
	for _, name := range t.Names() {
		e := t.entries[name]
		p := fl.NewParams(nil, fl.Setting{}, nil)
		// An error here is the contract's business; what was declared stands anyway.
		_, _ = e.New(p)
		list = append(list, Description{Kind: kind, Name: name, Summary: e.Summary, Paper: e.Paper,
			Deviations: e.Deviations, Params: p.Specs(), Example: e.Example, Waives: e.Waives,
			Weighs: e.Weighs, Says: says(e.Traits), Source: e.Source})
	}
	return list
}

// says puts traits into sentences.
func says(traits any) (list []string) {
	statistics, noModel := "", false
	switch t := traits.(type) {
	case fl.AggregatorTraits:
		statistics = t.Statistics
	case fl.LocalTraits:
		statistics, noModel = t.Statistics, t.NoModel
	case fl.PreprocessTraits:
		if t.Labelled {
			list = append(list, "Sees labels: for comparison, no method.")
		}
	}
	if statistics != "" {
		list = append(list, "Clients send "+statistics+" instead of models.")
	}
	if noModel {
		list = append(list, "Clients are sent no model.")
	}
	return list
}

// A Kind is one table seen from outside.
type Kind struct {
	Name    string // the slot in an experiment: "aggregator"
	Meaning string // one line
	Entries []Description
}

// Kinds describes the whole registry, in the order in which a reader of an experiment
// meets the kinds.
func (r *Registry) Kinds() []Kind {
	return []Kind{
		{"dataset", "where samples come from", r.Sources.describe("dataset")},
		{"partition", "how samples are partitioned among clients",
			r.Partitioners.describe("partition")},
		{"preprocess", "what moves the data before the first round",
			r.Preprocessors.describe("preprocess")},
		{"importance", "how much a client counts: p", r.Importances.describe("importance")},
		{"model", "what is trained", r.Models.describe("model")},
		{"local", "the client's half of a method", r.LocalRules.describe("local")},
		{"optimizer", "how gradients become steps, in a local rule",
			r.Optimizers.describe("optimizer")},
		{"enrollment", "which clients can ever participate (environment)",
			r.Enrollments.describe("enrollment")},
		{"availability", "which clients can be reached in a round (environment)",
			r.Availability.describe("availability")},
		{"selection", "which of the available train (server policy)",
			r.Selections.describe("selection")},
		{"aggregator", "the server's half of a method", r.Aggregators.describe("aggregator")},
		{"metrics", "what is measured", r.Metrics.describe("metrics")},
	}
}

// Written stands in the error of a guard that saw a call write to what it may only read. Guards
// look at every call, so that it is seen by whatever asks first.
const Written = "which it may only read"
