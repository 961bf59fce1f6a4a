package diagnose

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/session/phrase"
)

// verdict says what the tasks reported, or why they did not.
func (s *probeSet) verdict() {
	silent := false
	for i, r := range s.reports {
		if r == nil {
			silent = true
			s.silence(i)
		}
	}
	if silent {
		return
	}
	first, second := s.reports[0], s.reports[1]
	if first.Node == second.Node {
		s.ok("tasks", "both ran on %s, so that nothing is known of files between nodes",
			first.Node)
	} else {
		s.ok("tasks", "they ran on %s and %s", first.Node, second.Node)
	}
	s.files(first)
	s.bits(first, second)
	for i, r := range s.reports {
		if i == 0 || r.Asked != first.Asked || r.Used != first.Used || r.Cores != first.Cores {
			s.share(r)
		}
	}
	s.memory()
	s.signals()
}

// silence says why a task has not reported.
func (s *probeSet) silence(i int) {
	t := s.last[i]
	what := fmt.Sprintf("task %d ", i)
	why := s.Cluster.Explain(t)
	switch {
	case t.Phase == "":
		s.fail("tasks", what+"was not seen in the queue",
			"try again; "+s.Cluster.About().Hints.Queue+" lists yours")
	case t.Phase.IsHeld():
		s.fail("tasks", what+"waits: "+why, "remove from the site profile what holds tasks")
	case t.Phase.Live() && t.Node == "":
		s.fail("tasks", fmt.Sprintf("%sstill waits after %v%s", what, s.Timeout,
			phrase.Behind(cmp.Or(why, t.Reason))),
			"wait longer with --timeout, or ask for less in the site profile")
	case t.Phase.Live():
		s.fail("tasks", what+"runs on "+t.Node+", but what it writes is not seen here",
			"work in a folder that all nodes see under the same path")
	case t.Phase == launch.Completed:
		s.fail("tasks", what+"ended well on "+t.Node+", but what it wrote is not seen here",
			"work in a folder that all nodes see under the same path")
	default:
		s.fail("tasks", what+"failed: "+strings.TrimSpace(why+phrase.Behind(s.lastWords(i))),
			"the folder of runs must be seen by all nodes, and programs be executed from it")
	}
}

// lastWords returns the last line of the log of a task.
func (s *probeSet) lastWords(i int) string {
	text, err := os.ReadFile(filepath.Join(s.dir, "log", fmt.Sprintf("%d.log", i)))
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}

// slowFiles is after how long a result may be seen without a remark.
const slowFiles = 5 * time.Second

// files says how soon one task saw what the other wrote.
func (s *probeSet) files(r *probeReport) {
	seen := r.Seen.Round(time.Millisecond)
	switch {
	case !r.Together:
		s.warn("files", "the tasks did not run at the same time, so that it is not known how soon "+
			"one sees what the other writes", "call this again when there is more room")
	case !r.Answered:
		s.fail("files", fmt.Sprintf("one task did not see within %v what the other wrote",
			patience), "runs must lie on a file system that all nodes share")
	case seen > slowFiles:
		s.warn("files", fmt.Sprintf("what one task writes is seen by the other after %v", seen),
			"hansa status is late by that; nothing else is")
	default:
		s.ok("files", "what one task writes is seen by the other after %v", seen)
	}
}

// kind says what numbers depend on where a task ran.
func (r *probeReport) kind() string {
	fused := "with"
	if !r.Fused {
		fused = "without"
	}
	return fmt.Sprintf("%s, %s fused multiplication, kernels %s, functions %s", r.Processor, fused,
		r.Kernels, r.Functions)
}

// bits says whether numbers are the same on all nodes, and here.
func (s *probeSet) bits(first, second *probeReport) {
	local := look()
	one, other := first.kind(), second.kind()
	found := fmt.Sprintf("%s: %s\n%s: %s", first.Node, one, second.Node, other)
	switch {
	case first.Node == second.Node:
		found = fmt.Sprintf("%s: %s", first.Node, one)
	case one == other:
		found = fmt.Sprintf("%s, %s: %s", first.Node, second.Node, one)
	}
	switch {
	case first.Functions != second.Functions:
		s.fail("numbers", found+"\nthe last bits of results would depend on the node",
			`name one kind of node by constraint in the site profile, or have all of them be as `+
				`the least: setup = ["export GODEBUG=cpu.fma=off"]`)
	case first.Functions != local.Functions:
		s.warn("numbers", found+"\nhere functions are "+local.Functions+
			": the last bits of results differ", "compute a run in one place")
	case first.Kernels != second.Kernels || first.Kernels != local.Kernels:
		s.warn("numbers", found+"\nhere kernels are "+local.Kernels+": results are the same, but "+
			"a training run that began with others begins anew",
			"name one kind of node by constraint in the site profile")
	default:
		s.ok("numbers", "%s; as here", found)
	}
}

// share says whether a task has the processors that it asked for.
func (s *probeSet) share(r *probeReport) {
	found := fmt.Sprintf("%s: asked for %d, uses %d, sees %d", r.Node, r.Asked, r.Used, r.Cores)
	switch {
	case r.Asked == 0:
		s.warn("processors", fmt.Sprintf("%s: %s does not say how many a task has; it uses %d",
			r.Node, s.Cluster.About().Title, r.Used), "cpus_per_task in the site profile says it")
	case r.Cores < r.Asked:
		s.warn("processors", found,
			"its training runs take turns: make cpus_per_task in the site profile less")
	case r.Used != r.Asked:
		s.warn("processors", found, "GOMAXPROCS is set on its node: unset it in setup of the "+
			"site profile")
	default:
		s.ok("processors", "%s", found)
	}
}

// memory says how much a task has.
func (s *probeSet) memory() {
	if bytes := s.reports[0].Memory; bytes > 0 {
		s.ok("memory", "%s for a task", host.Bytes(float64(bytes)))
		return
	}
	s.warn("memory", s.Cluster.About().Title+
		" does not say how much a task has, which then takes all of the node's",
		`say so in the site profile: mem = "4G"`)
}

// signals says whether tasks are told that their time is over.
func (s *probeSet) signals() {
	switch {
	case s.reports[0].Signalled && s.reports[1].Signalled:
		s.ok("signal", "USR1 arrives: tasks save their progress before their time is over")
	case !s.told[0] || !s.told[1]:
		s.warn("signal", "the cluster could not send USR1", "progress is saved by time: "+
			"--checkpoint")
	default:
		s.warn("signal", "USR1 was sent and did not arrive, so that tasks are not told before "+
			"their time is over", "progress is saved by time: --checkpoint; hansa resume goes on")
	}
}
