package main

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/framework/study"
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
		Args:              want(0, 1<<20, "any number of PATHs"),
		ValidArgsFunction: sources,
		RunE: func(_ *cobra.Command, args []string) error {
			schema, err := schemaWith(args)
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
			if err := replaceFile(out, write); err != nil {
				return fault.Unstorable(filepath.Dir(out), err)
			}
			c.Sayf("wrote %s", out)
			return nil
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "-", "write into `FILE`; - is standard output")
	return cmd
}

// schemaWith returns the schema of experiments that may name strategies, too: those at some
// paths, and those of the experiments among them.
func schemaWith(paths []string) (map[string]any, error) {
	var files []study.Plugin
	add := func(p study.Plugin) {
		if !slices.ContainsFunc(files, func(f study.Plugin) bool { return f.Path == p.Path }) {
			files = append(files, p)
		}
	}
	for _, path := range paths {
		if toolbox.IsStrategy(path) {
			add(study.Plugin{Path: path})
			continue
		}
		spec, err := study.Read(path, study.Overrides{})
		if errors.As(err, new(*fs.PathError)) {
			return nil, session.Unreadable(path, err)
		}
		if spec == nil { // it may have mistakes: an editor is where they are mended
			return nil, err
		}
		for _, p := range spec.Plugins {
			add(p)
		}
	}
	t, err := toolbox.Open(files, session.Budget)
	if err != nil {
		return nil, err
	}
	return t.Registry.Schema(), nil
}
