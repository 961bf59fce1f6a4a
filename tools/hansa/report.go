package main

import (
	"bytes"
	"cmp"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/view"
	"github.com/hansa-fl/hansa/reports/page"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
)

// reportFlags say what a page is like.
type reportFlags struct {
	view.PageOptions
	out string
}

func (c *command) reportCommand() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:     "report RUN",
		GroupID: "result",
		Short:   "Write everything about a run into one HTML page",
		Long: "Write everything about a run into one HTML file that needs neither the " +
			"run nor a network: tables that can be sorted, paired differences, curves of " +
			"every metric, participation and weights of clients, the partition of samples, " +
			"recorded arrays, sample text of models of text, settings, failed training runs " +
			"with the command that repeats them, and the origin of all of it. Tables can be " +
			"read without JavaScript. The " +
			"same run gives the same file, byte by byte.\n\nThe parts about clients are " +
			"computed again from the plan, which may need the data; --results-only leaves " +
			"them out.\n\n" + cli.RunArgument,
		Example: "  hansa report quickstart\n" +
			"  hansa report quickstart -o paper/supplement.html",
		Args:              cli.Want(1, 1, "one RUN"),
		ValidArgsFunction: cli.First(session.RunNames, cobra.ShellCompDirectiveDefault),
		RunE: func(_ *cobra.Command, args []string) error {
			return c.report(args[0], &f)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.out, "output", "o", "", "write `FILE` (default RUN.html)")
	flags.StringVar(&f.Baseline, "baseline", "",
		"compare with `METHOD` (default the baseline of the report)")
	flags.BoolVar(&f.ResultsOnly, "results-only", false,
		"leave out what is made again: clients, and how they participate")
	cli.DataFlag(cmd, &f.Data)
	return cmd
}

// report writes the page of a run.
func (c *command) report(arg string, f *reportFlags) error {
	run, plan, err := c.Open(arg)
	if err != nil {
		return err
	}
	p, err := view.Page(&view.Subject{Session: c.Session, Run: run, Plan: plan}, &f.PageOptions)
	if err != nil {
		return err
	}
	out := cmp.Or(f.out, p.Name+".html")
	var b bytes.Buffer
	err = page.Write(&b, p)
	if err == nil {
		err = host.Replace(out, func(w io.Writer) error {
			_, err := w.Write(b.Bytes())
			return err
		})
	}
	if err != nil {
		return fault.Unstorable(filepath.Dir(out), err)
	}
	c.Sayf("wrote %s: %s", out, host.Bytes(float64(b.Len())))
	_, err = io.WriteString(c.Out, p.Continuations())
	return err
}
