package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/launch/clusters"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
)

// cluster looks at a cluster. The error is fault.ErrInterrupted, or a mistake in the site profile.
func (d *doctor) cluster(ctx context.Context, c launch.Cluster) error {
	file := clusters.SiteFile(d.site)
	site, err := clusters.ReadSite(file, c)
	if err != nil {
		return err
	}
	limits, err := c.Limits(ctx)
	if err != nil {
		d.wrong(c.About().Name, phrase.FirstLine(err.Error()),
			"call this on a node from which jobs are submitted, while its controller is up")
		return nil
	}
	d.limits(c.About(), &limits, site)
	if err := c.Try(ctx, site); err != nil {
		d.wrong("site", phrase.FirstLine(err.Error())+session.FromSite(file),
			"correct what the site profile asks for: "+c.About().Hints.Offers)
		return nil
	}
	d.fine("site", "the cluster takes tasks%s", session.FromSite(file))
	ctx, stop := signal.NotifyContext(ctx, host.EndSignals()...)
	defer stop()
	a := &aviary{doctor: d, cluster: c, site: hasty(site)}
	if err := a.try(ctx); err != nil && ctx.Err() == nil {
		d.wrong("tasks", phrase.FirstLine(err.Error()), "nothing was left behind; try again")
	}
	if ctx.Err() != nil {
		d.Sayf("interrupted: the tasks are cancelled")
		return fault.ErrInterrupted
	}
	return nil
}

// limits says what the cluster allows.
func (d *doctor) limits(of *launch.About, l *launch.Limits, site *launch.Site) {
	if l.ArraySize < 2 {
		d.wrong(of.Name, "version "+l.Version+", without arrays of jobs",
			"ask its administrators for "+of.Hints.Arrays)
		return
	}
	d.fine(of.Name, "version %s; %s in an array", l.Version,
		phrase.Count(l.Tasks(site), "task", "tasks"))
	if l.Requeue {
		d.fine("requeue", "a task that loses its node starts again")
	} else {
		d.odd("requeue", "a task that loses its node does not start again ("+of.Hints.Requeue+")",
			"nothing that is stored is lost; hansa resume goes on")
	}
	if l.Signalled {
		d.fine("preemption", "a task that is preempted is told at once")
	} else {
		d.fine("preemption", "a task that is preempted has %v to save its cells", l.KillWait)
	}
	const lasting = 2 * time.Minute
	switch {
	case l.Accounting:
		d.fine("accounting", "what became of tasks is kept")
	case l.MinJobAge < lasting:
		d.odd("accounting", fmt.Sprintf("none, and what became of a task is forgotten after %v",
			l.MinJobAge), "what is done is known; why a task ended may only be in its log")
	default:
		d.fine("accounting", "none; what became of a task is known for %v", l.MinJobAge)
	}
}

// hasty returns a site profile for tasks that take seconds: a short time limit goes first.
func hasty(site *launch.Site) *launch.Site {
	s := site.Full()
	s.Time = min(s.Time, 10*time.Minute)
	s.Signal = min(s.Signal, time.Minute)
	s.Throttle = max(s.Throttle, canaries)
	return &s
}

// An aviary is where canaries sing.
type aviary struct {
	*doctor
	cluster launch.Cluster
	site    *launch.Site
	dir     string
	job     string
	songs   [canaries]*song
	told    [canaries]bool
	last    [canaries]launch.TaskState // State is "" where nothing is known
	said    string                     // of them, last
}

// try submits the canaries, waits until they have sung or will not, and says what of that.
func (a *aviary) try(ctx context.Context) error {
	dir, undo, err := scratch()
	if err != nil {
		return fault.Unstorable(runsFolder, err)
	}
	defer undo()
	a.dir = session.Real(dir)
	content, digest, err := host.Program()
	if err != nil {
		return err
	}
	program, err := store.Run{Dir: a.dir}.Freeze("hansa", digest, content)
	if err != nil {
		return fault.Unstorable(a.dir, err)
	}
	name := launch.JobName("doctor-" + strings.ToLower(rand.Text()[:6]))
	defer a.clear(name)
	limited, stop := context.WithTimeout(ctx, a.timeout)
	defer stop()
	a.job, err = launch.Submit(limited, a.cluster, &launch.Array{Site: a.site, Name: name,
		Comment: "hansa:doctor", Log: filepath.Join(a.dir, "log"), Tasks: canaries,
		Command: []string{program, "task", "--canary", a.dir}})
	if err != nil {
		return err
	}
	a.Sayf("submitted %d tasks as job %s, for at most %v", canaries, a.job, a.timeout)
	a.wait(limited, name)
	if ctx.Err() == nil {
		a.judge()
	}
	return nil
}

// clear cancels what is left of the canaries.
func (a *aviary) clear(name string) {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	states, err := a.cluster.States(ctx, []string{name})
	for _, t := range states {
		if t.Phase.Live() {
			err = launch.Cancel(ctx, a.cluster, []string{name})
			break
		}
	}
	if err != nil {
		a.Sayf("hansa: the tasks may still run: %v; %s%s cancels them", err,
			a.cluster.About().Hints.Cancel, name)
	}
}

// How often is looked for songs, and the cluster asked; and how long a song may take to be seen.
const (
	listening = 500 * time.Millisecond
	asking    = 3 * time.Second
	travel    = 90 * time.Second // what a network file system may remember of a folder, and more
)

// wait waits until all canaries have sung, or have ended without, or time is over.
func (a *aviary) wait(ctx context.Context, name string) {
	var asked, ended time.Time
	for {
		if a.listen(ctx) {
			return
		}
		if time.Since(asked) > asking {
			live := a.ask(ctx, name)
			asked = time.Now()
			switch {
			case live:
				ended = time.Time{}
			case ended.IsZero():
				ended = asked
			case asked.Sub(ended) > a.arrival():
				return
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(listening):
		}
	}
}

// arrival is how long a song is waited for after its canary has ended: what failed has none.
func (a *aviary) arrival() time.Duration {
	for i, t := range a.last {
		if a.songs[i] == nil && t.Phase == launch.Completed {
			return travel
		}
	}
	return 2 * asking
}

// listen looks for songs, and tells canaries that are there of their end. It reports whether all
// have sung.
func (a *aviary) listen(ctx context.Context) bool {
	_, _ = os.ReadDir(a.dir) // see canary.await
	all := true
	for i := range canaries {
		_, err := os.Stat(filepath.Join(a.dir, hereFile(i)))
		if err == nil && !a.told[i] {
			a.told[i] = a.cluster.Tell(ctx, a.job, i) == nil
		}
		content, err := os.ReadFile(filepath.Join(a.dir, songFile(i)))
		if err != nil {
			all = false
			continue
		}
		s := new(song)
		if json.Unmarshal(content, s) == nil {
			a.songs[i] = s
		}
	}
	return all
}

// ask asks the cluster how canaries are, says what has changed, and reports whether some may yet
// sing: those that are held do not.
func (a *aviary) ask(ctx context.Context, name string) (live bool) {
	states, err := a.cluster.States(ctx, []string{name})
	if err != nil || len(states) == 0 {
		return true
	}
	var words []string
	for _, t := range states {
		if t.Index < 0 || t.Index >= canaries {
			continue
		}
		a.last[t.Index] = t
		live = live || t.Phase.Live() && !t.Phase.IsHeld()
		where := t.Node
		if t.Phase.Waits() {
			where = t.Reason
		}
		words = append(words, fmt.Sprintf("task %d %s%s", t.Index, strings.ToLower(t.State),
			phrase.Behind(where)))
	}
	if text := strings.Join(words, ", "); text != a.said {
		a.said = text
		a.Sayf("%s", text)
	}
	return live
}
