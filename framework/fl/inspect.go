package fl

import "fmt"

// An Inspection examines the files of a component before anything runs. It collects all that is
// wrong with them. A component reads headers, rows and columns as far as the time allows, and
// keeps nothing of them.
type Inspection struct {
	Clients int      // N
	Folders []string // where files are looked for, in this order

	// Watch starts the time that one file may take. It returns whether the time is over, and a
	// function that stops the clock. Nil: a file may take any time.
	Watch func() (over func() bool, stop func())

	Problems []Problem // mistakes
	Warnings []Problem // what is allowed, but probably not intended
	Missing  []Problem // missing files
	Partial  []string  // files that were examined in part, and how far
}

// Fail reports a mistake in what a parameter names.
func (i *Inspection) Fail(param, format string, args ...any) {
	i.Problems = append(i.Problems, Problem{Param: param, Message: fmt.Sprintf(format, args...)})
}

// Warn reports what a parameter's file contains that is allowed, but probably not intended.
func (i *Inspection) Warn(param, format string, args ...any) {
	i.Warnings = append(i.Warnings, Problem{Param: param, Message: fmt.Sprintf(format, args...)})
}

// Lack reports that files named by a parameter are missing.
func (i *Inspection) Lack(param, message string) {
	i.Missing = append(i.Missing, Problem{Param: param, Message: message})
}

// Start starts the time of one file.
func (i *Inspection) Start() (over func() bool, stop func()) {
	if i.Watch == nil {
		return func() bool { return false }, func() {}
	}
	return i.Watch()
}

// An Inspector examines the files of one component of a cell.
type Inspector struct {
	Path  string // of the component in the cell: "dataset", "preprocess[0].public"
	Label string // what messages begin with: "dataset csv"
	Key   string // two inspectors with the same key find the same in the same folders
	Run   func(i *Inspection)
}
