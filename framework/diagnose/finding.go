// Package diagnose asks whether everything is right that runs need: on this machine, and on a
// cluster, where two tasks try it.
package diagnose

import "fmt"

// A Level says how something is.
type Level string

// The levels of a finding.
const (
	OK   Level = "ok"
	Warn Level = "warn"
	Fail Level = "fail"
)

// A Finding is what was found of one thing.
type Finding struct {
	Level Level  `json:"level"`
	What  string `json:"what"`
	Found string `json:"found"`
	Do    string `json:"do,omitempty"` // about it; there is something where it is not OK
}

// A Report is told of every finding as soon as it is known.
type Report func(Finding)

func (r Report) ok(what, format string, args ...any) {
	r(Finding{OK, what, fmt.Sprintf(format, args...), ""})
}

func (r Report) warn(what, found, do string) { r(Finding{Warn, what, found, do}) }

func (r Report) fail(what, found, do string) { r(Finding{Fail, what, found, do}) }
