package plugins

import "github.com/hansa-fl/hansa/framework/study"

// A Fault is what went wrong while a strategy ran: an error that it returned, a panic, a
// result that breaks the contract, or that it took too long.
type Fault struct {
	Name    string    // of the component
	Call    string    // the method that was called
	Pos     study.Pos // the line of the strategy that ran last
	Message string    // lower case, no full stop
	Hint    string    // what is not certain, or what to do; may be empty
	Timeout bool      // it took too long, or was stopped
}

// Error returns place, component, method and message in one line.
func (f *Fault) Error() string { return f.Problems().Error() }

// Problems returns the fault as problems, which show the line.
func (f *Fault) Problems() study.Problems {
	return study.Problems{{Pos: f.Pos, Message: f.Name + ": " + f.Call + ": " + f.Message,
		Hint: f.Hint}}
}
