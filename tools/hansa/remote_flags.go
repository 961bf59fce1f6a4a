package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/launch/clusters"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
)

// remoteFlags are flags that say where a run is made.
type remoteFlags struct {
	on, site string
	collect  bool
	memory   string   // of tasks: as the site has it, or "x2" of that
	exclude  []string // nodes
}

func (f *remoteFlags) flags(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.on, "on", onHere, "`WHERE` training runs are made: here, or "+
		strings.Join(clusters.Names(), " or ")+" (an array of tasks)")
	fs.StringVar(&f.site, "site", "", "`FILE` with the site profile: how tasks are submitted to "+
		"the cluster "+
		"(default $HANSA_SITE, or hansa/site.toml of your configuration)")
	fs.BoolVar(&f.collect, "collect", false,
		"on a cluster, one more job writes the tables once all tasks have ended")
	cli.CompleteFlag(cmd, "on", engines()...)
}

// check refuses flags that make no sense.
func (f *remoteFlags) check() error {
	if f.collect && f.on == onHere {
		return fmt.Errorf("--collect: a run here ends with its table; it goes with --on %s",
			strings.Join(clusters.Names(), " or --on "))
	}
	return cli.OneOf("--on", f.on, engines())
}

// target returns the cluster that flags name, as its site profile and they say it is asked.
func (f *remoteFlags) target() (*session.Target, error) {
	cluster, file := clusters.Named(f.on), clusters.SiteFile(f.site)
	site, err := clusters.ReadSite(file, cluster)
	if err != nil {
		return nil, err
	}
	site.Exclude = append(site.Exclude, f.exclude...)
	if err := site.SetMemory(f.memory); err != nil {
		return nil, fmt.Errorf("--mem %w", err)
	}
	return &session.Target{Name: f.on, File: file, Site: site, Collect: f.collect},
		cluster.Check(site)
}

// onHere is the value of --on for a run that is made on this machine.
const onHere = "here"

// engines are the values of --on.
func engines() []string { return append([]string{onHere}, clusters.Names()...) }
