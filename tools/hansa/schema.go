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
		Long: "Write a JSON Schema (draft 2020-12) of experiment files: every key and " +
			"component, and the range, default and meaning of every parameter. It includes " +
			"the strategies of each PATH, which is a Go file, a folder, or an experiment " +
			"that names strategies.\n\nEditors complete and check an experiment whose first " +
			"line names the schema: \"#:schema experiment.schema.json\" for Tombi and Even " +
			"Better TOML. Mistakes that depend on several values at once are found by hansa " +
			"check.",
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
