package session

import (
	"path/filepath"
	"time"

	"github.com/hansa-fl/hansa/framework/store"
)

// A RunLine is what is listed of a run.
type RunLine struct {
	Name    string     `json:"name"`
	Dir     string     `json:"dir"`
	Title   string     `json:"title"`
	File    string     `json:"file"` // the experiment, from the current folder
	Done    int        `json:"done"`
	Failed  int        `json:"failed"`
	Missing int        `json:"missing"`
	Last    *time.Time `json:"last"` // when a cell last ended; null when none did
	Bytes   int64      `json:"bytes"`
	Trials  *TrialLine `json:"trials,omitempty"` // of [tune], where they come before the cells
}

// A TrialLine is what is listed of the trials of a run that are known to be needed.
type TrialLine struct {
	Done    int `json:"done"`
	Failed  int `json:"failed"` // those that diverged
	Missing int `json:"missing"`
}

// When is when a cell of the run last ended.
func (l RunLine) When() time.Time {
	if l.Last == nil {
		return time.Time{}
	}
	return *l.Last
}

// Runs lists the runs in a folder. What cannot be read is told.
func (s *Session) Runs(folder string) []RunLine {
	lines := []RunLine{}
	for _, name := range runsIn(folder) {
		run := store.Run{Dir: filepath.Join(folder, name)}
		plan, err := PlanOf(run)
		if err != nil { // the others are no worse for it
			s.Unreadable(err)
			continue
		}
		census, err := run.Census(plan)
		if err != nil {
			s.Unreadable(err)
		}
		line := RunLine{Name: name, Dir: run.Dir, Title: plan.Title,
			File: seenAgain(run.Dir, plan.File),
			Done: census.Done, Failed: census.Failed, Missing: census.Missing, Bytes: census.Bytes}
		last := census.Last
		if plan.Tuning != nil && plan.Tuning.Open {
			trials, err := trialCensus(run)
			if err != nil {
				s.Unreadable(err)
			}
			line.Trials = &TrialLine{trials.Done, trials.Failed, trials.Missing}
			if trials.Last.After(last) {
				last = trials.Last
			}
		}
		if !last.IsZero() {
			line.Last = &last
		}
		lines = append(lines, line)
	}
	return lines
}

// trialCensus counts the trials of a run; all is 0 where none has begun.
func trialCensus(run store.Run) (store.Census, error) {
	known, err := TrialPlan(run)
	if err != nil || known == nil {
		return store.Census{}, err
	}
	return Trials(run).Census(known)
}
