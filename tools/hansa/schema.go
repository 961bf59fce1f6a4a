package main

import (
	"encoding/json"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
)

func (c *command) schemaCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:     "schema [PATH…]",
		GroupID: "plan",
		Short:   "Write a JSON Schema of experiment files, for editors",
		Long: "Write a JSON Schema, draft 2020-12, of experiment files: every key, every " +
			"component, and of every parameter its range, default and meaning. A PATH is a " +
			"strategy, a Go file or a folder, or an experiment, of which the strategies are " +
			"meant. Editors complete and check by it where the first line of an experiment " +
			"names it, as \"#:schema experiment.schema.json\" does for Tombi and Even Better " +
			"TOML. What depends on several places at once, hansa check finds.",
		Example: "  hansa schema -o experiment.schema.json\n" +
			"  hansa schema mine.go -o experiment.schema.json",
		Args:              cli.Want(0, 1<<20, "any number of PATHs"),
		ValidArgsFunction: cli.Sources,
		RunE: func(_ *cobra.Command, args []string) error {
			schema, err := session.Schema(args)
			if err != nil {
				return err
			}
			write := func(w io.Writer) error {
				encoder := json.NewEncoder(w)
				encoder.SetIndent("", " ")
				encoder.SetEscapeHTML(false)
				return encoder.Encode(schema)
			}
			if out == "-" {
				return fault.Of(write(c.Out))
			}
			if err := host.Replace(out, write); err != nil {
				return fault.Unstorable(filepath.Dir(out), err)
			}
			c.Sayf("wrote %s", out)
			return nil
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "-", "write into `FILE`; - is standard output")
	return cmd
}
