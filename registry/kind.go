package registry

import (
	"cmp"
	"errors"
	"reflect"
	"strings"

	"github.com/hansa-fl/hansa/framework/engine"
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
	Completions   Table[fl.Completion]
	Compressors   Table[fl.Compressor]
	Adversaries   Table[fl.Adversary]
	Guards        Table[fl.Guard]
	Aggregators   Table[fl.Aggregator]
	Metrics       Table[fl.Metric]

	// Elsewhere says how to get a component of a kind that no table has, or nothing; nil: it is
	// nowhere else.
	Elsewhere func(kind, name string) string
}

// kinds lists the kinds in the order in which a reader of an experiment meets them. They are made
// once, as every cell asks for them. They are not to be changed.
func kinds() []kind { return allKinds }

var allKinds = []kind{
	Sources(), Partitioners(), Preprocessors(), Importances(), Models(), LocalRules(),
	Optimizers(), Enrollments(), Availability(), Selections(), Completions(), Compressors(),
	Adversaries(), Guards(), Aggregators(), Metrics(),
}

// A Kind says what the components of one kind have in common, to what treats all kinds alike.
type Kind struct {
	Name    string        // in an experiment: "aggregator"
	Path    string        // where an experiment names a component: Name, or "local.optimizer"
	Noun    string        // what one component is called: Name, or "local rule"
	Type    string        // of components, in package fl: "LocalRule"
	Methods []string      // of components; one that is alone with its signature
	Meaning string        // one line
	Many    bool          // an experiment names several, in a list
	Entries []Description // what a registry has of it
}

// A KindOf is a kind with components of type T, and all that differs between it and others.
type KindOf[T any] struct {
	Kind
	table    func(r *Registry) *Table[T]       // its entries
	says     func(e fl.Entry[T], c T) []string // what only some can do, in sentences; nil: none
	place    func(s *engine.Setup, c T)        // where a component goes; nil: Compose does more
	trains   bool                              // it is placed after a model, which it may not fit
	optional bool                              // a cell need not name a component
	outside  func(e fl.Entry[T]) string        // why it cannot be within another; nil: it can
	declare  func(p *fl.Params)                // parameters that all have; nil: none
	common   common                            // what it decides of what cells have in common
	choosing bool                              // it decides which clients participate
}

// common is what cells may have in common, each with all that stands before it.
type common int

const (
	nothing    common = iota
	dealtRows         // which client has which rows
	movedRows         // what preprocessors make of them
	objective         // F(θ)
	firstRound        // what clients make of θ⁰
)

// Facts returns the kind without what takes its type.
func (k KindOf[T]) Facts() Kind {
	f := k.Kind
	f.Path, f.Noun = cmp.Or(f.Path, f.Name), cmp.Or(f.Noun, f.Name)
	of := reflect.TypeFor[T]()
	f.Type = of.Name()
	for i := range of.NumMethod() {
		f.Methods = append(f.Methods, of.Method(i).Name)
	}
	if len(f.Methods) == 1 {
		signature := strings.TrimPrefix(of.Method(0).Type.String(), "func")
		f.Methods[0] += strings.ReplaceAll(signature, "tensor.", "fl.")
	}
	return f
}

// Table returns the entries of the kind in a registry.
func (k KindOf[T]) Table(r *Registry) *Table[T] { return k.table(r) }

// A kind is a KindOf of any type.
type kind interface {
	Facts() Kind
	describe(r *Registry) []Description
	compose(b *builder, s *engine.Setup, trains bool)
	within(m *maker, in nest) (component, resolved any, problems []fl.Problem)
	merge(to, from *Registry) error
	has(r *Registry, name string) bool
	name() string
	declares(p *fl.Params)
	decides() common
	chooses() bool
}

func (k KindOf[T]) name() string    { return k.Name }
func (k KindOf[T]) decides() common { return k.common }
func (k KindOf[T]) chooses() bool   { return k.choosing }

// declares declares the parameters that all components of the kind have.
func (k KindOf[T]) declares(p *fl.Params) {
	if k.declare != nil {
		k.declare(p)
	}
}

func (k KindOf[T]) has(r *Registry, name string) bool {
	_, ok := k.table(r).Get(name)
	return ok
}

// merge adds what one registry holds of the kind to another.
func (k KindOf[T]) merge(to, from *Registry) error {
	var errs []error
	for _, name := range k.table(from).Names() {
		e, _ := k.table(from).Get(name)
		errs = append(errs, k.table(to).Add(e))
	}
	return errors.Join(errs...)
}

// Sources are the kind of datasets.
func Sources() KindOf[fl.Source] {
	return KindOf[fl.Source]{Kind: Kind{Name: "dataset", Meaning: "the samples and their shape"},
		table:  func(r *Registry) *Table[fl.Source] { return &r.Sources },
		common: dealtRows}
}

// Partitioners are the kind of partitions.
func Partitioners() KindOf[fl.Partitioner] {
	return KindOf[fl.Partitioner]{
		Kind:   Kind{Name: "partition", Meaning: "how samples are partitioned among clients"},
		table:  func(r *Registry) *Table[fl.Partitioner] { return &r.Partitioners },
		common: dealtRows}
}

// Preprocessors are the kind of preprocessors, which stand in a row.
func Preprocessors() KindOf[fl.Preprocessor] {
	return KindOf[fl.Preprocessor]{
		Kind: Kind{Name: "preprocess", Noun: "preprocessor",
			Meaning: "how data are transformed before the first round"},
		table: func(r *Registry) *Table[fl.Preprocessor] { return &r.Preprocessors },
		says: func(e fl.Entry[fl.Preprocessor], _ fl.Preprocessor) []string {
			if !fl.TraitsOf[fl.PreprocessTraits](e).Labelled {
				return nil
			}
			return []string{"Sees labels: for comparison, no method."}
		},
		common: movedRows}
}

// Importances are the kind of importances.
func Importances() KindOf[fl.Importance] {
	return KindOf[fl.Importance]{
		Kind:   Kind{Name: "importance", Meaning: "the weight p of each client in the objective"},
		table:  func(r *Registry) *Table[fl.Importance] { return &r.Importances },
		place:  func(s *engine.Setup, c fl.Importance) { s.Importance = c },
		common: objective, choosing: true}
}

// Models are the kind of models.
func Models() KindOf[fl.Model] {
	return KindOf[fl.Model]{Kind: Kind{Name: "model", Meaning: "what is trained"},
		table:  func(r *Registry) *Table[fl.Model] { return &r.Models },
		common: objective}
}

// ownModels says what clients keep of their own by a local rule.
func ownModels(t fl.LocalTraits) (says []string) {
	if t.Stays != nil {
		says = append(says, "Clients keep a part of the model; it is neither sent nor aggregated.")
	}
	if t.Personal != "" {
		says = append(says, "Clients keep a model of their own, with which they predict.")
	}
	if t.Tunes {
		says = append(says, "Clients predict with the model that they make of the global one.")
	}
	return says
}

// LocalRules are the kind of local rules.
func LocalRules() KindOf[fl.LocalRule] {
	return KindOf[fl.LocalRule]{
		Kind:  Kind{Name: "local", Noun: "local rule", Meaning: "how a client trains on its data"},
		table: func(r *Registry) *Table[fl.LocalRule] { return &r.LocalRules },
		says: func(e fl.Entry[fl.LocalRule], _ fl.LocalRule) []string {
			traits := fl.TraitsOf[fl.LocalTraits](e)
			says := insteadOfModels(traits.Statistics)
			if traits.NoModel {
				says = append(says, "Clients are sent no model.")
			}
			says = append(says, ownModels(traits)...)
			if drift := traits.Drift.String(); drift != "" {
				says = append(says, strings.ToUpper(drift[:1])+drift[1:]+".")
			}
			if traits.Public {
				says = append(says, "Needs public data, which every client is sent once.")
			}
			return append(says, halfOf("client", traits.Method)...)
		},
		place:  func(s *engine.Setup, c fl.LocalRule) { s.Local = c },
		trains: true, common: firstRound}
}

// insteadOfModels says that statistics are sent, where they are.
func insteadOfModels(statistics string) []string {
	if statistics == "" {
		return nil
	}
	return []string{"Clients send " + statistics + " instead of models."}
}

// halfOf says which method a component is one half of, where it needs the other half.
func halfOf(side, method string) []string {
	if method == "" {
		return nil
	}
	return []string{"The " + side + "'s half of " + method + ", which needs both."}
}

// Optimizers are the kind of optimizers, which have no slot of their own.
func Optimizers() KindOf[fl.Optimizer] {
	return KindOf[fl.Optimizer]{
		Kind: Kind{Name: "optimizer", Path: "local.optimizer",
			Meaning: "how a local rule makes steps of gradients"},
		table: func(r *Registry) *Table[fl.Optimizer] { return &r.Optimizers }}
}

// Enrollments are the kind of enrollments. In a cell that names none all clients are enrolled.
func Enrollments() KindOf[fl.Enrollment] {
	return KindOf[fl.Enrollment]{
		Kind: Kind{Name: "enrollment",
			Meaning: "which clients can ever participate (environment)"},
		table:    func(r *Registry) *Table[fl.Enrollment] { return &r.Enrollments },
		place:    func(s *engine.Setup, c fl.Enrollment) { s.Enrollment = c },
		optional: true, common: firstRound, choosing: true}
}

// Availability is the kind of availability models.
func Availability() KindOf[fl.Availability] {
	return KindOf[fl.Availability]{
		Kind: Kind{Name: "availability",
			Meaning: "which clients can be reached in a round (environment)"},
		table:  func(r *Registry) *Table[fl.Availability] { return &r.Availability },
		place:  func(s *engine.Setup, c fl.Availability) { s.Availability = c },
		common: firstRound, choosing: true}
}

// Selections are the kind of selections.
func Selections() KindOf[fl.Selection] {
	return KindOf[fl.Selection]{
		Kind: Kind{Name: "selection",
			Meaning: "which available clients are selected to train (server policy)"},
		table: func(r *Registry) *Table[fl.Selection] { return &r.Selections },
		says: func(e fl.Entry[fl.Selection], _ fl.Selection) []string {
			return selecting(fl.TraitsOf[fl.SelectionTraits](e))
		},
		place:  func(s *engine.Setup, c fl.Selection) { s.Selection = c },
		common: firstRound, choosing: true}
}

// selecting says what a selection does beside returning a cohort, and what it is told.
func selecting(t fl.SelectionTraits) (says []string) {
	for _, s := range []struct {
		does bool
		says string
	}{
		{t.Repeats, "May select a client several times in a round; it trains and uploads once."},
		{t.Expected, "States how often it counts clients, for weights \"stated\" of fedavg."},
		{t.Asks, "Asks clients before it selects; queries and answers are counted."},
		{t.Losses, sendLosses},
		{t.SquaredLosses, sendSquares},
		{t.Norms, "Is told the norms of the clients' last updates."},
		{t.Updates, "Is told the last update of each client, which the server keeps."},
		{t.Rounds, "Is told when clients last took part."},
		{t.Seconds, "Is told how long clients needed when they last took part."},
		{t.Adapts(), "Depends on the model: it needs law = \"unknown\"."},
	} {
		if s.does {
			says = append(says, s.says)
		}
	}
	if t.Method != "" {
		says = append(says, "The selection of "+t.Method+", which needs all its parts.")
	}
	return says
}

const sendLosses = "Clients send the loss of the model that they were sent, 8 bytes."

const sendSquares = "Clients send the root mean square of their samples' losses under the model " +
	"that they were sent, 8 bytes."

const sumsModels = "Adds models up as clients finish: memory does not grow with the cohort."

// Aggregators are the kind of aggregators.
func Aggregators() KindOf[fl.Aggregator] {
	return KindOf[fl.Aggregator]{
		Kind:  Kind{Name: "aggregator", Meaning: "how the server combines what clients send"},
		table: func(r *Registry) *Table[fl.Aggregator] { return &r.Aggregators },
		says: func(e fl.Entry[fl.Aggregator], c fl.Aggregator) (says []string) {
			if _, sums := c.(*fl.WeightedSum); sums {
				says = []string{sumsModels}
			}
			traits := fl.TraitsOf[fl.AggregatorTraits](e)
			says = append(says, insteadOfModels(traits.Statistics)...)
			if traits.Repeats {
				says = append(says, "Counts clients as often as a selection repeats them.")
			}
			if traits.Public {
				says = append(says, "Needs public data.")
			}
			if traits.Losses {
				says = append(says, sendLosses)
			}
			if traits.Remembers {
				says = append(says, "Updates of earlier rounds count as well.")
			}
			if traits.Tracks {
				says = append(says, "Weighs updates by a history of each client.")
			}
			return append(says, halfOf("server", traits.Method)...)
		},
		place:  func(s *engine.Setup, c fl.Aggregator) { s.Aggregator = c },
		trains: true, outside: outside}
}

// Metrics are the kind of metrics.
func Metrics() KindOf[fl.Metric] {
	return KindOf[fl.Metric]{
		Kind:  Kind{Name: "metrics", Noun: "metric", Many: true, Meaning: "what is measured"},
		table: func(r *Registry) *Table[fl.Metric] { return &r.Metrics }}
}
