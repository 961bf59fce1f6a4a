// Local only — every client trains alone.
//
// Notation: θᵢ the model of client i, θ⁰ the one that all clients start from.
//
// A client goes on from where it stopped when it last trained, from θ⁰ at first. The whole model
// stays with it: nothing is sent, and the global model stays θ⁰. It is what personalised methods
// are measured against.

package local

import "github.com/hansa-fl/hansa/framework/fl"

// Only describes the local rule to the registry.
var Only = fl.LocalRuleEntry{
	Name:    "local-only",
	Summary: "gradient descent of every client alone, from its own model; nothing is sent",
	Paper:   "mcmahan2017",
	New:     newSGD,
	Traits: fl.LocalTraits{Packed: true, Stays: func(_ map[string]any, l fl.Layout) []fl.Block {
		return l.Blocks
	}},
}
