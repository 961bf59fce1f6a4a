package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/launch"
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
	fs.StringVar(&f.on, "on", onHere, "`WHERE` cells run: here, or slurm (an array of tasks)")
	fs.StringVar(&f.site, "site", "", "`FILE` that says how the cluster is to be asked "+
		"(default $HANSA_SITE, or hansa/site.toml of your configuration)")
	fs.BoolVar(&f.collect, "collect", false,
		"on a cluster, one more job writes the tables once all tasks have ended")
	completeFlag(cmd, "on", engines...)
}

// check refuses flags that make no sense.
func (f *far) check() error {
	if f.collect && f.on == onHere {
		return fmt.Errorf("--collect: a run here ends with its table; it goes with --on slurm")
	}
	return oneOf("--on", f.on, engines)
}

// adapt changes what a site profile says for this one submission.
func (f *far) adapt(site *launch.Site) error {
	site.Exclude = append(site.Exclude, f.exclude...)
	times, multiple := strings.CutPrefix(f.memory, "x")
	switch {
	case f.memory == "":
		return nil
	case !multiple:
		site.Memory = f.memory
		return site.Check()
	}
	k, err := strconv.ParseFloat(times, 64)
	if err != nil || k <= 0 {
		return fmt.Errorf("--mem %s: want a size such as 8G, or x2 for twice as much", f.memory)
	}
	number := strings.TrimRight(site.Memory, "KMGT")
	was, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return fmt.Errorf("--mem %s: the site profile does not say of how much (mem)", f.memory)
	}
	unit := strings.TrimPrefix(site.Memory, number)
	if unit == "" {
		unit = "M"
	}
	const kilo = 1024
	site.Memory = fmt.Sprintf("%.0f%s", k*was*kilo, map[string]string{"K": "K", "M": "K", "G": "M",
		"T": "G"}[unit])
	return site.Check()
}
