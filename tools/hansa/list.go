package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/builtin"
	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/plugins/samples"
	"github.com/hansa-fl/hansa/registry"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
	"github.com/hansa-fl/hansa/tools/hansa/console"
)

func (c *command) listCommand() *cobra.Command {
	var badges bool
	cmd := &cobra.Command{
		Use:     "list [KIND]",
		GroupID: "look",
		Short:   "List the components that experiments can name",
		Long: "List the components that experiments can name, kind by kind. Samples are " +
			"strategies from the literature: hansa new --from copies one into a folder, and " +
			"an experiment names it in plugins.\n\nWith --verified the list has the kinds of " +
			"evidence that tests have of each component, beyond the contract, which all " +
			"components pass: " + evidenceMeanings() + ". hansa describe NAME names the tests.",
		Example: "  hansa list\n  hansa list aggregator\n  hansa list aggregator --verified",
		Args:    cli.Want(0, 1, "at most one KIND"),
		ValidArgsFunction: cli.First(func() []string { return cli.KindNames(toolbox.Menu()) },
			cobra.ShellCompDirectiveNoFileComp),
		RunE: func(_ *cobra.Command, args []string) error {
			kinds := toolbox.Menu()
			if len(args) == 1 {
				k, err := cli.FindKind(kinds, args[0])
				if err != nil {
					return err
				}
				kinds = []registry.Kind{k}
			}
			if badges {
				return c.listVerified(kinds)
			}
			return c.list(kinds)
		},
	}
	cmd.Flags().BoolVar(&badges, "verified", false, "list what tests show of each component")
	return cmd
}

// evidenceMeanings explains the kinds of evidence in one sentence.
func evidenceMeanings() string {
	var all []string
	for _, k := range builtin.EvidenceKinds() {
		all = append(all, k[0]+" ("+k[1]+")")
	}
	return strings.Join(all, ", ")
}

// listVerified prints the components of some kinds for which there is evidence, with its kinds, and
// how many have none.
func (c *command) listVerified(kinds []registry.Kind) error {
	longest, verified, all := 0, 0, 0
	for _, k := range kinds {
		for _, e := range k.Entries {
			longest = max(longest, len(e.Name))
		}
	}
	var b strings.Builder
	for _, k := range kinds {
		var rows [][]string
		for _, e := range k.Entries {
			if badge := builtin.Badge(e.Kind, e.Name); badge != "" {
				rows = append(rows, []string{fmt.Sprintf("%-*s", longest, e.Name), badge})
			}
		}
		verified, all = verified+len(rows), all+len(k.Entries)
		if len(rows) > 0 {
			fmt.Fprintf(&b, "%s\n", c.Paint(c.Out, console.Bold, k.Name))
			b.WriteString(console.Grid(rows, console.Margin, console.Margin,
				console.Columns(c.Out)) + "\n")
		}
	}
	fmt.Fprintf(&b, "%d of %d components are verified: they pass the contract, and tests show "+
		"what is listed.\n", verified, all)
	return c.PrintText(b.String())
}

// list prints the components of some kinds. Names are aligned over all kinds.
func (c *command) list(kinds []registry.Kind) error {
	longest := 0
	for _, k := range kinds {
		for _, e := range k.Entries {
			longest = max(longest, len(e.Name))
		}
	}
	var b strings.Builder
	for i, k := range kinds {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s — %s\n", c.Paint(c.Out, console.Bold, k.Name), k.Meaning)
		var rows [][]string
		for _, e := range k.Entries {
			rows = append(rows, []string{fmt.Sprintf("%-*s", longest, e.Name), e.Summary})
		}
		for _, s := range samples.Of(k.Name) {
			rows = append(rows, []string{fmt.Sprintf("%-*s", longest, s.Name),
				s.Summary + " (sample: hansa new --from " + s.Folder + ")"})
		}
		b.WriteString(console.Grid(rows, console.Margin, console.Margin, console.Columns(c.Out)))
	}
	return c.PrintText(b.String())
}
