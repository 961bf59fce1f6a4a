package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/launch/clusters"
)

// far are flags that say where a run is made.
type far struct {
	on, site string
	collect  bool
	memory   string   // of tasks: as the site has it, or "x2" of that
	exclude  []string // nodes
}

func (f *far) flags(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.on, "on", onHere, "`WHERE` cells run: here, or "+
		strings.Join(clusters.Names(), " or ")+" (an array of tasks)")
	fs.StringVar(&f.site, "site", "", "`FILE` that says how the cluster is to be asked "+
		"(default $HANSA_SITE, or hansa/site.toml of your configuration)")
	fs.BoolVar(&f.collect, "collect", false,
		"on a cluster, one more job writes the tables once all tasks have ended")
	completeFlag(cmd, "on", engines()...)
}

// check refuses flags that make no sense.
func (f *far) check() error {
	if f.collect && f.on == onHere {
		return fmt.Errorf("--collect: a run here ends with its table; it goes with --on %s",
			strings.Join(clusters.Names(), " or --on "))
	}
	return oneOf("--on", f.on, engines())
}

// adapt changes what a site profile says for this one submission.
func (f *far) adapt(c launch.Cluster, site *launch.Site) error {
	site.Exclude = append(site.Exclude, f.exclude...)
	if err := site.SetMemory(f.memory); err != nil {
		return fmt.Errorf("--mem %w", err)
	}
	return c.Check(site)
}
