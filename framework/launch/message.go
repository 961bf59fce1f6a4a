package launch

import "fmt"

// An Outcome says how a job ended that has no answer, and how a task of a cluster ended without
// success.
type Outcome string

// The ways in which a job can end without an answer.
const (
	Failed  Outcome = "failed"   // it said itself what was wrong
	TimeOut Outcome = "time-out" // it took too long, or was silent for too long
	Memory  Outcome = "memory"   // it used more memory than it was given
	Crash   Outcome = "crash"    // the process died
	// Of a task of a cluster only.
	NodeFail  Outcome = "node-fail" // the machine of the task died
	Cancelled Outcome = "cancelled"
)

// A Failure is the error of a job that has no answer.
type Failure struct {
	Outcome Outcome
	Message string // lower case, no full stop
	At      string // where the job was last seen; may be empty
}

// Error implements error.
func (f *Failure) Error() string {
	if f.At == "" {
		return f.Message
	}
	return fmt.Sprintf("%s: %s", f.At, f.Message)
}

// A Report is what a job says while it is at work.
type Report struct {
	Rounds int    // that are done
	From   int    // of these, those that were done before the job began
	Remark string // a line for the user; usually there is none
}

// A request is what goes to a worker process: a job, or to call off the one at work.
type request struct {
	Job  []byte
	Stop bool
}

// A message is what goes from a worker process to its caller.
type message struct {
	Kind   kind
	Report Report  // of a progress
	At     string  // of a progress or an end: where the job is
	Answer []byte  // of an answer
	Failed Failure // of an end without one
}

type kind int

const (
	beat     kind = iota // the worker lives
	progress             // the job has something to say
	place                // the job is somewhere else
	answer               // the job is done
	failure              // the job is done, without an answer
	stopped              // the job was called off
)
