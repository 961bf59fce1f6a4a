package launch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
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
	Env     map[string]string // of the program, beside that of whoever submits
	After   string            // id of what has to end before, in any way; "": nothing
}

var (
	plain    = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)
	variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	number   = regexp.MustCompile(`^[0-9]+$`)
)

// check says what is wrong with what is to be submitted.
func (a *Array) check() error {
	if err := a.Site.Check(); err != nil {
		return err
	}
	switch {
	case !plain.MatchString(a.Name):
		return fmt.Errorf("slurm: %q is no name of letters, digits and ._-", a.Name)
	case a.Tasks < 0:
		return fmt.Errorf("slurm: %d tasks", a.Tasks)
	case len(a.Command) == 0:
		return errors.New("slurm: there is no command")
	case !filepath.IsAbs(a.Log):
		return fmt.Errorf("slurm: the folder %q of logs is not the whole of a path", a.Log)
	case strings.ContainsAny(a.Log, "\\\n"):
		return fmt.Errorf("slurm: the path %q has characters that Slurm does not take in names "+
			"of logs", a.Log)
	case a.After != "" && !number.MatchString(a.After):
		return fmt.Errorf("slurm: %q is no id of a job", a.After)
	}
	for name := range a.Env {
		if !variable.MatchString(name) {
			return fmt.Errorf("slurm: %q is no name of a variable", name)
		}
	}
	if slices.ContainsFunc(append(slices.Collect(maps.Values(a.Env)), a.Command...),
		func(text string) bool { return strings.ContainsRune(text, 0) }) {
		return errors.New("slurm: the command or its environment has a NUL")
	}
	return nil
}

// Script returns what a task runs: a script of the POSIX shell that becomes the program, so that
// signals reach it.
func (a *Array) Script() string {
	var b strings.Builder
	b.WriteString("#!/bin/sh\n")
	for _, line := range a.Site.Setup {
		b.WriteString(line + "\n")
	}
	b.WriteString("export GOMAXPROCS=\"${SLURM_CPUS_PER_TASK:-1}\" GOTRACEBACK=all\n")
	for _, name := range slices.Sorted(maps.Keys(a.Env)) {
		fmt.Fprintf(&b, "export %s=%s\n", name, quote(a.Env[name]))
	}
	b.WriteString("exec")
	for _, arg := range a.Command {
		b.WriteString(" " + quote(arg))
	}
	if a.Tasks > 0 {
		b.WriteString(` --index "$SLURM_ARRAY_TASK_ID"`)
	}
	b.WriteString("\n")
	return b.String()
}

// quote returns a text as one word of the shell.
func quote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// options returns the options of sbatch.
func (a *Array) options() []string {
	o := append([]string{"--parsable", "--job-name=" + a.Name}, a.Site.options()...)
	log := "job.log"
	if a.Tasks > 0 {
		log = "%a.log"
		o = append(o, fmt.Sprintf("--array=0-%d%%%d", a.Tasks-1, a.Site.Full().Throttle))
	}
	o = append(o, "--output="+strings.ReplaceAll(a.Log, "%", "%%")+"/"+log)
	if a.Comment != "" {
		o = append(o, "--comment="+a.Comment)
	}
	if a.After != "" {
		o = append(o, "--dependency=afterany:"+a.After)
	}
	return o
}

const (
	tries   = 3
	respite = 2 * time.Second // after the first try, and twice as long after every next one
)

// Submit submits an array and returns its id. What fails may have got through: its name tells,
// and nothing is submitted again before Slurm has said that it is not there. When it cannot be
// asked the error is ErrUnreachable, and the name tells later.
func (s *Slurm) Submit(ctx context.Context, a *Array) (id string, err error) {
	if err := a.check(); err != nil {
		return "", err
	}
	if err := os.MkdirAll(a.Log, 0o755); err != nil {
		return "", err
	}
	open := false // an earlier try may have got through
	for try := range tries {
		if !open {
			if id, err = s.submit(ctx, a); err == nil {
				return id, nil
			}
		}
		if !refused(err) { // the controller may be about to take it
			if over := pause(ctx, respite<<try); over != nil {
				return "", fmt.Errorf("%w; whether %s was submitted was not asked: %w",
					err, a.Name, over)
			}
		}
		found, unknown := s.find(ctx, a.Name)
		open = unknown != nil
		if found != "" {
			return found, nil
		}
		if !open && refused(err) {
			return "", err
		}
	}
	if open {
		return "", fmt.Errorf("%w; whether %s was submitted cannot be asked: %w",
			err, a.Name, ErrUnreachable)
	}
	return "", fmt.Errorf("%w; %s is not submitted after %d tries", err, a.Name, tries)
}

// submit submits an array once.
func (s *Slurm) submit(ctx context.Context, a *Array) (id string, err error) {
	out, err := s.ask(ctx, a.Script(), "sbatch", a.options()...)
	if err != nil {
		return "", err
	}
	// What a site's plug-ins have to say may come before; a cluster's name may follow.
	lines := strings.Split(strings.TrimSpace(out), "\n")
	id, _, _ = strings.Cut(lines[len(lines)-1], ";")
	if !number.MatchString(id) {
		return "", fmt.Errorf("slurm: sbatch says %q, which is no id of a job", out)
	}
	return id, nil
}

// refused reports whether sbatch has itself said that it does not submit.
func refused(err error) bool {
	var r *refusal
	if !errors.As(err, &r) || r.unanswered() {
		return false
	}
	return strings.Contains(r.said, "error: ") || strings.Contains(r.said, "fatal: ") ||
		strings.Contains(r.said, "option")
}

// find returns the id of what has a name: the first, if there are several.
func (s *Slurm) find(ctx context.Context, name string) (id string, err error) {
	states, err := s.States(ctx, []string{name})
	first := 0
	for _, t := range states {
		if n, bad := strconv.Atoi(t.Job); bad == nil && (id == "" || n < first) {
			id, first = t.Job, n
		}
	}
	return id, err
}

// pause waits, or returns the error of ctx.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
