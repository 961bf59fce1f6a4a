package diagnose

import (
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/launch/slurm"
)

// Whatever probe tasks report, it is known what that means.
func TestProbeReportsAreUnderstood(t *testing.T) {
	ours := look()
	with := func(change func(s *probeReport)) *probeReport {
		s := *ours
		s.Node, s.Asked, s.Used, s.Cores, s.Memory = "n1", 2, 2, 4, 1<<30
		s.Together, s.Answered, s.Signalled, s.Seen = true, true, true, 3*time.Millisecond
		change(&s)
		return &s
	}
	plain := with(func(*probeReport) {})
	for _, c := range []struct {
		change      func(s *probeReport) // of the second
		level       Level
		what, found string
	}{
		{func(s *probeReport) { s.Node = "n2" }, OK, "tasks", "n1 and n2"},
		{func(s *probeReport) {}, OK, "tasks", "both ran on n1"},
		{func(s *probeReport) { s.Functions = "other" }, Fail, "numbers", "would depend on the node"},
		{func(s *probeReport) { s.Kernels = "other" }, Warn, "numbers", "begins anew"},
		{func(s *probeReport) { s.Used = 1 }, Warn, "processors", "asked for 2, uses 1, sees 4"},
		{func(s *probeReport) { s.Cores = 1 }, Warn, "processors", "sees 1"},
		{func(s *probeReport) { s.Asked = 0 }, Warn, "processors", "does not say"},
		{func(s *probeReport) { s.Signalled = false }, Warn, "signal", "did not arrive"},
	} {
		judged(t, &probeSet{reports: [probes]*probeReport{plain, with(c.change)}}).
			is(c.level, c.what, c.found)
	}
	for _, c := range []struct {
		change      func(s *probeReport) // of both
		level       Level
		what, found string
	}{
		{func(s *probeReport) { s.Together = false }, Warn, "files", "at the same time"},
		{func(s *probeReport) { s.Answered = false }, Fail, "files", "did not see within 1m0s"},
		{func(s *probeReport) { s.Seen = 8 * time.Second }, Warn, "files", "after 8s"},
		{func(s *probeReport) { s.Memory = 0 }, Warn, "memory", "does not say"},
		{func(s *probeReport) { s.Functions = "other" }, Warn, "numbers", "here functions are"},
		{func(s *probeReport) { s.Kernels = "other" }, Warn, "numbers", "here kernels are"},
	} {
		judged(t, &probeSet{reports: [probes]*probeReport{with(c.change), with(c.change)}}).
			is(c.level, c.what, c.found)
	}
	for _, c := range []struct {
		last  launch.TaskState
		found string
	}{
		{launch.TaskState{}, "was not seen in the queue"},
		{launch.TaskState{Phase: launch.Waiting, State: "PENDING", Reason: "Resources"}, "still waits after 0s: Resources"},
		{launch.TaskState{Phase: launch.Running, State: "RUNNING", Node: "n7"}, "runs on n7, but what it writes is not seen"},
		{launch.TaskState{Phase: launch.Completed, State: "COMPLETED", Node: "n7"}, "ended well on n7, but"},
		{launch.TaskState{Phase: launch.Ended, State: "FAILED", Exit: "0:53", Node: "n7"}, "failed: it never began"},
	} {
		a := &probeSet{reports: [probes]*probeReport{nil, plain}}
		a.last[0] = c.last
		judged(t, a).is(Fail, "tasks", c.found)
	}
}

// findings is what was found.
type findings struct {
	*testing.T
	all []Finding
}

// judged returns what is said of tasks that were sent the signal.
func judged(t *testing.T, s *probeSet) *findings {
	f := &findings{T: t}
	s.Probing = &Probing{Cluster: new(slurm.Cluster)}
	s.Report = func(one Finding) { f.all = append(f.all, one) }
	s.told = [probes]bool{true, true}
	s.verdict()
	return f
}

// is holds something to how it should be, and to what of it should be said.
func (f *findings) is(level Level, what, found string) {
	f.Helper()
	for _, one := range f.all {
		if one.Level == level && one.What == what && strings.Contains(one.Found, found) {
			if (one.Do != "") != (level != OK) {
				f.Errorf("%s: it is %s, and what to do about it is %q", what, level, one.Do)
			}
			return
		}
	}
	f.Errorf("%s is not %s, with %q: %+v", what, level, found, f.all)
}
