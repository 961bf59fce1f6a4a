// Chain — guards that follow one another.
//
// It is what a list stands for: guard = ["clip", "bucketing"] clips updates first. Each guard sees
// what the one before it left, and keeps a state of its own. A parameter of one is set by its name
// or its number, from 0: guard.clip.radius, or guard.0.radius.

package guard

import "github.com/hansa-fl/hansa/framework/fl"

// Chain describes the guard to the registry.
var Chain = fl.GuardEntry{
	Name:    "chain",
	Summary: "guards that follow one another; a list of guards stands for it",
	New: func(p *fl.Params) (fl.Guard, error) {
		return fl.NewGuardChain(p.Guards("of", "the guards, in this order")...), nil
	},
	Example: map[string]any{"of": []any{"clip", map[string]any{"name": "adaptive-clip"}}},
}
