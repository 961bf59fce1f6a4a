// List — importance as the experiment writes it down.

package importance

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// List describes the importance to the registry.
var List = fl.ImportanceEntry{
	Name:    "list",
	Summary: "one weight per client, as listed; scaled to sum to 1",
	New:     newList,
	Example: map[string]any{"weights": []any{6.0, 5.0, 4.0, 3.0, 2.0, 1.0}},
}

type list struct{ weights fl.Vector }

var _ fl.Importance = (*list)(nil)

func newList(p *fl.Params) (fl.Importance, error) {
	w := fl.Vector(p.Floats("weights", fl.AtLeast(0), "the weight of client 0, 1, …"))
	if s := p.Setting(); s.Known() {
		switch {
		case len(w) != s.Clients:
			p.Fail("weights", "%d weights for %d clients", len(w), s.Clients)
		case w.Sum() == 0:
			p.Fail("weights", "all of them are 0")
		}
	}
	return &list{w}, nil
}

// Weights implements fl.Importance. Weights relative to the largest have a finite sum,
// whatever was listed.
func (l *list) Weights(*fl.Roster) fl.Vector {
	w, top := slices.Clone(l.weights), slices.Max(l.weights)
	for i := range w {
		w[i] /= top
	}
	return normalise(w)
}
