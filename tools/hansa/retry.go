package main

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/session/phrase"
)

// A retry says which cells without a result are run again.
type retry struct {
	Failed, Lost bool // only those that failed; only those that are lost, cancelled or exported
	Attempts     int  // not those that came to nothing in so many submissions
	Force        bool // however often they came to nothing
}

// wanted returns which of the missing cells are to be run.
func (j *job) wanted(s *survey, missing []int, r *retry) []int {
	fates := map[string]*fate{}
	for i, id := range s.ids {
		fates[id] = &s.fates[i]
	}
	tired, taken := 0, 0
	missing = slices.DeleteFunc(missing, func(i int) bool {
		of := fates[j.x.ids[i]]
		failed := slices.Contains([]string{isFailed, isTimeOut, isMemory, isCrash}, of.State)
		lost := slices.Contains([]string{isLost, isExported, isNodeFail, isCancelled}, of.State)
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
		j.say("%s in the queue", phrase.Count(taken, "cell is", "cells are"))
	}
	if tired > 0 {
		j.say("%s to nothing in %d submissions; --force tries again",
			phrase.Count(tired, "cell came", "cells came"), r.Attempts)
	}
	return missing
}
