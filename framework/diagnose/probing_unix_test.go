//go:build unix

package diagnose

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/launch/slurm"
)

// An inProcess is a cluster whose tasks are goroutines of this process.
type inProcess struct {
	slurm.Cluster
	limits    launch.Limits
	down, try error
	tasks     chan error // their ends
}

func (c *inProcess) Limits(context.Context) (launch.Limits, error) { return c.limits, c.down }

func (c *inProcess) Try(context.Context, *launch.Site) error { return c.try }

func (c *inProcess) Submit(ctx context.Context, a *launch.Array) (string, error) {
	for i := range a.Tasks {
		go func() { c.tasks <- Probe(ctx, a.Command[1], i) }()
	}
	return "7", nil
}

func (c *inProcess) States(context.Context, []string) ([]launch.TaskState, error) { return nil, nil }

func (c *inProcess) Tell(context.Context, string, int) error {
	return syscall.Kill(syscall.Getpid(), syscall.SIGUSR1)
}

// ask asks a cluster and returns what was found.
func ask(t *testing.T, c *inProcess) *findings {
	t.Helper()
	c.tasks = make(chan error, probes)
	f := &findings{T: t}
	runs := filepath.Join(t.TempDir(), "runs")
	p := &Probing{Cluster: c, Site: new(launch.Site), Profile: "; the site profile is x", Runs: runs,
		Timeout: time.Minute, Say: func(string, ...any) {},
		Command: func(program, folder string) []string { return []string{program, folder} }}
	p.Ask(t.Context(), func(one Finding) { f.all = append(f.all, one) })
	if left, err := filepath.Glob(runs + "*"); err != nil || left != nil {
		t.Errorf("it left %v, %v", left, err)
	}
	return f
}

// Everything that a cluster is asked ends in a finding, and nothing is left behind.
func TestProbing(t *testing.T) {
	good := launch.Limits{Version: "1", ArraySize: 10, Requeue: true, Signalled: true, Accounting: true}
	c := &inProcess{limits: good}
	f := ask(t, c)
	for range probes {
		if err := <-c.tasks; err != nil {
			t.Error(err)
		}
	}
	for what, found := range map[string]string{"slurm": "10 tasks in an array", "requeue": "starts again",
		"preemption": "at once", "accounting": "is kept", "site": "takes tasks; the site profile is x",
		"tasks": "both ran on", "files": "is seen by the other", "numbers": "as here",
		"signal": "USR1 arrives"} {
		f.is(OK, what, found)
	}
	f.is(Warn, "processors", "Slurm does not say")
	f.is(Warn, "memory", "Slurm does not say")

	poor := good
	poor.Requeue, poor.Accounting, poor.MinJobAge = false, false, time.Second
	f = ask(t, &inProcess{limits: poor, try: errors.New("no such partition")})
	f.is(Warn, "requeue", "JobRequeue=0")
	f.is(Warn, "accounting", "forgotten after 1s")
	f.is(Fail, "site", "no such partition; the site profile is x")
	ask(t, &inProcess{}).is(Fail, "slurm", "without arrays")
	f = ask(t, &inProcess{down: fmt.Errorf("slurm: %w", launch.ErrUnreachable)})
	f.is(Fail, "slurm", "does not answer")
	if len(f.all) != 1 {
		t.Errorf("more is asked of a cluster that is down: %+v", f.all)
	}
}
