package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// estimated is estimate, which is done once for all cells in which the same clients participate.
// Everyone gets cohorts of their own.
func estimated(s *Setup, w *World, known fl.Vector) (fl.Law, error) {
	key, same := simulationKey(s, w)
	if !same || w.memo == nil {
		return estimate(s, w, known)
	}
	law, err := remember(w.memo, key, func() (fl.Law, error) { return estimate(s, w, known) })
	if err != nil {
		return fl.Law{}, err
	}
	return copied(law), nil
}

// simulationKey returns a key of all that simulated rounds depend on: what CohortKey says, and what
// clients do in a round, by which some finish in time. It is false where it does not say all.
func simulationKey(s *Setup, w *World) (key memoKey, whole bool) {
	if s.CohortKey == "" || s.Completion.Policy.Asynchronous() {
		return memoKey{}, false
	}
	h := sha256.New()
	if c := newCompletion(s, w, ""); c != nil {
		fmt.Fprintln(h, c.coded)
		for i := range w.Environment.N {
			fmt.Fprintln(h, c.steps(i), c.size(i))
		}
	}
	return w.key(cohorts, s.CohortKey+hex.EncodeToString(h.Sum(nil))), true
}

// copied returns an estimate that shares no memory with another one.
func copied(law fl.Law) fl.Law {
	members := 0
	for _, set := range law.Sets {
		members += len(set)
	}
	room := make([]int, 0, members)
	sets := make([][]int, len(law.Sets))
	for j, set := range law.Sets {
		from := len(room)
		room = append(room, set...)
		sets[j] = room[from:len(room):len(room)]
	}
	if law.Sets != nil {
		law.Sets = sets
	}
	law.Q, law.Expected = slices.Clone(law.Q), slices.Clone(law.Expected)
	return law
}
