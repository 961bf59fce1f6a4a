package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Slurm is a cluster that is used by its commands, of version 21.08 or later. Its zero value is
// the one that the commands on the PATH speak to.
type Slurm struct {
	// Command runs a command and returns what it writes; an error is that of a command that did
	// not succeed. nil: a process, for at most 30 seconds, with the environment of this one but
	// for what would change the question.
	Command func(ctx context.Context, stdin, name string, args ...string) (
		stdout, stderr string, err error)
}

// ErrUnreachable is the error of a question that Slurm did not answer, so that nothing is known:
// its controller is down or restarts, or is too busy.
var ErrUnreachable = errors.New("the controller of Slurm does not answer")

const patience = 30 * time.Second // with one command

// A refusal is the error of a command that did not succeed.
type refusal struct {
	name, said string
	err        error
}

// Error says what the command said, without its prefixes, in one line.
func (r *refusal) Error() string {
	if errors.Is(r.err, exec.ErrNotFound) {
		return fmt.Sprintf("slurm: there is no %s here: is this a node of a cluster with Slurm?",
			r.name)
	}
	var said []string
	for line := range strings.Lines(r.said) {
		line = strings.TrimPrefix(strings.TrimSpace(line), r.name+": ")
		if line = strings.TrimPrefix(line, "error: "); line != "" {
			said = append(said, line)
		}
	}
	if len(said) == 0 {
		return fmt.Sprintf("slurm: %s: %v", r.name, r.err)
	}
	return fmt.Sprintf("slurm: %s: %s", r.name, strings.Join(said, "; "))
}

// Unwrap makes an error ErrUnreachable, too, where it is.
func (r *refusal) Unwrap() []error {
	if r.unanswered() {
		return []error{r.err, ErrUnreachable}
	}
	return []error{r.err}
}

// unanswered reports whether it was the controller that could not be asked. The words are those
// of Slurm's errors of communication, in src/common/slurm_errno.c.
func (r *refusal) unanswered() bool {
	if errors.Is(r.err, context.DeadlineExceeded) {
		return true
	}
	for _, words := range []string{
		"Unable to contact slurm controller", "Socket timed out", "Zero Bytes were transmitted",
		"Connection refused", "Connection timed out", "onnection failure", "standby mode",
		"Message receive failure", "Message send failure", "Resource temporarily unavailable",
		"Munge encode failed", "Protocol authentication error",
	} {
		if strings.Contains(r.said, words) {
			return true
		}
	}
	return false
}

// ask runs a command and returns its output. An error is a *refusal, or that of ctx.
func (s *Slurm) ask(ctx context.Context, stdin, name string, args ...string) (string, error) {
	command := s.Command
	if command == nil {
		command = execute
	}
	out, said, err := command(ctx, stdin, name, args...)
	if err == nil {
		return out, nil
	}
	if ctx.Err() != nil {
		return "", fmt.Errorf("slurm: %s: %w", name, ctx.Err())
	}
	return "", &refusal{name, said, err}
}

// execute runs a command as a process.
func execute(ctx context.Context, stdin, name string, args ...string) (
	stdout, stderr string, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second // a child of its own may hold the pipe
	cmd.Env = asked(os.Environ())
	cmd.Stdin = strings.NewReader(stdin)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err = cmd.Run(); err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return out.String(), said.String(), err
}

// asked returns an environment without what would change the questions of this package: a
// user's filters and formats, and to wait for the end of what is submitted. Lists of tasks come
// whole.
func asked(env []string) []string {
	kept := []string{"SLURM_BITSTR_LEN=0"}
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		change := name == "SBATCH_WAIT" || name == "SLURM_BITSTR_LEN"
		for _, program := range []string{"SQUEUE_", "SCANCEL_", "SACCT_"} {
			change = change || strings.HasPrefix(name, program)
		}
		if !change {
			kept = append(kept, e)
		}
	}
	return kept
}

// Limits is what a cluster allows.
type Limits struct {
	Version    string        // as "22.05.8"
	ArraySize  int           // tasks of an array; 0: it has no arrays
	ArrayTasks int           // tasks of an array that the scheduler allows; 0: as many
	Requeue    bool          // a task that has lost its node starts again
	Signalled  bool          // a task that is preempted is told at once
	Accounting bool          // what became of tasks is kept for good
	KillWait   time.Duration // from SIGTERM to SIGKILL
	MinJobAge  time.Duration // for which a task that has ended is listed
}

// Limits asks for what the cluster allows.
func (s *Slurm) Limits(ctx context.Context) (Limits, error) {
	out, err := s.ask(ctx, "", "scontrol", "show", "config")
	if err != nil {
		return Limits{}, err
	}
	has := map[string]string{}
	for line := range strings.Lines(out) {
		if key, value, ok := strings.Cut(line, "="); ok {
			has[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	l := Limits{Version: has["SLURM_VERSION"], Requeue: has["JobRequeue"] == "1",
		Signalled:  holds(has["SlurmctldParameters"], "preempt_send_user_signal"),
		Accounting: has["AccountingStorageType"] == "accounting_storage/slurmdbd",
		KillWait:   seconds(has["KillWait"]), MinJobAge: seconds(has["MinJobAge"])}
	if l.ArraySize, err = strconv.Atoi(has["MaxArraySize"]); err != nil {
		return Limits{}, fmt.Errorf("slurm: scontrol show config says MaxArraySize is %q",
			has["MaxArraySize"])
	}
	for _, p := range strings.Split(has["SchedulerParameters"], ",") {
		if n, ok := strings.CutPrefix(p, "max_array_tasks="); ok {
			l.ArrayTasks, _ = strconv.Atoi(n) // no number: Slurm takes no notice of it either
		}
	}
	return l, nil
}

// holds reports whether a list with commas has a word.
func holds(list, word string) bool {
	return strings.Contains(","+list+",", ","+word+",")
}

// seconds reads what is written as "30 sec"; 0 where it is not.
func seconds(text string) time.Duration {
	number, _, _ := strings.Cut(text, " ")
	n, _ := strconv.Atoi(number)
	return time.Duration(n) * time.Second
}

// Tasks returns how many tasks an array may have, at least 1.
func (l Limits) Tasks(site *Site) int {
	most := l.ArraySize
	for _, n := range []int{l.ArrayTasks, site.MaxTasks} {
		if n > 0 {
			most = min(most, n)
		}
	}
	return max(most, 1)
}
