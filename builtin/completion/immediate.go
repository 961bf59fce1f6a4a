// Immediate — clients that are asked finish at once, and no time passes.
//
// With dropout clients do not finish at random; with take = K the first K are drawn uniformly.

// Package completion holds models of which clients finish a round, and when, in virtual time.
package completion

import "github.com/hansa-fl/hansa/framework/fl"

// Immediate describes the completion model to the registry.
var Immediate = fl.CompletionEntry{
	Name:    "immediate",
	Summary: "all clients finish at once, unless they drop out; no time passes",
	New:     func(*fl.Params) (fl.Completion, error) { return fl.Immediate{}, nil },
}
