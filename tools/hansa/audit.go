package main

import (
	"cmp"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/view"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/reports/chart"
	"github.com/hansa-fl/hansa/reports/figure"
	"github.com/hansa-fl/hansa/reports/render"
	"github.com/hansa-fl/hansa/reports/table"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
	"github.com/hansa-fl/hansa/tools/hansa/console"
)

// auditFormats are the ways to print an audit.
var auditFormats = []string{"text", "json"}

// auditWidth is how wide an audit is where there is no terminal to ask.
const auditWidth = 100

// auditFlags say what is audited, and how that is printed.
type auditFlags struct {
	session.Overrides
	cli.AuditParts
	format, data, dir string
	width             int
	out               string
}

func (c *command) auditCommand() *cobra.Command {
	var f auditFlags
	cmd := &cobra.Command{
		Use:     "audit FILE|RUN",
		GroupID: "plan",
		Short:   "Predict participation, and the objective that each method optimises",
		Long:    cli.AuditLong,
		Example: "  hansa audit experiments/fedavot/fig1a.toml\n" +
			"  hansa audit fig1a --only method=FedAVOT\n" +
			"  hansa audit experiments/frontier/frontier.toml -o frontier.svg",
		Args:              cli.Want(1, 1, "one FILE or RUN"),
		ValidArgsFunction: cli.ExperimentFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			x, plan, run, err := c.audited(cmd, args[0], &f)
			if err != nil {
				return err
			}
			return fault.Of(c.audit(x, plan, run, &f))
		},
	}
	cli.OverrideFlags(cmd, &f.Overrides)
	cmd.Flags().StringVar(&f.format, "format", "text", "`FORMAT` of the audit: text or json")
	cmd.Flags().IntVar(&f.width, "width", 0,
		"`COLUMNS` of the text (default those of the terminal, else "+strconv.Itoa(auditWidth)+")")
	cmd.Flags().StringVar(&f.dir, "dir", "", "compare with the run in `FOLDER` (default runs/NAME)")
	f.Declare(cmd)
	cmd.Flags().StringVarP(&f.out, "output", "o", "",
		"draw the frontier, and methods as points, into `FILE`: .pdf, .svg or .png")
	cli.DataFlag(cmd, &f.data)
	cli.UnexaminedFlag(cmd, &f.Unexamined)
	cli.CompleteFlag(cmd, "format", auditFormats...)
	cli.CompleteFlag(cmd, "width")
	return cmd
}

// check refuses flags that make no sense.
func (f *auditFlags) check() error {
	if err := cli.CheckWidth(f.width); err != nil {
		return err
	}
	if err := f.AuditParts.Check(); err != nil {
		return err
	}
	if f.out != "" {
		if _, err := cli.FigureFormat(f.out, figure.Formats()); err != nil {
			return err
		}
	}
	return cli.OneOf("--format", f.format, auditFormats)
}

// audited returns what a command line asks to audit: an experiment file, or a run as it was
// planned; and the run of it.
func (c *command) audited(cmd *cobra.Command, arg string, f *auditFlags) (
	x *session.Experiment, plan *store.Plan, run store.Run, err error,
) {
	if !session.AsPlanned(arg) {
		x, err = c.Load(cmd.Context(), arg, &f.Overrides)
		if err != nil {
			return nil, nil, run, err
		}
		run.Dir = cmp.Or(f.dir, filepath.Join("runs", session.RunName(arg)))
		return x, x.Plan(""), run, nil
	}
	of := []string{"with", "set", "seeds", "dir", "unexamined"}
	if err := cli.Refuse(cmd, "a FILE", of); err != nil {
		return nil, nil, run, err
	}
	if run, plan, err = c.Open(arg); err != nil {
		return nil, nil, run, err
	}
	x, err = session.RebuildOnly(run, plan, f.Only, session.Budget)
	return x, plan, run, err
}

// audit prints what is found of every method of an experiment, at every point of the sweep,
// for the first seed; what is predicted, also for every seed that was trained.
func (c *command) audit(
	x *session.Experiment, plan *store.Plan, run store.Run, f *auditFlags,
) error {
	o := f.Options(session.Folders(x.Folder, f.data), f.out != "")
	in, err := view.Audit(x, c.Gather(run, plan, nil), o)
	if err != nil {
		return err
	}
	if f.out != "" {
		if err := c.drawFrontier(in, f.out); err != nil {
			return err
		}
	}
	if f.format == "json" {
		return render.AuditJSON(c.Out, *in)
	}
	width, _ := console.Terminal(c.Out)
	width = cmp.Or(f.width, width, auditWidth)
	return render.AuditText(c.Out, *in, render.TextOptions{Width: width, Color: c.ColorOn(c.Out)})
}

// drawFrontier draws the frontiers of an audit into a file.
func (c *command) drawFrontier(in *table.Audit, out string) error {
	drawn, err := chart.Frontier(in.Findings)
	if err != nil {
		return err
	}
	format, err := cli.FigureFormat(out, figure.Formats())
	if err != nil {
		return err
	}
	size, _ := figure.SizeNamed("column")
	return c.writeFigure(out, figure.Chart{Chart: drawn}, format, size, drawn.Note)
}
