package main

import (
	"context"
	"fmt"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/diagnose"
	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/launch/clusters"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/datasets"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
	"github.com/hansa-fl/hansa/tools/hansa/console"
)

// A doctor asks about one thing after another, and prints what is found.
type doctor struct {
	*command
	doctorFlags
	findings []diagnose.Finding
}

// doctorFlags say what is looked at.
type doctorFlags struct {
	on, site, data, format string
	timeout                time.Duration
}

// doctorFormats are the ways to print what was found.
var doctorFormats = []string{"text", "json"}

func (c *command) doctorCommand() *cobra.Command {
	d := &doctor{command: c}
	cmd := &cobra.Command{
		Use:     "doctor",
		GroupID: "look",
		Short:   "Check this machine, and a cluster",
		Long: "Check whether this machine has what runs need: this program, its kernels " +
			"and its numbers, processors and memory, data sets, a place for runs, " +
			"strategies.\n\nWith --on slurm the cluster is checked, too: its limits, and " +
			"whether it accepts tasks with the site profile. Two short tasks are submitted. " +
			"They report on which nodes they ran, whether numbers are the same there, " +
			"whether and how soon each sees the files of the other, whether they had the " +
			"requested processors and memory, and whether they are signalled before their " +
			"time limit. They take a few seconds and leave no files.\n\nEvery line says ok, " +
			"warn or fail, with what to do about it. The exit code is 1 where a line says " +
			"fail.",
		Example: "  hansa doctor\n  hansa doctor --on slurm --site gpu.toml",
		Args:    cli.Want(0, 0, "nothing but flags"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if d.timeout <= 0 {
				return fmt.Errorf("--timeout %v: want a time such as 5m", d.timeout)
			}
			if err := cli.OneOf("--on", d.on, engines()); err != nil {
				return err
			}
			if err := cli.OneOf("--format", d.format, doctorFormats); err != nil {
				return err
			}
			return d.visit(cmd.Context())
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&d.on, "on", onHere, "`WHERE` to look: here, or here and on a cluster with "+
		strings.Join(clusters.Names(), " or "))
	fs.StringVar(&d.site, "site", "", "`FILE` that says how the cluster is to be asked "+
		"(default $HANSA_SITE, or hansa/site.toml of your configuration)")
	cli.DataFlag(cmd, &d.data)
	fs.DurationVar(&d.timeout, "timeout", 5*time.Minute,
		"`TIME` that the two tasks may wait and run")
	fs.StringVar(&d.format, "format", "text", "`FORMAT`: text or json")
	cli.CompleteFlag(cmd, "on", engines()...)
	cli.CompleteFlag(cmd, "format", doctorFormats...)
	cli.CompleteFlag(cmd, "timeout", "5m", "1h")
	return cmd
}

// visit asks about everything, and reports it. The error is ErrFailed where something is wrong.
func (d *doctor) visit(ctx context.Context) error {
	m := &diagnose.Machine{Build: session.Build(), Data: session.Folders("", d.data),
		Cache: session.DataCache(), Sets: datasets.Known(), Runs: session.Real(runsFolder),
		Strategy: session.TryStrategy}
	m.Ask(ctx, d.note)
	var err error
	if d.on != onHere {
		err = d.cluster(ctx)
	}
	wrong := slices.ContainsFunc(d.findings,
		func(f diagnose.Finding) bool { return f.Level == diagnose.Fail })
	if d.format == "json" {
		if err := d.json(!wrong); err != nil {
			return err
		}
	}
	if err == nil && wrong {
		err = fault.ErrFailed
	}
	return err
}

// runsFolder is where runs are kept.
const runsFolder = "runs"

// cluster asks a cluster. The error is ErrInterrupted, or a mistake in the site profile.
func (d *doctor) cluster(ctx context.Context) error {
	c, file := clusters.Named(d.on), clusters.SiteFile(d.site)
	site, err := clusters.ReadSite(file, c)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, host.EndSignals()...)
	defer stop()
	p := &diagnose.Probing{Cluster: c, Site: site, Profile: session.FromSite(file),
		Runs: session.Real(runsFolder), Timeout: d.timeout, Say: d.Sayf,
		Command: func(program, folder string) []string {
			return []string{program, "task", "--probe", folder}
		}}
	p.Ask(ctx, d.note)
	if ctx.Err() != nil {
		d.Sayf("interrupted: the tasks are cancelled")
		return fault.ErrInterrupted
	}
	return nil
}

// note keeps what was found, and prints it as soon as it is known.
func (d *doctor) note(f diagnose.Finding) {
	d.findings = append(d.findings, f)
	if d.format == "json" {
		return
	}
	level := fmt.Sprintf("%-4s", f.Level)
	if f.Level == diagnose.Fail {
		level = d.Paint(d.Out, console.Red, level)
	}
	text := f.Found
	if f.Do != "" {
		text += "\n→ " + f.Do
	}
	// A reader that has closed the pipe does not need the rest either.
	_ = d.PrintText(console.Paragraph(fmt.Sprintf("%s  %-12s", level, f.What), text,
		console.Columns(d.Out)))
}

// json prints everything that was found.
func (d *doctor) json(ok bool) error {
	return d.PrintJSON(struct {
		OK     bool               `json:"ok"` // nothing is wrong
		Checks []diagnose.Finding `json:"checks"`
	}{ok, d.findings})
}
