package launch

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A Site is how a cluster wants to be asked, of each task. What is empty is left to the cluster,
// or has the default that is named.
type Site struct {
	Partition   string
	Account     string
	QOS         string
	Constraint  string
	Reservation string

	Time     time.Duration // that it may take: a minute or more; 1 h
	Memory   string        // as "4G"
	CPUs     int           // 1
	Throttle int           // tasks that run at once; 256
	MaxTasks int           // of an array
	Signal   time.Duration // from USR1 to the end of Time; 120 s
	Exclude  []string      // nodes

	Extra []string // further options of sbatch, as "--licenses=x"
	// Setup are lines of the task's script before its program, which /bin/sh reads: where
	// "module" is no command of that, a line before it reads its definition.
	Setup     []string
	NoRequeue bool // tasks may not call scontrol
}

// Full returns the site with its defaults.
func (s Site) Full() Site {
	s.Time, s.Signal = cmp.Or(s.Time, time.Hour), cmp.Or(s.Signal, 120*time.Second)
	s.CPUs, s.Throttle = cmp.Or(s.CPUs, 1), cmp.Or(s.Throttle, 256)
	return s
}

var (
	amount = regexp.MustCompile(`^[1-9][0-9]*[KMGT]?$`)
	word   = regexp.MustCompile(`^[^\s]*$`)
	// option is an option of sbatch in one argument.
	option = regexp.MustCompile(`^--([a-z][a-z-]*)(=.*)?$`)
)

// owned are the options that are not for a site to give.
var owned = []string{"array", "job-name", "comment", "output", "parsable", "wait", "wrap",
	"test-only", "dependency", "open-mode", "help", "version", "usage"}

// Check says what is wrong with the site.
func (s *Site) Check() error {
	f := s.Full()
	for _, w := range [][2]string{{"partition", f.Partition}, {"account", f.Account},
		{"qos", f.QOS}, {"constraint", f.Constraint}, {"reservation", f.Reservation},
		{"exclude", strings.Join(f.Exclude, ",")}} {
		if !word.MatchString(w[1]) {
			return fmt.Errorf("slurm: %s: %q is not one word", w[0], w[1])
		}
	}
	if f.Memory != "" && !amount.MatchString(f.Memory) {
		return fmt.Errorf("slurm: mem: %q is not a number with K, M, G or T, as 4G", f.Memory)
	}
	for _, n := range []struct {
		name  string
		value int
	}{{"cpus_per_task", f.CPUs}, {"throttle", f.Throttle}, {"max_tasks", f.MaxTasks}} {
		if n.value < 0 {
			return fmt.Errorf("slurm: %s: %d is below 0", n.name, n.value)
		}
	}
	switch {
	case f.Time < time.Minute:
		return fmt.Errorf("slurm: time: %v is less than a minute", f.Time)
	case f.Signal < time.Second || f.Signal > 65535*time.Second:
		return fmt.Errorf("slurm: signal: %v is not from 1 s to 65535 s", f.Signal)
	case f.Time <= 3*f.Signal:
		return fmt.Errorf("slurm: time: %v is not more than three times the %v (signal) that a "+
			"task has to come to an end", f.Time, f.Signal)
	}
	return checkLines(f.Extra, f.Setup)
}

func checkLines(extra, setup []string) error {
	for _, e := range extra {
		m := option.FindStringSubmatch(e)
		if m == nil {
			return fmt.Errorf("slurm: extra: %q is not an option of sbatch as --name or "+
				"--name=value", e)
		}
		if slices.Contains(owned, m[1]) {
			return fmt.Errorf("slurm: extra: --%s is not for a site to set", m[1])
		}
	}
	for _, line := range setup {
		if strings.ContainsRune(line, 0) {
			return fmt.Errorf("slurm: setup: %q has a NUL", line)
		}
	}
	return nil
}

// options returns what the site wants as options of sbatch.
func (s *Site) options() []string {
	f := s.Full()
	minutes := (f.Time + time.Minute - 1) / time.Minute
	told := (f.Signal + time.Second - 1) / time.Second
	o := []string{"--requeue", "--open-mode=append", "--nodes=1", "--ntasks=1",
		fmt.Sprintf("--signal=B:USR1@%d", told), fmt.Sprintf("--time=%d", minutes),
		fmt.Sprintf("--cpus-per-task=%d", f.CPUs)}
	for _, w := range [][2]string{{"mem", f.Memory}, {"partition", f.Partition},
		{"account", f.Account}, {"qos", f.QOS}, {"constraint", f.Constraint},
		{"reservation", f.Reservation}, {"exclude", strings.Join(f.Exclude, ",")}} {
		if w[1] != "" {
			o = append(o, "--"+w[0]+"="+w[1])
		}
	}
	return append(o, f.Extra...)
}

// Try asks whether the cluster would take a task of the site. It does not see every obstacle:
// accounts, for instance, are known to the accounting.
func (s *Slurm) Try(ctx context.Context, site *Site) error {
	if err := site.Check(); err != nil {
		return err
	}
	options := append([]string{"--test-only"}, site.options()...)
	_, err := s.ask(ctx, "#!/bin/sh\n", "sbatch", options...)
	return err
}
