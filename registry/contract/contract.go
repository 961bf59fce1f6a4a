// Package contract examines components. All components of a kind are asked the same
// questions, ours or a user's, and every question carries the requirement that it tests.
//
// An entry is examined as an experiment would build it for six clients: its defaults,
// with its Example on top, in all combinations of the choices that have no default; and
// beside that once for every other option of a choice or switch, where the rest allows it.
// What depends on data meets two toy populations, of regression and of classification, as
// far as it fits them.
//
// A component that panics does not meet the requirement it was asked about, and the examination
// goes on. A check that names another one is asked only where that one held, so that one fault
// makes one violation. An entry may waive a check with a reason, but for those without which
// nothing can be built or repeated; a waiver that is not needed is itself a violation.
package contract

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/registry"
)

// A Violation is a requirement that a component does not meet.
type Violation struct {
	Kind        string // of the component: "aggregator"; "cell"
	Component   string // name of its entry
	Check       string // short name of the requirement
	Requirement string // in one sentence
	Found       string // what happened instead
	Waivable    bool   // an entry may say in Waives why it does not meet this
}

// String returns what was found, and below it what is required.
func (v Violation) String() string {
	return fmt.Sprintf("%s %s: %s: %s\n\tthe contract: %s",
		v.Kind, v.Component, v.Check, v.Found, v.Terms())
}

// Terms returns the requirement, and how an entry says that it does not meet it, where it may.
func (v Violation) Terms() string {
	if !v.Waivable {
		return v.Requirement
	}
	return fmt.Sprintf("%s; where that is not meant: Waives: map[string]string{%q: \"why\"}",
		v.Requirement, v.Check)
}

// A Requirement is what one check asks of every component of a kind.
type Requirement struct {
	Kind        string // as in registry.Kinds; "entry" for what is asked of all, "cell" for a cell
	Check       string // short name, which a waiver cites
	Requirement string // in one sentence
}

// Options are what an examination needs to know.
type Options struct {
	Papers  map[string]bool              // keys of the references that an entry may cite
	Folders []string                     // where sources look for their files
	Seed    uint64                       // of the toys and of all draws
	Only    func(kind, name string) bool // which entries are examined; nil: all
	AtOnce  bool                         // only what is asked of two calls at once

	// Calls is how often each of two calls at once is repeated, at most; 0: so often that they
	// meet. The race detector sees what they share whether they meet or not.
	Calls int
}

// repeated returns how often calls are repeated of which n would meet.
func (o *Options) repeated(n int) int {
	if o.Calls > 0 {
		return min(n, o.Calls)
	}
	return n
}

// Examine examines the entries of a registry and returns the requirements they do not meet, in the
// order of registry.Kinds and of names.
func Examine(r *registry.Registry, o Options) []Violation {
	var all []Violation
	toys := newFixtures(o.Seed)
	for _, x := range exams() {
		all = append(all, x.examine(r, o, toys)...)
	}
	return all
}

// Requirements lists what is asked: first of every entry, then kind by kind, then of cells.
func Requirements() []Requirement {
	all := requirements("entry", entryChecks[fl.Metric]())
	for _, x := range exams() {
		all = append(all, x.requirements()...)
	}
	return append(all, requirements("cell", cellChecks())...)
}

// An examiner examines the entries of one kind.
type examiner interface {
	examine(r *registry.Registry, o Options, toys []*fixture) []Violation
	requirements() []Requirement
}

// exams lists the kinds in the order of registry.Kinds.
func exams() []examiner {
	return []examiner{
		sources(), partitions(), preprocessors(), importances(), models(), localRules(),
		optimizers(), enrollments(), availabilities(), selections(), completions(), compressors(),
		adversaries(), guards(), aggregators(), metrics(),
	}
}

// A check is one question to a subject.
type check[S any] struct {
	name        string
	requirement string
	after       string         // the check that must have held before; empty: none
	ask         func(S) string // what was found; empty when the requirement holds
}

// unasked is the answer to a question that could not be put, for want of a file.
const unasked = "unasked"

func requirements[S any](kind string, checks []check[S]) []Requirement {
	var all []Requirement
	for _, c := range checks {
		all = append(all, Requirement{kind, c.name, c.requirement})
	}
	return all
}

// asksAtOnce are the checks that make two calls at once: what the race detector can learn from.
var asksAtOnce = []string{"alone", "workers", "at-once"}

// needed returns the checks of these names, and those that must have held before.
func needed[S any](checks []check[S], names []string) []check[S] {
	keep := map[string]bool{}
	for _, c := range slices.Backward(checks) { // what must hold before comes before
		if keep[c.name] = keep[c.name] || slices.Contains(names, c.name); keep[c.name] {
			keep[c.after] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(checks), func(c check[S]) bool { return !keep[c.name] })
}

// readOnly is the check that asks, of most kinds, whether what a call is lent stays as it is.
const readOnly = "read-only"

// run asks a subject all questions. The answer holds what was found by every check that
// was asked, empty where its requirement holds. A call that wrote to what it was lent breaks that
// requirement, whatever was asked.
func run[S any](checks []check[S], subject S) map[string]string {
	found := map[string]string{}
	lends := slices.ContainsFunc(checks, func(c check[S]) bool { return c.name == readOnly })
	for _, c := range checks {
		if before, asked := found[c.after]; c.after != "" && (!asked || before != "") {
			continue
		}
		if c.name == readOnly && found[readOnly] != "" {
			continue
		}
		switch answer := guarded(func() string { return c.ask(subject) }); {
		case answer == unasked:
		case lends && strings.Contains(answer, registry.Written):
			found[readOnly] = cmp.Or(found[readOnly], answer)
		default:
			found[c.name] = answer
		}
	}
	return found
}

// guarded turns a panic into what was found.
func guarded(ask func() string) (found string) {
	defer func() {
		if p := recover(); p != nil {
			found = fmt.Sprintf("panic: %v", p)
		}
	}()
	return ask()
}

// together asks two questions at once and returns what the first of them found that found
// anything.
func together(a, b func() string) string {
	first := make(chan string)
	go func() { first <- guarded(a) }()
	second := guarded(b)
	if found := <-first; found != "" {
		return found
	}
	return second
}
