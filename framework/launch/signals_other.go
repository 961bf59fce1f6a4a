//go:build !unix

package launch

import "os"

// StopSignals returns the signals with which an engine stops a task.
func StopSignals() []os.Signal { return []os.Signal{os.Interrupt} }

// AskAgain returns nil: no signal asks a task to be started again.
func AskAgain() os.Signal { return nil }
