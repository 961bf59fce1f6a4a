package slurm

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/hansa-fl/hansa/framework/launch"
)

// options returns the options of sbatch for an array.
func options(a *launch.Array) []string {
	o := append([]string{"--parsable", "--job-name=" + a.Name}, siteOptions(a.Site)...)
	log := "job.log"
	if a.Tasks > 0 {
		log = "%a.log"
		o = append(o, fmt.Sprintf("--array=0-%d%%%d", a.Tasks-1, a.Site.Full().Throttle))
	}
	o = append(o, "--output="+strings.ReplaceAll(a.Log, "%", "%%")+"/"+log)
	if a.Comment != "" {
		o = append(o, "--comment="+a.Comment)
	}
	if a.After != "" {
		o = append(o, "--dependency=afterany:"+a.After)
	}
	return o
}

// number is the id of a job.
var number = regexp.MustCompile(`^[0-9]+$`)

// Submit submits an array once.
func (s *Cluster) Submit(ctx context.Context, a *launch.Array) (id string, err error) {
	out, err := s.ask(ctx, a.Script(arrayIndex, processors), "sbatch", options(a)...)
	if err != nil {
		return "", err
	}
	// What a site's plug-ins have to say may come before; a cluster's name may follow.
	lines := strings.Split(strings.TrimSpace(out), "\n")
	id, _, _ = strings.Cut(lines[len(lines)-1], ";")
	if !number.MatchString(id) {
		return "", fmt.Errorf("slurm: sbatch says %q, which is no id of a job", out)
	}
	return id, nil
}

// Cancel asks for the end of all jobs of these names.
func (s *Cluster) Cancel(ctx context.Context, names []string) error {
	for _, name := range names {
		if _, err := s.ask(ctx, "", "scancel", "--me", "--name="+name); err != nil {
			return err
		}
	}
	return nil
}

// Requeue ends a task and lets it begin again later: usually after two minutes. Index is that
// of the array, or -1 for a single job.
func (s *Cluster) Requeue(ctx context.Context, job string, index int) error {
	_, err := s.ask(ctx, "", "scontrol", "requeue", task(job, index))
	return err
}

// Tell sends a task the signal that it has before its time limit.
func (s *Cluster) Tell(ctx context.Context, job string, index int) error {
	_, err := s.ask(ctx, "", "scancel", "--batch", "--signal=USR1", task(job, index))
	return err
}

// task returns the name of a task as Slurm has it. Its own id will not do: that of an array's
// last task is the array's.
func task(job string, index int) string {
	if index < 0 {
		return job
	}
	return fmt.Sprintf("%s_%d", job, index)
}
