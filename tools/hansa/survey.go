package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/launch/clusters"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
)

// What can be said of a cell. Only the first rests on its result; the others say why it has none.
const (
	isDone       = "done"
	isRunning    = "running"
	isPending    = "pending"
	isArriving   = "arriving"  // its task said that it is done; the result is not seen here yet
	isCorrupt    = "corrupt"   // its result does not verify
	isFailed     = "failed"    // it said why
	isTimeOut    = "time-out"  // of the cell, or of its task
	isMemory     = "memory"    // it used too much
	isCrash      = "crash"     // its process died
	isNodeFail   = "node-fail" // the machine of its task did
	isCancelled  = "cancelled"
	isLost       = "lost"       // nobody knows
	isExported   = "exported"   // its task was written down for an engine that cannot be asked
	isUnreadable = "unreadable" // whether there is a result cannot be told
	isMissing    = "missing"    // nobody was asked to run it
)

// states are all of them, in the order in which they are told.
var states = []string{isDone, isRunning, isPending, isArriving, isFailed, isTimeOut, isMemory,
	isCrash, isNodeFail, isCancelled, isLost, isExported, isCorrupt, isUnreadable,
	isMissing}

// A fate is what is known of a cell.
type fate struct {
	State string `json:"state"`
	Why   string `json:"why,omitempty"`
	Task  string `json:"task,omitempty"` // of the submission that has it, or had it last
	// Rounds of a cell that is not done, and when they were saved.
	Rounds int       `json:"rounds,omitempty"`
	Saved  time.Time `json:"saved,omitzero"`

	tries int // submissions that had the cell and do not run it any more
}

// live reports whether somebody has the cell.
func (f *fate) live() bool {
	return f.State == isRunning || f.State == isPending || f.State == isArriving
}

// A survey is what is known of the cells of a run.
type survey struct {
	ids         []string // each once, in the order of the plan
	index       []int    // of the first cell of the plan with that id
	fates       []fate   // parallel to ids
	submissions []*store.Submission
	queued      map[string]int // by submission: tasks that wait or run
	unknown     error          // why the engine could not be asked
	unread      error          // why there may be other submissions
}

// survey finds out what is known of the cells of a plan. No engine is needed to know what is done.
func (s *session) survey(ctx context.Context, run store.Run, p *store.Plan) (*survey, error) {
	u := &survey{queued: map[string]int{}}
	at := map[string]int{}
	for i, id := range p.IDs {
		if _, seen := at[id]; !seen {
			at[id] = len(u.ids)
			u.ids, u.index = append(u.ids, id), append(u.index, i)
		}
	}
	u.fates = make([]fate, len(u.ids))
	// Who asks for the names of files first does not see what a network file system remembers.
	run.Look()
	u.verify(run, p)
	var err error
	if u.submissions, err = run.Submissions(); err != nil {
		u.unread = err
		s.unreadable(err)
	}
	tasks, err := u.tasks(ctx)
	u.unknown = err
	for _, sub := range u.submissions {
		cluster, name := clusters.Named(sub.Engine), launch.JobName(sub.Name)
		_, known := tasks[launch.TaskKey{Name: name}]
		if sub.Job == "" && !known && cluster != nil {
			continue // it never came to that
		}
		for k, cells := range sub.Tasks {
			task, known := tasks[launch.TaskKey{Name: name, Index: k}]
			if known && task.Phase.Live() {
				u.queued[sub.Name]++
			}
			for _, id := range cells {
				if i, ours := at[id]; ours && u.fates[i].State != isDone {
					u.fates[i].follow(sub, k, task, known)
				}
			}
		}
	}
	for i, id := range u.ids {
		u.fates[i].fail(run, id)
	}
	return u, nil
}

// verify says of every cell whether it is done, several at a time.
func (s *survey) verify(run store.Run, p *store.Plan) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for k := int(next.Add(1)) - 1; k < len(s.ids); k = int(next.Add(1)) - 1 {
				done, err := run.Verify(s.ids[k], &p.Cells[s.index[k]])
				switch {
				case done:
					s.fates[k].State = isDone
				case errors.Is(err, store.ErrCorrupt):
					s.fates[k] = fate{State: isCorrupt, Why: err.Error()}
				case err != nil:
					s.fates[k] = fate{State: isUnreadable, Why: err.Error()}
				default:
					s.fates[k].State = isMissing
				}
			}
		})
	}
	workers.Wait()
}

// damaged reports whether there is a result that is not what was stored, or cannot be read.
func (f *fate) damaged() bool { return f.State == isCorrupt || f.State == isUnreadable }

// tasks asks each cluster about all its tasks at once.
func (s *survey) tasks(ctx context.Context) (map[launch.TaskKey]launch.TaskState, error) {
	names := map[string][]string{} // by cluster
	for _, sub := range s.submissions {
		names[sub.Engine] = append(names[sub.Engine], launch.JobName(sub.Name))
	}
	all := map[launch.TaskKey]launch.TaskState{}
	for _, on := range clusters.Names() {
		if len(names[on]) == 0 {
			continue
		}
		found, err := launch.Known(ctx, clusters.Named(on), names[on])
		maps.Copy(all, found)
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// follow says what the task of a later submission makes of a cell that is not done.
func (f *fate) follow(sub *store.Submission, index int, t launch.TaskState, known bool) {
	if f.damaged() {
		return
	}
	cluster, was := clusters.Named(sub.Engine), *f
	f.Task, f.Why = fmt.Sprintf("%s/%d", sub.Name, index), ""
	switch {
	case cluster == nil:
		f.State, f.Why = isExported, "as "+sub.Engine
	case !known:
		f.State, f.Why = isLost, "its task is not in the queue any more"
	case t.Phase == launch.Running:
		f.State, f.Why = isRunning, t.Node
	case t.Phase == launch.Stuck:
		f.State = isLost
		f.Why = cluster.About().Title + " could not start it and holds it back; " +
			"hansa cancel drops it"
	case t.Phase.Waits():
		f.State, f.Why = isPending, cmp.Or(cluster.Explain(t), t.Reason)
	case t.Phase == launch.Completed:
		f.State = isArriving
	default:
		f.State, f.Why = string(t.Outcome), cluster.Explain(t)
	}
	if !f.live() {
		if f.State != isExported { // which may never have begun
			f.tries++
		}
		if was.live() { // an earlier submission has it still
			was.tries = f.tries
			*f = was
		}
	}
}

// fail says why a cell failed, if it said so and nobody tries it again.
func (f *fate) fail(run store.Run, id string) {
	if f.State == isDone || f.damaged() || f.State == isRunning || f.State == isPending {
		return
	}
	failure, err := run.LoadFailure(id)
	switch {
	case err != nil:
		f.State, f.Why = isFailed, err.Error()
	case failure != nil:
		f.State = cmp.Or(failure.Outcome, isFailed)
		f.Why = phrase.FirstLine(failure.Message)
	}
}

// far says how far the cells are that are not done, where they were saved.
func (s *survey) far(run store.Run, p *store.Plan) {
	for i := range s.fates {
		if f := &s.fates[i]; f.State != isDone {
			rounds, when := run.Saved(s.ids[i], &p.Cells[s.index[i]])
			f.Rounds, f.Saved = rounds, when.Truncate(time.Second)
		}
	}
}

// count counts the cells in each state.
func (s *survey) count() map[string]int {
	n := map[string]int{}
	for _, f := range s.fates {
		n[f.State]++
	}
	return n
}

// live returns the ids of cells that somebody has.
func (s *survey) live() map[string]bool {
	ids := map[string]bool{}
	for i := range s.fates {
		if s.fates[i].live() {
			ids[s.ids[i]] = true
		}
	}
	return ids
}

// warnOfQueue tells of cells that run here and that tasks of a cluster have, too.
func (j *job) warnOfQueue(ctx context.Context, missing []int) {
	if list, _ := j.run.Submissions(); len(list) == 0 || len(missing) == 0 {
		return
	}
	s, err := j.survey(ctx, j.run, j.plan)
	if err != nil || s.unknown != nil {
		return // it is only advice
	}
	live, both := s.live(), 0
	for _, i := range missing {
		if live[j.x.ids[i]] {
			both++
		}
	}
	if both > 0 {
		j.say("%s in the queue of a cluster, and run here, too; `%s` ends that there",
			phrase.Count(both, "cell is", "cells are"), phrase.Hint("cancel", j.run.Dir))
	}
}

// reasons says why cells are in a state, where all of them have one reason.
func (s *survey) reasons(state string) string {
	why, first := "", true
	for _, f := range s.fates {
		switch {
		case f.State != state:
		case first:
			why, first = f.Why, false
		case f.Why != why:
			return ""
		}
	}
	return why
}

// order returns the cells to be listed.
func (s *survey) order(all bool) (listed []int) {
	for i := range s.fates {
		if all || s.fates[i].State != isDone {
			listed = append(listed, i)
		}
	}
	if !all {
		slices.SortStableFunc(listed, func(a, b int) int {
			f, g := &s.fates[a], &s.fates[b]
			return cmp.Or(slices.Index(states, f.State)-slices.Index(states, g.State),
				cmp.Compare(g.Rounds, f.Rounds))
		})
	}
	return listed
}

// inQueue counts tasks that wait or run.
func (s *survey) inQueue() (tasks int) {
	for _, n := range s.queued {
		tasks += n
	}
	return tasks
}
