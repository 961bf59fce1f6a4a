package kinds

import (
	"sort"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Rotate selects whoever was not selected for longest.
var Rotate = fl.SelectionEntry{
	Name:    "rotate",
	Summary: "those who waited longest",
	New: func(p *fl.Params) (fl.Selection, error) {
		return &rotate{k: p.Int("k", 3, fl.AtLeast(1), "clients per round")}, nil
	},
}

// rotate keeps in State: last, length N, the round after the one a client was last in.
type rotate struct{ k int }

type turn struct {
	client int
	last   float64
	lot    float64
}

// Select sorts those available by when they were last selected, ties by lot.
func (s *rotate) Select(d *fl.SelectionInput) []int {
	last := d.State.Vector("last", d.Roster.N)
	var turns []turn
	for _, i := range d.Available {
		turns = append(turns, turn{i, last[i], d.RNG.Float64()})
	}
	sort.Slice(turns, func(a, b int) bool {
		if turns[a].last != turns[b].last {
			return turns[a].last < turns[b].last
		}
		return turns[a].lot < turns[b].lot
	})
	ids := d.Room(s.k)
	for k := range min(s.k, len(turns)) {
		ids = append(ids, turns[k].client)
		last[turns[k].client] = float64(d.T + 1)
	}
	sort.Ints(ids)
	return ids
}

// Law is not known: it depends on the rounds before.
func (s *rotate) Law(*fl.Roster, []int) (fl.Law, bool) { return fl.Law{}, false }
