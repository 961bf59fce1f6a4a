// Package policy says which packages a strategy may import, and what of them. It is the one
// table behind both halves of the boundary: tools/symbols writes from it the declarations
// that strategies are type-checked against and the symbols that the interpreter knows.
//
// What is not here does not exist for a strategy: no files, no network, no clock, no global
// random numbers, no reflection, no goroutines.
package policy

import (
	"fmt"
	"slices"
)

// A Package is what strategies may use of one package: its exported names but those denied,
// or only some. A name that needs another one that is not there is not there either.
type Package struct {
	Path   string
	Only   []string          // nothing but these; nil: everything
	Denied map[string]string // a name, or Type.Method → what to do instead; may be empty
}

// hansa is the import path of the framework.
const hansa = "github.com/hansa-fl/hansa/framework/"

// Components is the import path of the package of components.
const Components = hansa + "fl"

// Packages returns the table, sorted by path.
func Packages() []Package {
	return []Package{
		{Path: "cmp", Only: []string{"Compare", "Less", "Ordered"}},
		{Path: "errors", Only: []string{"New", "Is", "Join", "Unwrap"}},
		{Path: "fmt", Only: []string{"Sprint", "Sprintf", "Sprintln", "Errorf"}},
		{Path: Components, Denied: vocabulary()},
		{Path: hansa + "ot"},
		{Path: hansa + "stats"},
		{Path: hansa + "tensor", Denied: map[string]string{"BLAS": "", "Fit": ""}},
		{Path: "math"},
		{Path: "math/bits"},
		{Path: "math/rand/v2", Denied: globals()},
		{Path: "slices", Only: []string{"BinarySearch", "Clone", "Contains", "Equal", "Index",
			"IsSorted", "Max", "Min", "Reverse", "Sort"}},
		{Path: "sort"},
		{Path: "strconv"},
		{Path: "strings", Denied: map[string]string{"NewReader": "", "Reader": ""}},
	}
}

// Advice returns what to do instead of using a name of a package, or "".
func Advice(path, name string) string {
	for _, p := range Packages() {
		if p.Path != path {
			continue
		}
		if advice := p.Denied[name]; advice != "" {
			return advice
		}
	}
	if now := renamed()[name]; now != "" && path == Components {
		return "it is called fl." + now + " now"
	}
	return elsewhere()[path+"."+name]
}

// renamed are the names of fl that strategies of earlier versions used.
func renamed() map[string]string {
	return map[string]string{
		"Reach": "AvailabilityInput", "Draw": "SelectionInput", "Enrolling": "EnrollmentInput",
		"Summary": "SummaryInput", "Combining": "CombineInput", "Moving": "TransformInput",
	}
}

// Moved returns what to write instead of a field that an entry had in earlier versions and that is
// one of its traits now, or "".
func Moved(entry, field string) string {
	if entry == "AggregatorEntry" && field == "Weighs" {
		return "instead of Aggregate write " + weigher
	}
	for _, traits := range [][]string{
		{"AggregatorEntry", "AggregatorTraits", "Policies", "Mixes", "Statistics"},
		{"LocalRuleEntry", "LocalTraits", "Statistics", "NoModel"},
		{"PartitionerEntry", "PartitionTraits", "Keeps", "Drops"},
		{"PreprocessorEntry", "PreprocessTraits", "Labelled"},
		{"MetricEntry", "MetricTraits", "Judges", "Describes", "Reads"},
	} {
		if traits[0] == entry && slices.Contains(traits[2:], field) {
			return fmt.Sprintf("it is one of the traits now: Traits: fl.%s{%s: …}", traits[1],
				field)
		}
	}
	return ""
}

// Former returns what to write instead of a field or a method that a type of fl had in earlier
// versions, or "".
func Former(of, member string) string {
	return map[string]string{
		"Round.Adopt":     "return the clients as fl.Outcome{Params: …, Adopted: clients}",
		"Round.Broadcast": "return it as fl.Outcome{Params: …, Broadcast: …}, in every round",
		"Round.Given":     "keep what Combine was given",
	}[of+"."+member]
}

// FormerAggregate is what to write instead of an Aggregate that returns a vector.
const FormerAggregate = "return fl.Outcome{Params: …}; or, where updates are only weighed, write " +
	weigher

const weigher = "Weights(*fl.Round) (fl.Weights, error), and have New return fl.Weigh(&rule{…})"

// Instead returns what to use instead of a package that strategies may not import, or "".
func Instead(path string) string {
	switch path {
	case "math/rand":
		return "draw from the RNG you are handed; its type is that of math/rand/v2"
	case "time":
		return "there is no clock: a result must not depend on it; the round is T"
	case "log", "os", "io", "bufio":
		return "a strategy reads and writes no files; what is worth saying is a note: Notes.Add"
	case "sync", "sync/atomic", "runtime", "context":
		return "a strategy is called by one goroutine at a time; the framework runs clients in " +
			"parallel"
	case "reflect", "unsafe", "C":
		return "a strategy sees only the types that it names"
	}
	return ""
}

// elsewhere are hints for names that no denial mentions, by path and name.
func elsewhere() map[string]string {
	const say = "what is worth saying is a note: Notes.Add"
	return map[string]string{
		"fmt.Print":       say,
		"fmt.Printf":      say,
		"fmt.Println":     say,
		"errors.As":       "compare with errors.Is, or keep a field that says what went wrong",
		"slices.SortFunc": "use sort.Slice",
	}
}

// vocabulary is the part of fl that only the engine uses.
func vocabulary() map[string]string {
	const (
		stream = "draw from the RNG you are handed"
		kind   = "no strategy can be one: it belongs into builtin/"
		engine = "the engine does that"
		chain  = `an experiment lists guards: guard = ["…", "…"]`
	)
	return map[string]string{
		"NewStream": stream, "Stream": stream, "NewReseedableRand": stream,
		"ReseedableRand": stream,
		"SourceEntry":    kind, "ModelEntry": kind, "OptimizerEntry": kind, "Source": kind,
		"SourceTraits": kind, "ModelTraits": kind, "TraitsOf": "",
		"LoadInput": "", "NewParams": "", "Nested": "", "Problem": "", "Show": "",
		"NewStore": "", "Store": "", "Spec": "",
		"Round.Recycle": engine, "Task.Recycle": engine, "AvailabilityInput.Recycle": engine,
		"SelectionInput.Recycle": engine, "Snapshot.Reset": engine, "WeightedSum": "call fl.Weigh",
		"PoisonedData": "call fl.DataAttack", "NewFaulty": engine, "Faulty": engine,
		"Attack.Recycle": engine, "Attack.Allow": engine, "AdversaryTraits.KnowledgeOf": engine,
		"Finishing.Recycle": engine, "NewRoundPolicy": engine, "RoundPolicy": engine,
		"RoundPolicy.Waits": engine, "Immediate": engine,
		"Coding.Recycle": engine, "NewFeedback": engine, "Guarding.Recycle": engine,
		"GuardChain":          chain,
		"NewGuardChain":       chain,
		"CombineInput.Recall": "", "CombineInput.Once": "",
		"Spread": "", "SummaryInput.Spread": "", "TransformInput.Spread": "",
		"Inspection": "", "Inspector": "", "Entry.Inspect": "a strategy reads no files",
		"Entry.Source": "", "Params.Finish": engine, "Params.Specs": engine,
		"Params.Unmet":    engine,
		"Params.Resolved": engine, "Notes.Join": engine,
	}
}

// globals are the functions of math/rand/v2 that draw from the global generator.
func globals() map[string]string {
	denied := map[string]string{}
	for _, name := range []string{
		"ExpFloat64", "Float32", "Float64", "Int", "Int32", "Int32N", "Int64", "Int64N",
		"IntN", "N", "NormFloat64", "Perm", "Shuffle", "Uint", "Uint32", "Uint32N", "Uint64",
		"Uint64N", "UintN",
	} {
		denied[name] = "draw from the RNG you are handed, so that a run can be repeated"
	}
	return denied
}
