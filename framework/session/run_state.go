package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/launch/clusters"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
)

// What can be said of a cell. Only the first rests on its result; the others say why it has none.
const (
	StateDone       = "done"
	StateRunning    = "running"
	StatePending    = "pending"
	StateArriving   = "arriving"  // its task said that it is done; the result is not seen here yet
	StateCorrupt    = "corrupt"   // its result does not verify
	StateFailed     = "failed"    // it said why
	StateTimeOut    = "time-out"  // of the cell, or of its task
	StateMemory     = "memory"    // it used too much
	StateCrash      = "crash"     // its process died
	StateNodeFail   = "node-fail" // the machine of its task did
	StateCancelled  = "cancelled"
	StateLost       = "lost"       // what became of its task is not known
	StateExported   = "exported"   // its task was written down for an engine that cannot be asked
	StateUnreadable = "unreadable" // whether there is a result cannot be told
	StateMissing    = "missing"    // no task has it
)

// States are all of them, in the order in which they are told.
var States = []string{StateDone, StateRunning, StatePending, StateArriving, StateFailed,
	StateTimeOut, StateMemory,
	StateCrash, StateNodeFail, StateCancelled, StateLost, StateExported, StateCorrupt,
	StateUnreadable,
	StateMissing}

// A CellState is what is known of a cell.
type CellState struct {
	State string `json:"state"`
	Why   string `json:"why,omitempty"`
	Task  string `json:"task,omitempty"` // of the submission that has it, or had it last
	// rounds of a cell that is not done, and when they were saved.
	Rounds int       `json:"rounds,omitempty"`
	Saved  time.Time `json:"saved,omitzero"`

	tries int // submissions that had the cell and do not run it any more
}

// live reports whether a task has the cell.
func (f *CellState) live() bool {
	return f.State == StateRunning || f.State == StatePending || f.State == StateArriving
}

// A RunState is what is known of the cells of a run.
type RunState struct {
	IDs         []string    // each once, in the order of the plan
	Index       []int       // of the first cell of the plan with that id
	Cells       []CellState // parallel to IDs
	Submissions []*store.Submission
	Queued      map[string]int // by submission: tasks that wait or run, and jobs after them
	Successor   string         // the job in the queue that goes on with the run; "": there is none
	Unknown     error          // why the engine could not be asked
	Unread      error          // why there may be other submissions
}

// RunState finds out what is known of the cells of a plan. No engine is needed to know what is
// done.
func (s *Session) RunState(ctx context.Context, run store.Run, p *store.Plan) (*RunState, error) {
	u := &RunState{Queued: map[string]int{}}
	at := map[string]int{}
	for i, id := range p.IDs {
		if _, seen := at[id]; !seen {
			at[id] = len(u.IDs)
			u.IDs, u.Index = append(u.IDs, id), append(u.Index, i)
		}
	}
	u.Cells = make([]CellState, len(u.IDs))
	// Listing the folders first drops what a network file system remembers of them.
	run.Look()
	u.verify(run, p)
	var err error
	if u.Submissions, err = run.Submissions(); err != nil {
		u.Unread = err
		s.Unreadable(err)
	}
	tasks, err := u.tasks(ctx)
	u.Unknown = err
	for _, sub := range u.Submissions {
		cluster, name := clusters.Named(sub.Engine), launch.JobName(sub.Name)
		_, known := tasks[launch.TaskKey{Name: name}]
		if sub.Job == "" && !known && cluster != nil {
			continue // it never came to that
		}
		for _, after := range jobNames(sub)[1:] {
			if job := tasks[launch.TaskKey{Name: after, Index: -1}]; job.Phase.Live() {
				u.Queued[sub.Name]++
				if strings.HasSuffix(after, succeeding) {
					u.Successor = sub.Successor
				}
			}
		}
		for k, cells := range sub.Tasks {
			task, known := tasks[launch.TaskKey{Name: name, Index: k}]
			if known && task.Phase.Live() {
				u.Queued[sub.Name]++
			}
			for _, id := range cells {
				if i, ours := at[id]; ours && u.Cells[i].State != StateDone {
					u.Cells[i].follow(sub, k, task, known)
				}
			}
		}
	}
	for i, id := range u.IDs {
		u.Cells[i].fail(run, id)
	}
	return u, nil
}

// verify says of every cell whether it is done, several at a time.
func (s *RunState) verify(run store.Run, p *store.Plan) {
	store.Each(len(s.IDs), func(k int) {
		done, err := run.Verify(s.IDs[k], &p.Cells[s.Index[k]])
		switch {
		case done:
			s.Cells[k].State = StateDone
		case errors.Is(err, store.ErrCorrupt):
			s.Cells[k] = CellState{State: StateCorrupt, Why: err.Error()}
		case err != nil:
			s.Cells[k] = CellState{State: StateUnreadable, Why: err.Error()}
		default:
			s.Cells[k].State = StateMissing
		}
	})
}

// damaged reports whether there is a result that is not what was stored, or cannot be read.
func (f *CellState) damaged() bool { return f.State == StateCorrupt || f.State == StateUnreadable }

// tasks asks each cluster about all its tasks at once.
func (s *RunState) tasks(ctx context.Context) (map[launch.TaskKey]launch.TaskState, error) {
	names := map[string][]string{} // by cluster
	for _, sub := range s.Submissions {
		names[sub.Engine] = append(names[sub.Engine], jobNames(sub)...)
	}
	all := map[launch.TaskKey]launch.TaskState{}
	return all, clusters.Each(names, func(c launch.Cluster, names []string) error {
		found, err := launch.Known(ctx, c, names)
		maps.Copy(all, found)
		return err
	})
}

// follow says what the task of a later submission makes of a cell that is not done.
func (f *CellState) follow(sub *store.Submission, index int, t launch.TaskState, known bool) {
	if f.damaged() {
		return
	}
	cluster, was := clusters.Named(sub.Engine), *f
	f.Task, f.Why = fmt.Sprintf("%s/%d", sub.Name, index), ""
	switch {
	case cluster == nil:
		f.State, f.Why = StateExported, "as "+sub.Engine
	case !known:
		f.State, f.Why = StateLost, "its task is not in the queue any more"
	case t.Phase == launch.Running:
		f.State, f.Why = StateRunning, t.Node
	case t.Phase == launch.Stuck:
		f.State = StateLost
		f.Why = cluster.About().Title + " could not start it and holds it back; " +
			"hansa cancel drops it"
	case t.Phase.Waits():
		f.State, f.Why = StatePending, cmp.Or(cluster.Explain(t), t.Reason)
	case t.Phase == launch.Completed:
		f.State = StateArriving
	default:
		f.State, f.Why = string(t.Outcome), cluster.Explain(t)
	}
	if !f.live() {
		if f.State != StateExported { // which may never have begun
			f.tries++
		}
		if was.live() { // an earlier submission has it still
			was.tries = f.tries
			*f = was
		}
	}
}

// fail says why a cell failed, if it said so and no task tries it again.
func (f *CellState) fail(run store.Run, id string) {
	if f.State == StateDone || f.damaged() || f.State == StateRunning || f.State == StatePending {
		return
	}
	failure, err := run.LoadFailure(id)
	switch {
	case err != nil:
		f.State, f.Why = StateFailed, err.Error()
	case failure != nil:
		f.State = cmp.Or(failure.Outcome, StateFailed)
		f.Why = phrase.FirstLine(failure.Message)
	}
}

// ReadProgress says how far the cells are that are not done, where they were saved.
func (s *RunState) ReadProgress(run store.Run, p *store.Plan) {
	for i := range s.Cells {
		if f := &s.Cells[i]; f.State != StateDone {
			rounds, when := run.Saved(s.IDs[i], &p.Cells[s.Index[i]])
			f.Rounds, f.Saved = rounds, when.Truncate(time.Second)
		}
	}
}

// Counts counts the cells in each state.
func (s *RunState) Counts() map[string]int {
	n := map[string]int{}
	for _, f := range s.Cells {
		n[f.State]++
	}
	return n
}

// live returns the ids of cells that tasks have.
func (s *RunState) live() map[string]bool {
	ids := map[string]bool{}
	for i := range s.Cells {
		if s.Cells[i].live() {
			ids[s.IDs[i]] = true
		}
	}
	return ids
}

// WarnOfQueue tells of cells that run here and that tasks of a cluster have, too.
func (j *Job) WarnOfQueue(ctx context.Context, missing []int) {
	if list, _ := j.Run.Submissions(); len(list) == 0 || len(missing) == 0 {
		return
	}
	s, err := j.RunState(ctx, j.Run, j.Plan)
	if err != nil || s.Unknown != nil {
		return // it is only advice
	}
	live, both := s.live(), 0
	for _, i := range missing {
		if live[j.Experiment.IDs[i]] {
			both++
		}
	}
	if both > 0 {
		j.Sayf("%s in the queue of a cluster, and run here, too; `%s` ends that there",
			phrase.Count(both, "training run is", "training runs are"),
			phrase.Hint("cancel", j.Run.Dir))
	}
}

// Reasons says why cells are in a state, where all of them have one reason.
func (s *RunState) Reasons(state string) string {
	why, first := "", true
	for _, f := range s.Cells {
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

// Order returns the cells to be listed.
func (s *RunState) Order(all bool) (listed []int) {
	for i := range s.Cells {
		if all || s.Cells[i].State != StateDone {
			listed = append(listed, i)
		}
	}
	if !all {
		slices.SortStableFunc(listed, func(a, b int) int {
			f, g := &s.Cells[a], &s.Cells[b]
			return cmp.Or(slices.Index(States, f.State)-slices.Index(States, g.State),
				cmp.Compare(g.Rounds, f.Rounds))
		})
	}
	return listed
}

// inQueue counts tasks that wait or run.
func (s *RunState) inQueue() (tasks int) {
	for _, n := range s.Queued {
		tasks += n
	}
	return tasks
}
