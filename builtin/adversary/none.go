// None — all clients are honest.
//
// It is what a setting without an adversary has, for tables in which some columns have one.

package adversary

import "github.com/hansa-fl/hansa/framework/fl"

// None describes the adversary to the registry.
var None = fl.AdversaryEntry{
	Name:    "none",
	Summary: "all clients are honest",
	New:     func(*fl.Params) (fl.Adversary, error) { return fl.NoAdversary{}, nil },
}
