// Package plugins makes components of a user's Go files, with no compiler at hand: it vets a
// strategy, interprets it, and wraps what it describes as entries that a registry takes.
//
// The way from text to component: Read takes the files and their digest; Load has them vetted
// (package vet), which refuses what the interpreter would get wrong, and evaluates them once
// for what they describe; Register adds that to a registry. Whenever a cell builds a
// component, New evaluates the strategy afresh, in an interpreter of its own: two components
// share nothing, and one that had to be stopped takes no other with it.
//
// Every call into a strategy is guarded. Calls into one component come one after another. A
// panic becomes a Fault that names the author's line; so does a call that takes longer than
// its budget, and a result that breaks the contract of its kind. Methods that return no error
// report a Fault by panicking with it, which the engine turns into the error of the cell.
//
// This contains accidents, not attacks. Of accidents it does not contain those that end the
// process: unbounded recursion, and memory that runs out.
package plugins
