package view

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/store"
)

// A cellStatus is what is told of a cell.
type cellStatus struct {
	ID     string `json:"id"`
	Method string `json:"method"`
	Name   string `json:"name"`
	Seed   uint64 `json:"seed"`
	session.CellState
}

// StatusJSON returns everything that is known of a run, and of its trials if they are not nil, as
// it is written in JSON.
func StatusJSON(
	run store.Run, plan *store.Plan, s, trials *session.RunState,
) (any, error) {
	type submission struct {
		Name   string `json:"name"`
		Engine string `json:"engine"`
		Made   string `json:"made"`
		Job    string `json:"job,omitempty"`
		Tasks  int    `json:"tasks"`
	}
	out := struct {
		Dir         string         `json:"dir"`
		Counts      map[string]int `json:"counts"`
		Unknown     string         `json:"unknown,omitempty"` // why the engine could not be asked
		Cells       []cellStatus   `json:"cells"`
		Submissions []submission   `json:"submissions"`
		Trials      string         `json:"trials,omitempty"` // that come first
		TrialCounts map[string]int `json:"trial_counts,omitempty"`
		Successor   string         `json:"successor,omitempty"` // the job that goes on after them
		// how busy the last command was that trained here
		Utilisation *store.Utilisation `json:"utilisation,omitempty"`
	}{Dir: run.Dir, Counts: s.Counts(), Cells: []cellStatus{}, Submissions: []submission{}}
	for _, of := range []*session.RunState{trials, s} {
		if of != nil && of.Unknown != nil {
			out.Unknown = of.Unknown.Error()
		}
	}
	if trials != nil {
		out.TrialCounts, out.Successor = trials.Counts(), trials.Successor
	}
	var err error
	if out.Trials, err = session.TrialsLeft(run, plan); err != nil {
		return nil, err
	}
	for i, f := range s.Cells {
		cell := plan.Cells[s.Index[i]]
		out.Cells = append(out.Cells, cellStatus{s.IDs[i], cell.Method, cell.Label(), cell.Seed, f})
	}
	for _, sub := range slices.Backward(s.Submissions) {
		out.Submissions = append(out.Submissions,
			submission{sub.Name, sub.Engine, sub.Made, sub.Job, len(sub.Tasks)})
	}
	out.Utilisation, _ = run.LoadUtilisation() // it is no result: one that is damaged says nothing
	return out, nil
}
