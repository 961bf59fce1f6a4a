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
		Short:   "Say which program this is: version, revision, Go, platform, kernels",
		Long: "Say which program this is: its version, the revision of its source and whether " +
			"that was modified, by which Go it was built and for which platform, which kernels " +
			"it multiplies with on this machine, and which strategies are compiled in. A " +
			"revision is known of what go build or go install made in a checkout, not of go " +
			"run. HANSA_ISA chooses other kernels; no result depends on them.",
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
