package fl

// Traits are what the entries of one kind say that those of others cannot: a value of the type
// of that kind, AggregatorTraits and so on.
type Traits[T any] interface {
	Of(T) // says which kind the traits are of, and does nothing
}

// TraitsOf returns the traits of an entry; the zero value where it has none.
func TraitsOf[R Traits[T], T any](e Entry[T]) (traits R) {
	switch t := any(e.Traits).(type) {
	case R:
		return t
	case *R:
		return *t
	}
	return traits
}

// AggregatorTraits are those of aggregators.
type AggregatorTraits struct {
	// Policies are the replacements of p where no weights attain it: the choice parameter that
	// picks one, and those of its values that an audit compares.
	Policies map[string][]string

	// Mixes says that it accepts models with different layouts.
	Mixes bool

	// Statistics name its input where that is not models, as LocalTraits do: "class moments".
	// Empty: models.
	Statistics string

	// Public says that it needs public data, Round.Public.
	Public bool

	// Method names the method that it is the server's half of, where that is nothing without a
	// client's half that says the same: "SCAFFOLD". Empty: it accepts models of any local rule.
	Method string

	// Selects says that Method has a selection, too, without which it is nothing. Where it has no
	// client's half, it goes with any local rule that is of no method.
	Selects bool

	// Repeats says that it counts each update Round.Times times. Others accept no selection that
	// repeats clients.
	Repeats bool

	// Remembers says that updates of earlier rounds count in θᵗ, too, so that what the weights of a
	// round add up is not all that counts.
	Remembers bool

	// Private returns what it releases in a round, by resolved parameters, where that is nothing of
	// updates but sums with Gaussian noise: of one vector of each client, no longer than a clipping
	// radius, and over a number that does not depend on the cohort. Rounds in which no client
	// participates are played then, too, with a Round that has no updates: if they were skipped,
	// that would show that no client participated. Nil: it releases more.
	Private func(params Resolved) Release

	// Coded returns in how many bits clients send an update of so many parameters, by resolved
	// parameters, where the server gets nothing of updates but their sum, in a code of its own.
	// Params are then what clients put in. Nil: updates are sent as they are.
	Coded func(params Resolved, numbers int) (bits int)

	// Tracks says that it keeps a history of each client, by which it weighs updates: these are
	// to be of single clients.
	Tracks bool

	// Losses says that each client sends the loss of the model that it was sent, 8 bytes with its
	// update: Round.Losses.
	Losses bool

	// Stale says what the Params of an update are that was made of an earlier model than θᵗ⁻¹: the
	// model as its client trained it. Otherwise they are θᵗ⁻¹ plus the change that the client made.
	Stale bool

	// Synchronous says that every update of a round has to be of the model of that round: no
	// asynchronous server can be it.
	Synchronous bool
}

// SelectionTraits are those of selections.
type SelectionTraits struct {
	// Repeats says that it may select a client several times in a round, and sets Times then.
	Repeats bool

	// Expected says that it sets Expected in every round.
	Expected bool

	// Rounds, Losses and Norms are what Told returns: the last round in which a client took part,
	// which the server knows; the loss of the model that it was sent, which it sends with its
	// update, so that it is counted; the norm of its update, which the server computes.
	Rounds, Losses, Norms bool

	// SquaredLosses has Told return RMS, which the client sends with its update, so that it is
	// counted. It computes for that the loss of each of its samples.
	SquaredLosses bool

	// Seconds has Told return how long a client needed when it took part last, which the server
	// knows, so that nothing is counted.
	Seconds bool

	// Updates has Told return the last update of a client. The server has got it anyhow, so that
	// nothing is counted; it keeps as many numbers as the model has for every client that took
	// part.
	Updates bool

	// Asks says that it asks clients, by Loss, LossAt or Norms of SelectionInput.
	Asks bool

	// Method names the method whose selection it is, where that is nothing without the server's
	// half, as AggregatorTraits do. Empty: it goes with any aggregator.
	Method string
}

// Adapts reports whether the cohorts depend on the model: then no cohort distribution is known
// before training.
func (t SelectionTraits) Adapts() bool {
	return t.Asks || t.Losses || t.Norms || t.SquaredLosses || t.Updates
}

// LocalTraits are those of local rules.
type LocalTraits struct {
	// Statistics name what it sends, where that is not models. Empty: models. The aggregator of a
	// cell says the same.
	Statistics string

	// NoModel says of a rule with Statistics that it needs no model. Then its clients are sent
	// none: Task.Global and Task.Params are nil, and no download is counted for them.
	NoModel bool

	// Stays returns the blocks of a layout that stay with each client, in their order, by resolved
	// parameters. The engine keeps them of each client and has them in Task.Params when it trains
	// again; they are neither sent nor counted, and the server's never change. Nil: all are sent.
	Stays func(params map[string]any, l Layout) []Block

	// Personal names the vector in the client's state that is its personal model, with which it
	// predicts. Empty: it keeps none.
	Personal string

	// Drift says what it does about client drift, where the other half of its method does its part.
	Drift Drift

	// Public says that it needs public data, Task.Public. Every client that is enrolled is sent
	// them once, before the first round, which is counted.
	Public bool

	// Steps returns how many local steps a client makes, by resolved parameters, where these are
	// not those that the parameters steps, epochs and batch say, usual. One pass over its samples
	// takes epoch steps. Nil: usual.
	Steps func(params map[string]any, usual, epoch int) int

	// PerSample returns how much noise is on what a client sends in a round, by resolved
	// parameters: its standard deviation in how far one of the client's samples, replaced by
	// another one, moves it at most, where it is a Gaussian mechanism; 0: none. Nil: it is none.
	PerSample func(params Resolved) (noise float64)

	// Whole says that it makes all its steps, or none: it does not heed Task.Limit, so that no
	// partial work is asked of its clients.
	Whole bool

	// Tunes says that clients predict with what Run makes of θᵗ where Task.FineTunes.
	Tunes bool

	// Method names the method that it is the client's half of, where that is nothing without the
	// server's half, as AggregatorTraits do. Empty: it goes with any aggregator of models.
	Method string

	// Packed says that it reads the rows of its client by a Worker alone, so that they may be
	// packed, see Dataset. Otherwise it finds all rows in X.
	Packed bool
}

// Drift says what a local rule does about client drift: several local steps lead each client
// towards its own optimum, so that the mean of their models settles beside that of the objective.
type Drift struct {
	Handling DriftHandling
	Theory   string // under which participation the paper proves that; no full stop
	Beyond   string // what it does not cover; empty: not said
}

// A DriftHandling is what becomes of client drift. Empty: nothing is said of it.
type DriftHandling string

// What can become of it.
const (
	DriftRemains   DriftHandling = "not corrected"
	DriftBounded   DriftHandling = "bounded, not corrected"
	DriftCorrected DriftHandling = "corrected"
)

// String says it in a sentence without a full stop; empty where nothing is said.
func (d Drift) String() string {
	if d.Handling == "" {
		return ""
	}
	text := "client drift is " + string(d.Handling)
	if d.Theory != "" {
		text += ": " + d.Theory
	}
	if d.Beyond != "" {
		text += "; not covered: " + d.Beyond
	}
	return text
}

// CompletionTraits are those of completion models.
type CompletionTraits struct {
	// Work says that Finish sets Work. Otherwise clients do no partial work, unless Works says so.
	Work bool

	// Works returns whether Finish sets Work, by resolved parameters. Nil: as Work says.
	Works func(params map[string]any) bool
}

// SetsWork reports whether Finish sets Work, by resolved parameters.
func (t CompletionTraits) SetsWork(params map[string]any) bool {
	if t.Works != nil {
		return t.Works(params)
	}
	return t.Work
}

// PartitionTraits are those of partitions.
type PartitionTraits struct {
	// Keeps names the groups of rows that are never split, for any parameters.
	Keeps Keeping

	// Drops says that rows may be left out. No client trains on them.
	Drops bool

	// Packed says that it does not read the features of rows, so that they may be packed, see
	// Dataset. A partition that does not say so finds all rows in X.
	Packed bool
}

// PreprocessTraits are those of preprocessors.
type PreprocessTraits struct {
	// Labelled says that it sees labels: a bound for comparison, not a method.
	Labelled bool
}

// MetricTraits are those of metrics.
type MetricTraits struct {
	// Judges says that it reads Snapshot.Residual, for which the inclusion probabilities of every
	// round are computed.
	Judges bool

	// Accounts says that it reads Snapshot.Exposure, for which the aggregator must be private: its
	// AggregatorTraits have Private.
	Accounts bool

	// AccountsSamples says that it reads Snapshot.PerSample, for which the local rule must have
	// noise of its own: its LocalTraits have PerSample.
	AccountsSamples bool

	// Describes says that it is descriptive: neither high nor low is better, and NaN is no failure.
	Describes bool

	// Reads returns what the value depends on besides θ and the number of rounds, by the resolved
	// parameters. Nil: on everything, which tables assume of the metric of a strategy. Inputs that
	// it does not list never change the value.
	Reads func(params map[string]any) []Reading

	// Range returns between which numbers every value lies but for rounding, by the resolved
	// parameters, where the loss of the model is never below 0. Nil: it may be any number.
	Range func(params map[string]any) (low, high float64)

	// Packed says that it reads the rows of a population by a Worker alone, so that they may be
	// packed, see Dataset. Otherwise it finds all rows in X.
	Packed bool
}

// ModelTraits are those of models.
type ModelTraits struct {
	// Loss returns the loss by the resolved parameters. Nil: a loss of its own.
	Loss func(params map[string]any) Loss

	// Tokens says that it takes rows of tokens, and no others.
	Tokens bool
}

// SourceTraits are those of datasets.
type SourceTraits struct {
	// Untested lists what the test rows do not depend on: resolved parameters, and "clients"
	// for how many there are. Nil: they depend on everything.
	Untested func(params map[string]any) []string
}

// Of implements Traits.
func (AggregatorTraits) Of(Aggregator) {}

// Of implements Traits.
func (SelectionTraits) Of(Selection) {}

// Of implements Traits.
func (LocalTraits) Of(LocalRule) {}

// Of implements Traits.
func (CompletionTraits) Of(Completion) {}

// Of implements Traits.
func (PartitionTraits) Of(Partitioner) {}

// Of implements Traits.
func (PreprocessTraits) Of(Preprocessor) {}

// Of implements Traits.
func (MetricTraits) Of(Metric) {}

// Of implements Traits.
func (ModelTraits) Of(Model) {}

// Of implements Traits.
func (SourceTraits) Of(Source) {}
