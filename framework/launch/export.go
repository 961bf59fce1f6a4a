package launch

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hansa-fl/hansa/framework/session/phrase"
)

// Exit codes of tasks, for the engines that start them, beside those of all commands.
const (
	ExitPlan    = 65 // there is nothing that could be run: do not try again
	ExitStorage = 74 // something could not be read or stored: try again later
	ExitResume  = 75 // stopped from outside; what was done is safe
)

// An Export is a submission whose tasks are started by an engine to which hansa does not speak.
type Export struct {
	Program, Run string // whole paths
	Submission   string // a name of letters, digits and hyphens
	Tasks        int
	CPUs         int // of each task
}

// Command returns the command line of a task but for its index, for a shell.
func (e *Export) Command() string {
	return fmt.Sprintf("%s task --run %s --submission %s", phrase.Quoted(e.Program),
		phrase.Quoted(e.Run), e.Submission)
}

// CheckPath refuses a path that not every shell and parser reads as it is.
func CheckPath(path string) error {
	if !utf8.ValidString(path) || strings.ContainsFunc(path, unicode.IsControl) {
		return fmt.Errorf("the path %q has control characters or is no UTF-8; keep the run "+
			"elsewhere with --dir", path)
	}
	return nil
}
