package slurm

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hansa-fl/hansa/framework/launch"
)

// words are the keys of a site profile that are Slurm's own, and options of sbatch.
func words() []launch.Key {
	return []launch.Key{launch.Word("partition", "partition"),
		launch.Word("account", "account that pays"), launch.Word("qos", "quality of service"),
		launch.Word("constraint", "features that nodes must have"),
		launch.Word("reservation", "reservation")}
}

// option is an option of sbatch in one argument.
var option = regexp.MustCompile(`^--([a-z][a-z-]*)(=.*)?$`)

// owned are the options that are not for a site to give.
var owned = []string{"array", "job-name", "comment", "output", "parsable", "wait", "wrap",
	"test-only", "dependency", "open-mode", "help", "version", "usage"}

// Check says what is wrong with the site.
func (*Cluster) Check(site *launch.Site) error {
	if err := site.Check(); err != nil {
		return fmt.Errorf("slurm: %w", err)
	}
	for _, e := range site.Extra {
		m := option.FindStringSubmatch(e)
		if m == nil {
			return fmt.Errorf("slurm: extra: %q is not an option of sbatch as --name or "+
				"--name=value", e)
		}
		if slices.Contains(owned, m[1]) {
			return fmt.Errorf("slurm: extra: --%s is not for a site to set", m[1])
		}
	}
	return nil
}

// siteOptions returns what the site wants as options of sbatch.
func siteOptions(site *launch.Site) []string {
	f := site.Full()
	minutes := (f.Time + time.Minute - 1) / time.Minute
	told := (f.Signal + time.Second - 1) / time.Second
	o := []string{"--requeue", "--open-mode=append", "--nodes=1", "--ntasks=1",
		fmt.Sprintf("--signal=B:USR1@%d", told), fmt.Sprintf("--time=%d", minutes),
		fmt.Sprintf("--cpus-per-task=%d", f.CPUs)}
	if f.Memory != "" {
		o = append(o, "--mem="+f.Memory)
	}
	for _, k := range words() {
		if word := f.Words[k.Name]; word != "" {
			o = append(o, "--"+k.Name+"="+word)
		}
	}
	if len(f.Exclude) > 0 {
		o = append(o, "--exclude="+strings.Join(f.Exclude, ","))
	}
	return append(o, f.Extra...)
}

// Try asks whether the cluster would take a task of the site. Accounts, for instance, are known to
// the accounting alone.
func (s *Cluster) Try(ctx context.Context, site *launch.Site) error {
	if err := s.Check(site); err != nil {
		return err
	}
	options := append([]string{"--test-only"}, siteOptions(site)...)
	_, err := s.ask(ctx, "#!/bin/sh\n", "sbatch", options...)
	return err
}
