package diagnose

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
)

// A probeSet is the probe tasks of a Probing, and what is known of them.
type probeSet struct {
	*Probing
	Report
	dir     string
	job     string
	reports [probes]*probeReport // nil where there is none
	told    [probes]bool
	last    [probes]launch.TaskState // Phase is "" where nothing is known
	said    string                   // of them, last
}

// try submits the tasks, waits until they have reported or will not, and says what of that.
func (s *probeSet) try(ctx context.Context) error {
	dir, undo, err := scratch(s.Runs)
	if err != nil {
		return fault.Unstorable(s.Runs, err)
	}
	defer undo()
	if s.dir, err = filepath.EvalSymlinks(dir); err != nil { // tasks begin in other folders
		return err
	}
	content, digest, err := host.Program()
	if err != nil {
		return err
	}
	program, err := store.Run{Dir: s.dir}.Freeze("hansa", digest, content)
	if err != nil {
		return fault.Unstorable(s.dir, err)
	}
	name := launch.JobName("doctor-" + strings.ToLower(rand.Text()[:6]))
	defer s.clear(name)
	limited, stop := context.WithTimeout(ctx, s.Timeout)
	defer stop()
	s.job, err = launch.Submit(limited, s.Cluster, &launch.Array{Site: brief(s.Site), Name: name,
		Comment: "hansa:doctor", Log: filepath.Join(s.dir, "log"), Tasks: probes,
		Command: s.Command(program, s.dir)})
	if err != nil {
		return err
	}
	s.Say("submitted %d tasks as job %s, for at most %v", probes, s.job, s.Timeout)
	s.wait(limited, name)
	if ctx.Err() == nil {
		s.verdict()
	}
	return nil
}

// clear cancels what is left of the tasks.
func (s *probeSet) clear(name string) {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	states, err := s.Cluster.States(ctx, []string{name})
	for _, t := range states {
		if t.Phase.Live() {
			err = launch.Cancel(ctx, s.Cluster, []string{name})
			break
		}
	}
	if err != nil {
		s.Say("hansa: the tasks may still run: %v; %s%s cancels them", err,
			s.Cluster.About().Hints.Cancel, name)
	}
}

// How often is looked for reports, and the cluster asked; and how long until a report is seen.
const (
	listening = 500 * time.Millisecond
	asking    = 3 * time.Second
	travel    = 90 * time.Second // what a network file system may remember of a folder, and more
)

// wait waits until all tasks have reported, or have ended without, or time is over.
func (s *probeSet) wait(ctx context.Context, name string) {
	var asked, ended time.Time
	for {
		if s.listen(ctx) {
			return
		}
		if time.Since(asked) > asking {
			live := s.ask(ctx, name)
			asked = time.Now()
			switch {
			case live:
				ended = time.Time{}
			case ended.IsZero():
				ended = asked
			case asked.Sub(ended) > s.arrival():
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

// arrival is how long a report is waited for after its task has ended: what failed has none.
func (s *probeSet) arrival() time.Duration {
	for i, t := range s.last {
		if s.reports[i] == nil && t.Phase == launch.Completed {
			return travel
		}
	}
	return 2 * asking
}

// listen looks for reports, and sends tasks that are there the signal before a time limit. It
// reports whether all have reported.
func (s *probeSet) listen(ctx context.Context) bool {
	_, _ = os.ReadDir(s.dir) // see probeTask.await
	all := true
	for i := range probes {
		_, err := os.Stat(filepath.Join(s.dir, hereFile(i)))
		if err == nil && !s.told[i] {
			s.told[i] = s.Cluster.Tell(ctx, s.job, i) == nil
		}
		content, err := os.ReadFile(filepath.Join(s.dir, reportFile(i)))
		if err != nil {
			all = false
			continue
		}
		r := new(probeReport)
		if json.Unmarshal(content, r) == nil {
			s.reports[i] = r
		}
	}
	return all
}

// ask asks the cluster how the tasks are, says what has changed, and reports whether some may yet
// report: those that are held do not.
func (s *probeSet) ask(ctx context.Context, name string) (live bool) {
	states, err := s.Cluster.States(ctx, []string{name})
	if err != nil || len(states) == 0 {
		return true
	}
	var words []string
	for _, t := range states {
		if t.Index < 0 || t.Index >= probes {
			continue
		}
		s.last[t.Index] = t
		live = live || t.Phase.Live() && !t.Phase.IsHeld()
		where := t.Node
		if t.Phase.Waits() {
			where = t.Reason
		}
		words = append(words, fmt.Sprintf("task %d %s%s", t.Index, strings.ToLower(t.State),
			phrase.Behind(where)))
	}
	if text := strings.Join(words, ", "); text != s.said {
		s.said = text
		s.Say("%s", text)
	}
	return live
}
