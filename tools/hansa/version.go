package main

import (
	"cmp"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
	"github.com/hansa-fl/hansa/tools/hansa/console"
)

func (c *command) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		GroupID: "look",
		Short:   "Print version, revision, Go, platform and kernels",
		Long: "Print the version of this program, the revision of its source and whether " +
			"it was modified, the version of Go, the platform, the kernels used on this " +
			"machine, and the strategies that are compiled in. The revision is known for " +
			"programs that go build or go install made in a checkout, not for go run. " +
			"HANSA_ISA chooses other kernels; results do not depend on them.",
		Example: "  hansa version",
		Args:    cli.Want(0, 0, "no arguments"),
		RunE:    func(*cobra.Command, []string) error { return c.PrintText(thisVersion().text()) },
	}
}

// A version says which program this is.
type version struct {
	store.Build
	module  string // version of its module
	kernels string // in use
}

func thisVersion() version {
	v := version{Build: session.Build(), kernels: kernel.ISA()}
	if info, ok := debug.ReadBuildInfo(); ok {
		v.module = info.Main.Version
	}
	return v
}

// text returns a line for everything that is said of a program.
func (v version) text() string {
	revision := cmp.Or(v.Revision, "unknown")
	if v.Modified {
		revision += ", dirty"
	}
	rows := [][]string{
		{"version", cmp.Or(v.module, "(devel)")},
		{"revision", revision},
		{"go", v.Go},
		{"platform", v.Platform},
		{"kernels", v.kernels},
	}
	if len(v.Compiled) > 0 {
		rows = append(rows, []string{"compiled in", strings.Join(v.Compiled, ", ")})
	}
	return "hansa\n" + console.Grid(rows, console.Margin, console.Gutter, console.WidestText)
}
