package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/audit"
	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/reports"
)

// auditFormats are the ways to print an audit.
var auditFormats = []string{"text", "json"}

func (c *command) auditCommand() *cobra.Command {
	var o overrides
	var format, data string
	cmd := &cobra.Command{
		Use:     "audit FILE",
		GroupID: "plan",
		Short:   "Say who trains, and what each method therefore optimises",
		Long: "For each method and setting, before any training: who trains and how often; " +
			"whether weights on cohorts can realise the importance p, and which clients prove " +
			"that they cannot; the importance p̃ that the method really optimises, how far that " +
			"is from p, and what it costs on a convex objective.",
		Example:           "  hansa audit experiments/fedavot/fig1a.toml",
		Args:              want(1, 1, "one FILE"),
		ValidArgsFunction: experimentFiles,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := oneOf("--format", format, auditFormats); err != nil {
				return err
			}
			x, err := load(args[0], &o, budget)
			if err != nil {
				return err
			}
			return faulty(c.audit(x, folders(data), format))
		},
	}
	o.flags(cmd)
	cmd.Flags().StringVar(&format, "format", "text", "`FORMAT` of the audit: text or json")
	dataFlag(cmd, &data)
	completeFlag(cmd, "format", auditFormats...)
	return cmd
}

// audit prints what is found of every method of an experiment, at every point of the sweep
// and for the first seed: laws and weights do not depend on seeds but through the data.
func (c *command) audit(x *experiment, folders []string, format string) error {
	in := reports.Audit{Title: x.spec.Title}
	o := engine.Options{Folders: folders, Pantry: engine.NewPantry(8)}
	for _, i := range x.arms() {
		setup, err := x.setup(i)
		if err != nil {
			return err
		}
		f, err := audit.Audit(x.cells[i], setup, o)
		if err != nil {
			return fmt.Errorf("%s: %w", name(x.cells[i]), err)
		}
		in.Findings = append(in.Findings, *f)
	}
	if format == "json" {
		return reports.AuditJSON(c.out, in)
	}
	width, _ := terminal(c.out)
	return reports.AuditText(c.out, in, reports.TextOptions{Width: width, Color: c.colorOn(c.out)})
}
