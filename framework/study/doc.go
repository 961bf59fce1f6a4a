// Package study turns an experiment file into cells. It is pure data: it knows the form
// of an experiment and where everything in it was written, but no component.
//
// A cell is one method in one setting with one seed. Everything that decides its numbers
// is in it; titles, labels, roles, what a table shows and how many workers there are is
// not, and does not enter its identity.
//
// # Setting
//
// An experiment is a TOML file. At its top stand title, paper and seeds: a number n for
// 0 … n−1, or a list; seed 0 alone when there is none; and plugins, a list of files or folders
// with strategies of the user's, relative to the file. [setting] says what methods have in
// common:
//
//	clients, rounds    integers ≥ 1
//	measure_every      integer ≥ 1: rounds between two evaluations; 1 by default
//	data_seed          integer ≥ 0: the seed of the data and of their partition, so that
//	                   all seeds share them; each seed draws its own by default
//	law                "known" or "unknown": whether the server knows the cohort distribution;
//	                   "known" by default
//	disclosure         "none", "aggregate" or "full": what the server knows of the covariates of
//	                   clients that are not enrolled; "none" by default
//	oracle             true or false: whether aggregators are told the true participation
//	                   probabilities; false by default
//	initial            "shared" or "independent": whether clients start from the same initial
//	                   parameters, or each from its own in the first round; "shared" by default
//	validation         number in [0, 1): the share of the training samples that the server holds,
//	                   drawn before the rest is partitioned; 0 by default
//	dataset, partition, importance, model, local, aggregator
//	                   one component each; a list of models stands for the component "mixed"
//	                   of them, of which every client draws one
//	public             a dataset whose training rows the server has, for methods that need public
//	                   data; labels = false hides its labels; none by default
//	enrollment         a component, "everyone" by default
//	availability       a component, "always" by default
//	selection          a component, "all" by default
//	completion         a component; none by default: all clients that are asked finish at once
//	compressor         a component; none by default: updates are sent in full
//	download           a compressor, by which clients are sent how the model has changed since
//	                   they were sent it last; none by default: models are sent in full
//	adversary          a component; none by default: all clients are honest
//	guard              a component, or a list of them that change updates one after another before
//	                   these are aggregated: the component "chain"; none by default
//	preprocess         a component, or a list of them that move the data one after another; "none"
//	                   by default, which is an empty list
//	metrics            a list of components; label is what the series is called when that
//	                   is not its name, iterate = "average" measures the mean of θ¹ … θᵗ, and
//	                   iterate = "best" is the best value of all evaluations so far, which many
//	                   papers report and which test data choose
//
// A component is its name, or a table with a name and parameters. Its parameters are checked later,
// against the registry.
//
// # Methods
//
// A [[method]] has a label, perhaps a role, and any key of a setting. A method with a role is a
// reference, which is shown and neither ranked nor tested: "upper-bound" is expected to be the
// best, such as full participation, whether more or less is better in a metric; "lower-bound" to be
// the worst; "literature" has numbers of others. An [[ablate]] names a method with of; every other
// key is the name of a change, its value a table of keys of a setting. The change is called
// "label, name".
//
// # Sweep
//
// [sweep] is a product of axes, in the order of the file:
//
//	"availability.k" = [2, 5, 10]              # a path and its values
//	partition = ["iid", { name = "shards" }]   # so is a component
//
//	skew = [                                   # named points
//	  { label = "none",   partition = "iid" },
//	  { label = "strong", partition = "shards", "availability.k" = 2 },
//	]
//
//	[sweep.size]                               # lists that are paired
//	label   = ["small", "large"]               # may be left out
//	clients = [10, 100]
//	rounds  = [50, 500]
//
// A key of [sweep] that is a key of a setting is a path or the beginning of one, so that
// availability.k, "availability.k" and k in [sweep.availability] say the same. Any other
// name is that of an axis of its own: a list of points with labels, or a table of lists
// of one length. Points with labels, and paired lists with labels, may also bear the name
// of a key of a setting.
//
// # Layers
//
// A cell's setting is laid in layers: [setting], the point of the sweep, the method, the
// ablation; the uppermost wins. Components meet by name: a table without a name, or with
// the same one, changes parameters only; another name drops the parameters below it. A
// parameter given before anything is named stays for whatever is named above it. After
// all layers everything without a default must be there.
//
// What [tune] chooses is laid upon the method, below its ablations.
//
// Preprocessors are replaced all at once, by whatever names some, and so are guards and models in a
// list. One that is named alone where it was alone keeps its parameters. A parameter of one is
// guard.NAME.KEY, guard.NUMBER.KEY with the first one at 0, or guard.KEY where there is only one;
// below a name it is for all components of that name, and has no effect on cells without one. A
// parameter of a component within another one is below the parameter that holds it:
// local.optimizer.momentum, aggregator.inner.f. Such paths are those of [sweep], [tune.space] and
// --set.
//
// # Tables
//
// [report] says what tables show: metric or metrics (keys of measures, all by default),
// baseline (the label of the method that the others are tested against), columns (axes,
// all by default; the others become blocks), final (a final value is the mean over so many
// last rounds, the same for all methods and those in which all of them were measured; by
// default the last tenth of the rounds, of 10 evaluations at most), spread ("sd", "sem" or
// "ci"), worst (an axis: tables and claims have one more point on it, "worst", which is in every
// seed the run at the point with the worst value of the first metric) and across (true ranks and
// tests methods though what is measured of them differs: test data, loss, p, population or number
// of rounds; by default such a method is shown only). With
// against = "parent" there is no baseline: every ablation shows, in parentheses, by how much
// it differs from the method that it changes, and is tested against that one.
//
// A [[reference]] is a number from somewhere else: row (a label), col (a key of a measure), value,
// source, and the point of the sweep it belongs to, a label or several. In place of col and value
// there may be a claim in words, of a row or of the whole table. With role = "literature" the row
// is not a method but one of its own, which is not run.
//
// # Claims
//
// A [[claim]] is what a paper says of results, to be tested with those of this experiment: source
// (paper, section, figure), says (its words) and holds, a predicate that package claim describes:
//
//	[[claim]]
//	source = "FedAVOT, §4, Fig. 1(a)"
//	says   = "FedAVOT follows almost the same trajectory as full participation"
//	holds  = "equivalent(FedAVOT, FedAvg (full), suboptimality, within = 10 %)"
//
// It is about all points of the sweep, or those with the labels that at lists: labels on one axis
// are alternatives, labels on different axes hold together. In place of holds, needs names what is
// missing here to test the claim: data, a model. Claims change no result and no identity. A claim
// that compares methods of which something else is measured, or that no result can decide, is a
// mistake.
//
// # Tuning
//
// [tune] says how parameters of methods are chosen before the methods are reported, the same way
// for all:
//
//	budget      integer in [1, 10000]: settings that each method may try at each point
//	by          key of a measure on test data: it decides, but is taken on validation samples
//	seeds       as above, of the trials: none that is reported
//	search      "grid", "random" or "halving"; "grid" by default
//	validation  number in (0, 1): the share of each client's training samples that takes the
//	            place of all test data in trials, 0.2 by default
//	across      axes along which a method has one setting; none by default
//	space       parameters, by their paths; "LABEL: PATH" for one method, which stands for the
//	            same path without a label there
//
// A parameter is chosen from a list of 2 to 1000 values, or from a range between two ends:
// { log = [lo, hi] }, { linear = [lo, hi] } or { integer = [lo, hi] }. It belongs to what makes a
// method — local, selection, aggregator, preprocess — or to the model. A path that only some
// methods have is left out for the others; one that none has is a mistake. What the sweep sets is
// not tuned.
//
// A trial is a cell: a method with a setting at a point, with a seed of [tune]. Its value is the
// mean of the measure over the last evaluations, as a table has it (final), never the best of them.
// The setting with the best mean over seeds wins, the first of equal ones; one that diverges loses.
// Where all of them diverge at a point the one that does least often is run there, and where all
// fail the first one: it costs the method that point. It is an error where all trials of a method
// diverge, at all points, and where all trials of all methods fail.
// Along an axis of across there is one setting for all points, such as attacks that a defence does
// not know: it is worth, in every seed, what it is worth at the point where it is worst.
// An ablation has what its method has, but for what it changes. With tuned = "required" in [report]
// a method that is ranked has to have a parameter that is tuned.
//
// # Command line
//
// --set KEY=VALUE replaces the value wherever the file writes exactly that key, the lists
// of a sweep included, and else sets it in [setting]. "LABEL: KEY=VALUE" changes one
// method with its ablations, or one ablation. title, paper, seeds and report.… may be set,
// too. A value is TOML, or a bare word.
//
// # Problems
//
// Whatever is wrong is reported at once, with its place, the line itself and what was
// probably meant. A mistake is reported once: what follows from it is not.
//
// A file has limits, so that reading it takes time by its size alone: a label or a key has at
// most 200 characters, any other text 10,000, a table 1000 keys.
package study
