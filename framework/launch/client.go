package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// A Client asks a cluster by the commands of that.
type Client struct {
	About *About
	// Run runs a command and returns what it writes; an error is that of a command that did not
	// succeed. nil: a process, for at most 30 seconds.
	Run func(ctx context.Context, stdin, name string, args ...string) (
		stdout, stderr string, err error)
	// Environ returns the environment of such a process from that of this one, without what would
	// change the question.
	Environ func(env []string) []string
	// What commands write that did not succeed: Unanswered where the controller could not be
	// asked, and else Refused where they have themselves said no.
	Unanswered, Refused []string
}

const patience = 30 * time.Second // with one command

// Ask runs a command and returns its output. An error says what the command said. It is
// ErrUnreachable or ErrRefused, too, where it is, or that of ctx.
func (c *Client) Ask(ctx context.Context, stdin, name string, args ...string) (string, error) {
	run := c.Run
	if run == nil {
		run = c.execute
	}
	out, said, err := run(ctx, stdin, name, args...)
	if err == nil {
		return out, nil
	}
	if ctx.Err() != nil {
		return "", fmt.Errorf("%s: %s: %w", c.About.Name, name, ctx.Err())
	}
	return "", &refusal{c, name, said, err}
}

// execute runs a command as a process.
func (c *Client) execute(ctx context.Context, stdin, name string, args ...string) (
	stdout, stderr string, err error,
) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second // a child of its own may hold the pipe
	cmd.Env = c.Environ(os.Environ())
	cmd.Stdin = strings.NewReader(stdin)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err = cmd.Run(); err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return out.String(), said.String(), err
}

// A refusal is the error of a command that did not succeed.
type refusal struct {
	*Client
	name, said string
	err        error
}

// Error says what the command said, without its prefixes, in one line.
func (r *refusal) Error() string {
	if errors.Is(r.err, exec.ErrNotFound) {
		return fmt.Sprintf("%s: there is no %s here: is this a node of a cluster with %s?",
			r.About.Name, r.name, r.About.Title)
	}
	var said []string
	for line := range strings.Lines(r.said) {
		line = strings.TrimPrefix(strings.TrimSpace(line), r.name+": ")
		if line = strings.TrimPrefix(line, "error: "); line != "" {
			said = append(said, line)
		}
	}
	if len(said) == 0 {
		return fmt.Sprintf("%s: %s: %v", r.About.Name, r.name, r.err)
	}
	return fmt.Sprintf("%s: %s: %s", r.About.Name, r.name, strings.Join(said, "; "))
}

// Unwrap makes an error ErrUnreachable or ErrRefused, too, where it is.
func (r *refusal) Unwrap() []error {
	has := func(words string) bool { return strings.Contains(r.said, words) }
	switch {
	case errors.Is(r.err, context.DeadlineExceeded), slices.ContainsFunc(r.Unanswered, has):
		return []error{r.err, ErrUnreachable}
	case slices.ContainsFunc(r.Refused, has):
		return []error{r.err, ErrRefused}
	}
	return []error{r.err}
}
