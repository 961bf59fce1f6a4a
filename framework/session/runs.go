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
		if !census.Last.IsZero() {
			line.Last = &census.Last
		}
		lines = append(lines, line)
	}
	return lines
}
