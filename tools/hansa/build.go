package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session/exam"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
)

func (c *command) buildCommand() *cobra.Command {
	var with []string
	var out string
	cmd := &cobra.Command{
		Use:     "build --with PATH…",
		GroupID: "plan",
		Short:   "Build a hansa with strategies compiled in",
		Long: "Build a hansa with strategies compiled in, for machines without a Go " +
			"toolchain. Building takes a Go toolchain; the source of hansa is part of this " +
			"program.\n\nThe new program uses the compiled code where an experiment names a " +
			"file or folder with exactly that code. Results are the same bits. A strategy " +
			"whose file has changed is interpreted, or compiled again where there is a " +
			"toolchain.",
		Example: "  hansa build --with mine -o hansa-mine\n  ./hansa-mine run mine/mine.toml",
		Args:    cli.Want(0, 0, "nothing but flags"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(with) == 0 {
				return errors.New("--with PATH: name a strategy to compile")
			}
			if err := c.build(cmd.Context(), with, out); err != nil {
				return err
			}
			c.Sayf("%s has %s compiled in", out, strings.Join(with, ", "))
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&with, "with", nil,
		"compile the strategy at `PATH`, a Go file or a folder")
	cmd.Flags().StringVarP(&out, "output", "o", "hansa-with", "write the program to `FILE`")
	return cmd
}

// build writes a program with strategies compiled in.
func (c *command) build(ctx context.Context, with []string, out string) error {
	list, err := toolbox.Interpret(with, exam.Budget) // what cannot be interpreted is not built
	if err != nil {
		return err
	}
	made, err := list.Compile(ctx, false)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(made)
	if err != nil {
		return fault.Of(err)
	}
	if runtime.GOOS == "windows" && filepath.Ext(out) == "" {
		out += ".exe"
	}
	_ = os.Remove(out) // one that runs can be removed, and not overwritten
	return fault.Of(os.WriteFile(out, content, 0o777))
}
