// Always — all clients are available in every round.

package availability

import "github.com/hansa-fl/hansa/framework/fl"

// Always describes the availability model to the registry.
var Always = fl.AvailabilityEntry{
	Name:    "always",
	Summary: "all clients are available in every round",
	New:     func(*fl.Params) (fl.Availability, error) { return always{}, nil },
}

type always struct{}

var _ fl.Availability = always{}

// Available implements fl.Availability.
func (always) Available(r *fl.AvailabilityInput) []int { return r.Everyone() }

// Law implements fl.Availability.
func (always) Law(*fl.Roster) (fl.Law, bool) {
	return fl.Law{Everyone: true, Exact: true, Memoryless: true}, true
}
