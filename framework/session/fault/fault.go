// Package fault is how commands end that are not well: errors that are no mistake of the user's,
// and those that say that all has been said.
package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrFailed ends a command that has said all there is to say: some cells failed.
var ErrFailed = errors.New("some training runs failed")

// ErrInterrupted ends a command that was interrupted and has said so.
var ErrInterrupted = errors.New("interrupted")

// A Fault is an error that is no mistake of the user's: a full disk, data that are not
// there.
type Fault struct{ error }

// Unwrap returns what went wrong.
func (f Fault) Unwrap() error { return f.error }

// Of returns an error that is not nil as a fault.
func Of(err error) error {
	if err == nil {
		return nil
	}
	return Fault{err}
}

// Unstored says why nothing can be stored in a folder.
type Unstored struct {
	dir string
	error
}

// Error implements error.
func (u *Unstored) Error() string {
	return fmt.Sprintf("nothing can be stored in %s: %v", u.dir, u.error)
}

// Unwrap returns what is wrong.
func (u *Unstored) Unwrap() error { return u.error }

// Unstorable says why nothing can be stored in a folder.
func Unstorable(dir string, err error) error { return Fault{&Unstored{dir, Cause(err)}} }

// Cause returns what is wrong with a file, without the name of the file.
func Cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// ErrSaved ends a run whose experiment, or a strategy of it, was saved.
var ErrSaved = errors.New("saved")
