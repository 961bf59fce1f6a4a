package session

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/session/phrase"
)

// A Retry says which cells without a result are run again.
type Retry struct {
	Failed, Lost bool // only those that failed; only those that are lost, cancelled or exported
	Attempts     int  // not those that came to nothing in so many submissions
	Force        bool // however often they came to nothing
}

// Wanted returns which of the missing cells are to be run.
func (j *Job) Wanted(s *RunState, missing []int, r *Retry) []int {
	fates := map[string]*CellState{}
	for i, id := range s.IDs {
		fates[id] = &s.Cells[i]
	}
	tired, taken := 0, 0
	missing = slices.DeleteFunc(missing, func(i int) bool {
		of := fates[j.Experiment.IDs[i]]
		failed := slices.Contains([]string{StateFailed, StateTimeOut, StateMemory, StateCrash},
			of.State)
		lost := slices.Contains([]string{StateLost, StateExported, StateNodeFail, StateCancelled},
			of.State)
		switch {
		case of.live():
			taken++
			return true
		case r.Failed && !failed, r.Lost && !lost:
			return true
		case of.tries >= r.Attempts && !r.Force:
			tired++
			return true
		}
		return false
	})
	if taken > 0 {
		j.Sayf("%s in the queue", phrase.Count(taken, "training run is", "training runs are"))
	}
	if tired > 0 {
		j.Sayf("%s to nothing in %d submissions; --force tries again",
			phrase.Count(tired, "training run came", "training runs came"), r.Attempts)
	}
	return missing
}
