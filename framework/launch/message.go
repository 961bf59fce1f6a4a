package launch

import "fmt"

// An Outcome says how a job ended that has no answer.
type Outcome string

// The ways in which a job can end without an answer.
const (
	Failed  Outcome = "failed"   // it said itself what was wrong
	TimeOut Outcome = "time-out" // it took too long, or was silent for too long
	Memory  Outcome = "memory"   // it used more memory than it was given
	Crash   Outcome = "crash"    // the process died
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

// A message is what goes from a worker process to its caller.
type message struct {
	Kind   kind
	Rounds int     // of a progress
	At     string  // of a progress or an end: where the job is
	Answer []byte  // of an answer
	Failed Failure // of an end without one
}

type kind int

const (
	beat     kind = iota // the worker lives
	progress             // so many rounds are done
	place                // the job is somewhere else
	answer               // the job is done
	failure              // the job is done, without an answer
)
