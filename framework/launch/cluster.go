package launch

import (
	"context"
	"errors"
	"time"
)

// A Cluster runs arrays of tasks on other machines. Its jobs are known by their names, which are
// never used twice: ids are given out again where a controller loses its memory. The end of a
// context calls a question off. Other errors are ErrUnreachable where nothing is known, and
// ErrRefused where the cluster has said no.
type Cluster interface {
	// About says what is always so of the cluster. It is only read.
	About() *About
	// Check says what is wrong with a site profile. The cluster is not asked.
	Check(site *Site) error
	// Limits asks for what the cluster allows.
	Limits(ctx context.Context) (Limits, error)
	// Try asks whether the cluster would take a task of the site. It does not see every obstacle.
	Try(ctx context.Context, site *Site) error

	// Submit submits an array once and returns its id; what fails may have got through. The
	// function Submit of this package tries again.
	Submit(ctx context.Context, a *Array) (id string, err error)
	// States asks in one call what there is of these names: what waits and runs, and what has
	// ended for as long as the cluster lists it. A name may have several jobs, and none.
	States(ctx context.Context, names []string) ([]TaskState, error)
	// Past asks what has become of these names that States may not list any more. Where that is
	// not kept it returns nothing.
	Past(ctx context.Context, names []string) ([]TaskState, error)
	// Explain says what a user should know of a task that waits or that has ended without
	// success; "" where there is nothing to say.
	Explain(t TaskState) string

	// Cancel asks for the end of all jobs of these names. The function Cancel of this package
	// waits for it.
	Cancel(ctx context.Context, names []string) error
	// Requeue ends a task and lets it begin again later. Index is that of the array, or -1 for a
	// single job.
	Requeue(ctx context.Context, job string, index int) error
	// Tell sends a task the signal that it has before its time limit.
	Tell(ctx context.Context, job string, index int) error

	// Self says what the environment of this process says of the task that it is; ok is false
	// where the cluster has not started it.
	Self() (s Self, ok bool)
}

// The errors of questions to a cluster.
var (
	// ErrUnreachable is the error of a question that was not answered, so that nothing is known:
	// the controller is down or restarts, or is too busy.
	ErrUnreachable = errors.New("the controller of the cluster does not answer")
	// ErrRefused is the error of what the cluster has said that it does not do.
	ErrRefused = errors.New("the cluster refuses")
)

// About is what is always so of a cluster.
type About struct {
	Name  string // as the user types it, and as submissions have it: "slurm"
	Title string // as sentences have it: "Slurm"
	Keys  []Key  // of its table in a site profile
	// Variables are those of the environment that say which task a process is. They hold no
	// secrets: what is recorded of a result has them.
	Variables []string
	Hints     Hints
}

// Hints are what messages name in the cluster's own words.
type Hints struct {
	Queue   string // lists what a user has: "squeue --me"
	Offers  string // what a site may ask for: "sinfo lists partitions"
	Cancel  string // cancels what has the name that follows: "scancel --name="
	Arrays  string // the setting that allows arrays: "MaxArraySize above 1"
	Requeue string // the setting by which lost tasks do not start again: "JobRequeue=0"
}

// Limits is what a cluster allows.
type Limits struct {
	Version    string        // as "22.05.8"
	ArraySize  int           // tasks of an array; 0: it has no arrays
	ArrayTasks int           // tasks of an array that the scheduler allows; 0: as many
	Requeue    bool          // a task that has lost its node starts again
	Signalled  bool          // a task that is preempted is told at once
	Accounting bool          // what became of tasks is kept for good
	KillWait   time.Duration // from SIGTERM to SIGKILL
	MinJobAge  time.Duration // for which a task that has ended is listed
}

// Tasks returns how many tasks an array may have, at least 1.
func (l Limits) Tasks(site *Site) int {
	most := l.ArraySize
	for _, n := range []int{l.ArrayTasks, site.MaxTasks} {
		if n > 0 {
			most = min(most, n)
		}
	}
	return max(most, 1)
}

// A Self is what a task knows of itself. What its cluster does not say is 0 or empty.
type Self struct {
	Job      string // id of its array; "": it is no task of one
	Index    int    // in the array; -1: it has none
	Node     string // where it runs
	Restarts int    // before this start
	CPUs     int    // that it was given
	Memory   uint64 // bytes that it was given
}
