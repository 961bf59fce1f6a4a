package fl

// An Entry describes one component and builds it. It is all a strategy exports.
type Entry[T any] struct {
	Name       string                   // as written in an experiment: "fedavot"
	Summary    string                   // one line, lower case, no full stop
	Paper      string                   // key of a reference in builtin/papers.go, or a citation
	Deviations string                   // where the code departs from the paper, and why
	New        func(*Params) (T, error) // declares the parameters as it reads them; does no work
	Fits       func(Setting) error      // why it cannot run in a known setting; nil: it always can
	Example    map[string]any           // parameters for six clients, where defaults are not enough
	Waives     map[string]string        // contract checks it fails on purpose → the reason

	// OneLabel says that it takes the label of a row, and cannot run where rows have several.
	OneLabel bool

	// Inspect examines the files of a component before anything runs; nil: it reads none.
	Inspect func(component T, i *Inspection)

	// Traits are what components of this kind alone can be: AggregatorTraits, LocalTraits and so
	// on. Nil: none of them.
	Traits Traits[T]

	Source string // digest of the code of a strategy; empty: it is built in
}

// Names that an interpreted file can spell; the interpreter has no generic ones.
type (
	AggregatorEntry   = Entry[Aggregator]
	CompletionEntry   = Entry[Completion]
	CompressorEntry   = Entry[Compressor]
	GuardEntry        = Entry[Guard]
	LocalRuleEntry    = Entry[LocalRule]
	OptimizerEntry    = Entry[Optimizer]
	ImportanceEntry   = Entry[Importance]
	EnrollmentEntry   = Entry[Enrollment]
	AvailabilityEntry = Entry[Availability]
	SelectionEntry    = Entry[Selection]
	AdversaryEntry    = Entry[Adversary]
	PartitionerEntry  = Entry[Partitioner]
	PreprocessorEntry = Entry[Preprocessor]
	SourceEntry       = Entry[Source]
	ModelEntry        = Entry[Model]
	MetricEntry       = Entry[Metric]
)

// A Setting is what is known of an experiment before anything is loaded or drawn. The
// zero Setting stands for none: a component built to be described sees that one.
type Setting struct {
	Clients  int    // N
	Rounds   int    //
	Shape    Shape  // of the data
	Law      bool   // the server knows the cohort distribution
	Oracle   bool   // aggregators read the true probabilities
	Solvable bool   // the optimum of the model can be computed
	Network  bool   // the model is a network: its layout has a graph
	Head     bool   // the model is a linear head: scores of classes W·x + b, see Layout.Head
	Held     bool   // the server has training samples of its own, for validation
	Public   bool   // there are public data
	Labelled bool   // public data have labels
	Assigned bool   // test samples belong to clients
	Layout   Layout // of the model; empty where its size is not known
	Personal bool   // the local rule keeps a model of each client, or a part of one
	Models   bool   // the local rule trains models
	Own      bool   // clients have test samples of their own beside the test data

	// Disclosure is what the server knows of the covariates of clients that are not enrolled.
	Disclosure Disclosure

	// Expected says that the selection states how often it counts clients; see SelectionTraits.
	Expected bool

	// Rate is the learning rate of the local rule; nil where it has no parameter lr.
	Rate *Schedule

	// Adversary names the adversary, and Attacks are its parameters that are numbers, by name;
	// empty where all clients are honest.
	Adversary string
	Attacks   []Number
}

// A Number is a parameter of a component.
type Number struct {
	Name  string
	Value float64
}

// A Disclosure says what the server knows of the covariates of clients that are not enrolled.
type Disclosure string

// What can be disclosed.
const (
	DiscloseNone      Disclosure = "none"      // nothing
	DiscloseAggregate Disclosure = "aggregate" // the mean over the population, Roster.Moments
	DiscloseFull      Disclosure = "full"      // that, and everyone's covariates
)

// A Keeping is what a partition keeps together.
type Keeping string

// What can be kept. With either, test rows can belong to clients as training rows do.
const (
	KeepsOwners  Keeping = "owners"  // every row stays with the natural client it comes from
	KeepsDomains Keeping = "domains" // the rows of a client are of one domain
)

// Assigns reports whether test rows of a shape belong to clients once a partition that keeps this
// together has split the training rows: to their natural clients, or else to the clients of their
// domain.
func (k Keeping) Assigns(s Shape) bool {
	one := len(s.Domains) == 1 // which no partition can tear apart
	return s.Tested && (s.Owned && k == KeepsOwners ||
		s.Domains != nil && (one || k == KeepsDomains))
}

// ClientTests reports whether clients have test samples of their own; see Population.ClientTests.
func (s Setting) ClientTests() bool { return s.Assigned || s.Own }

// Known reports whether there is a setting at all.
func (s Setting) Known() bool { return s.Clients > 0 }
