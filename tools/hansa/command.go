package main

import (
	"context"
	"io"
	"strconv"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/datasets"
	"github.com/hansa-fl/hansa/tools/hansa/console"
)

const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// exitCodes says what the exit codes mean.
func exitCodes() [][]string {
	return [][]string{
		{strconv.Itoa(exitOK), "all went well"},
		{strconv.Itoa(exitFailed), "some training runs failed, or something could not be read " +
			"or stored"},
		{strconv.Itoa(exitUsage), "a mistake in the command or the experiment; nothing was run"},
		{strconv.Itoa(exitInterrupted), "interrupted; what is finished is stored"},
	}
}

// command is what the subcommands share: a session, and where it is heard.
type command struct {
	*session.Session
	*console.Console

	// pause waits before a download is tried again.
	pause func(ctx context.Context, failures int) error
}

// newCommand returns a command that prints results and says the rest.
func newCommand(out, errOut io.Writer) *command {
	t := &console.Console{Out: out, Err: errOut}
	return &command{Session: &session.Session{Listener: t}, Console: t, pause: datasets.Pause}
}

// bold paints a text in results.
func (c *command) bold(text string) string { return c.Paint(c.Out, console.Bold, text) }
