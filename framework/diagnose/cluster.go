package diagnose

import (
	"context"
	"fmt"
	"time"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/session/phrase"
)

// A Probing is what is asked of a cluster: what it allows, whether it takes tasks of a site
// profile, and what two tasks find that are really submitted.
type Probing struct {
	Cluster launch.Cluster
	Site    *launch.Site
	Profile string        // says behind a finding which site profile was used
	Runs    string        // the whole path of the folder of runs, which need not be there
	Timeout time.Duration // that the two tasks may wait and run
	// Command returns the command line of a task that calls Probe with a folder, and with the
	// index that is added to it.
	Command func(program, folder string) []string
	Say     func(format string, args ...any) // how far the tasks are
}

// Ask asks about everything. What it submits is cancelled when it returns, also at the end of ctx.
func (p *Probing) Ask(ctx context.Context, r Report) {
	about := p.Cluster.About()
	limits, err := p.Cluster.Limits(ctx)
	if err != nil {
		r.fail(about.Name, phrase.FirstLine(err.Error()),
			"call this on a node from which jobs are submitted, while its controller is up")
		return
	}
	p.limits(&limits, r)
	if err := p.Cluster.Try(ctx, p.Site); err != nil {
		r.fail("site", phrase.FirstLine(err.Error())+p.Profile,
			"correct what the site profile asks for: "+about.Hints.Offers)
		return
	}
	r.ok("site", "the cluster takes tasks%s", p.Profile)
	set := &probeSet{Probing: p, Report: r}
	if err := set.try(ctx); err != nil && ctx.Err() == nil {
		r.fail("tasks", phrase.FirstLine(err.Error()), "nothing was left behind; try again")
	}
}

// limits says what the cluster allows.
func (p *Probing) limits(l *launch.Limits, r Report) {
	about := p.Cluster.About()
	if l.ArraySize < 2 {
		r.fail(about.Name, "version "+l.Version+", without arrays of jobs",
			"ask its administrators for "+about.Hints.Arrays)
		return
	}
	r.ok(about.Name, "version %s; %s in an array", l.Version,
		phrase.Count(l.Tasks(p.Site), "task", "tasks"))
	if l.Requeue {
		r.ok("requeue", "a task that loses its node starts again")
	} else {
		r.warn("requeue", "a task that loses its node does not start again ("+
			about.Hints.Requeue+")", "nothing that is stored is lost; hansa resume goes on")
	}
	if l.Signalled {
		r.ok("preemption", "a task that is preempted is told at once")
	} else {
		r.ok("preemption", "a task that is preempted has %v to save its progress", l.KillWait)
	}
	const lasting = 2 * time.Minute
	switch {
	case l.Accounting:
		r.ok("accounting", "what became of tasks is kept")
	case l.MinJobAge < lasting:
		r.warn("accounting", fmt.Sprintf("none, and what became of a task is forgotten after %v",
			l.MinJobAge), "what is done is known; why a task ended may only be in its log")
	default:
		r.ok("accounting", "none; what became of a task is known for %v", l.MinJobAge)
	}
}

// brief returns a site profile for tasks that take seconds: a short time limit goes first.
func brief(site *launch.Site) *launch.Site {
	s := site.Full()
	s.Time = min(s.Time, 10*time.Minute)
	s.Signal = min(s.Signal, time.Minute)
	s.Throttle = max(s.Throttle, probes)
	return &s
}
