// All — all available clients participate.

package selection

import "github.com/hansa-fl/hansa/framework/fl"

// All describes the selection mechanism to the registry.
var All = fl.SelectionEntry{
	Name:    "all",
	Summary: "all available clients participate",
	New:     func(*fl.Params) (fl.Selection, error) { return all{}, nil },
}

type all struct{}

var _ fl.Selection = all{}

// Select implements fl.Selection.
func (all) Select(d *fl.SelectionInput) []int { return d.Available }

// Law implements fl.Selection.
func (all) Law(*fl.Roster, []int) (fl.Law, bool) {
	return fl.Law{Everyone: true, Exact: true, Memoryless: true}, true
}
