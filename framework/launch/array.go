package launch

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/session/phrase"
)

// An Array is what is submitted: tasks that run the same program, or one job.
type Array struct {
	Site    *Site
	Name    string // letters, digits and ._-; by it everything is found again
	Comment string
	Log     string // folder of what tasks write, INDEX.log; it is made
	Tasks   int    // how many; 0: one job without an index, whose log is job.log
	// Command is the program of a task, with the whole of its path, and its arguments. A task
	// has two more: --index, and its number from 0.
	Command []string
	Env     map[string]string // of the program, beside that of the submitting user
	After   string            // id of what has to end before, in any way; "": nothing
}

var (
	plain    = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)
	variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	jobID    = regexp.MustCompile(`^[][A-Za-z0-9._-]+$`)
)

// check says what is wrong with what is to be submitted to a cluster of some name.
func (a *Array) check(cluster string) error {
	switch {
	case !plain.MatchString(a.Name):
		return fmt.Errorf("%s: %q is no name of letters, digits and ._-", cluster, a.Name)
	case a.Tasks < 0:
		return fmt.Errorf("%s: %d tasks", cluster, a.Tasks)
	case len(a.Command) == 0:
		return errors.New(cluster + ": there is no command")
	case !filepath.IsAbs(a.Log):
		return fmt.Errorf("%s: the folder %q of logs is not the whole of a path", cluster, a.Log)
	case strings.ContainsAny(a.Log, "\\\n"):
		return fmt.Errorf("%s: the path %q has characters that clusters do not take in names of "+
			"logs", cluster, a.Log)
	case a.After != "" && !jobID.MatchString(a.After):
		return fmt.Errorf("%s: %q is no id of a job", cluster, a.After)
	}
	for name := range a.Env {
		if !variable.MatchString(name) {
			return fmt.Errorf("%s: %q is no name of a variable", cluster, name)
		}
	}
	if slices.ContainsFunc(append(slices.Collect(maps.Values(a.Env)), a.Command...),
		func(text string) bool { return strings.ContainsRune(text, 0) }) {
		return errors.New(cluster + ": the command or its environment has a NUL")
	}
	return nil
}

// Script returns what a task runs: a script of the POSIX shell that becomes the program, so that
// signals reach it. The cluster says the index of the task, and how many processors it has, in two
// variables of the environment.
func (a *Array) Script(index, processors string) string {
	var b strings.Builder
	b.WriteString("#!/bin/sh\n")
	for _, line := range a.Site.Setup {
		b.WriteString(line + "\n")
	}
	fmt.Fprintf(&b, "export GOMAXPROCS=\"${%s:-1}\" GOTRACEBACK=all\n", processors)
	for _, name := range slices.Sorted(maps.Keys(a.Env)) {
		fmt.Fprintf(&b, "export %s=%s\n", name, phrase.Quoted(a.Env[name]))
	}
	b.WriteString("exec")
	for _, arg := range a.Command {
		b.WriteString(" " + phrase.Quoted(arg))
	}
	if a.Tasks > 0 {
		fmt.Fprintf(&b, " --index \"$%s\"", index)
	}
	b.WriteString("\n")
	return b.String()
}
