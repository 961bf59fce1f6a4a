package launch

import (
	"context"
	"slices"
)

// A TaskState is what a cluster says of a task.
type TaskState struct {
	Name    string // of its array
	Job     string // id of its array
	Index   int    // of the task; -1: of a single job, or of all tasks that are not listed
	Phase   Phase
	Outcome Outcome // of what has Ended
	State   string  // the cluster's own word for all that, as "PENDING"
	Reason  string  // why it waits, or has failed, in a word of the cluster's; may be empty
	Node    string  // where it runs or ran; may be empty
	Exit    string  // status and signal that it ended with, as "1:0"
}

// A Phase is how far a task is, in words that all clusters share. "" is that of a task of which
// nothing is known.
type Phase string

// The phases of a task.
const (
	Waiting   Phase = "waiting"
	Held      Phase = "held"      // it waits until it is released
	Stuck     Phase = "stuck"     // it could not be started, and waits until it is released
	Running   Phase = "running"   // or it is about to end
	Completed Phase = "completed" // it ended with success
	Ended     Phase = "ended"     // it ended otherwise
)

// Live reports whether a task waits or runs.
func (p Phase) Live() bool { return p.Waits() || p == Running }

// Waits reports whether a task waits.
func (p Phase) Waits() bool { return p == Waiting || p.IsHeld() }

// IsHeld reports whether a task waits in the queue until it is released.
func (p Phase) IsHeld() bool { return p == Held || p == Stuck }

// A TaskKey names a task as its cluster does.
type TaskKey struct {
	Name  string // of its array
	Index int
}

// Known asks for all that is known of these names: what is in the queue replaces what was. The
// error is that of a question that was not answered; where it is that for the past, the queue is
// known.
func Known(ctx context.Context, c Cluster, names []string) (map[TaskKey]TaskState, error) {
	now, err := c.States(ctx, names)
	if err != nil {
		return nil, err
	}
	past, err := c.Past(ctx, names)
	found := map[TaskKey]TaskState{}
	for _, t := range slices.Concat(past, now) {
		found[TaskKey{t.Name, t.Index}] = t
	}
	return found, err
}
