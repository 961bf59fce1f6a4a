package main

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

// judge says what canaries sang, or why they did not.
func (a *aviary) judge() {
	silent := false
	for i, s := range a.songs {
		if s == nil {
			silent = true
			a.silence(i)
		}
	}
	if silent {
		return
	}
	first, second := a.songs[0], a.songs[1]
	if first.Node == second.Node {
		a.fine("tasks", "both ran on %s, so that nothing is known of files between nodes",
			first.Node)
	} else {
		a.fine("tasks", "they ran on %s and %s", first.Node, second.Node)
	}
	a.files(first)
	a.bits(first, second)
	for i, s := range a.songs {
		if i == 0 || s.Asked != first.Asked || s.Used != first.Used || s.Cores != first.Cores {
			a.share(s)
		}
	}
	a.memory()
	a.signals()
}

// silence says why a canary has not sung.
func (a *aviary) silence(i int) {
	t := a.last[i]
	what := fmt.Sprintf("task %d ", i)
	why := a.cluster.Explain(t)
	switch {
	case t.Phase == "":
		a.wrong("tasks", what+"was not seen in the queue",
			"try again; "+a.cluster.About().Hints.Queue+" lists yours")
	case t.Phase.IsHeld():
		a.wrong("tasks", what+"waits: "+why, "remove from the site profile what holds tasks")
	case t.Phase.Live() && t.Node == "":
		a.wrong("tasks", fmt.Sprintf("%sstill waits after %v%s", what, a.timeout,
			phrase.Behind(cmp.Or(why, t.Reason))),
			"wait longer with --timeout, or ask for less in the site profile")
	case t.Phase.Live():
		a.wrong("tasks", fmt.Sprintf("%sruns on %s, but what it writes is not seen here", what,
			t.Node), "work in a folder that all nodes see under the same path")
	case t.Phase == launch.Completed:
		a.wrong("tasks", fmt.Sprintf("%sended well on %s, but what it wrote is not seen here", what,
			t.Node), "work in a folder that all nodes see under the same path")
	default:
		a.wrong("tasks", what+"failed: "+strings.TrimSpace(why+phrase.Behind(a.lastWords(i))),
			"the folder of runs must be seen by all nodes, and programs be executed from it")
	}
}

// lastWords returns the last line of the log of a canary.
func (a *aviary) lastWords(i int) string {
	text, err := os.ReadFile(filepath.Join(a.dir, "log", fmt.Sprintf("%d.log", i)))
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}

// slowFiles is after how long a result may be seen without anybody wondering where it is.
const slowFiles = 5 * time.Second

// files says how soon one canary saw what the other wrote.
func (a *aviary) files(s *song) {
	seen := s.Seen.Round(time.Millisecond)
	switch {
	case !s.Met:
		a.odd("files", "the tasks did not run at the same time, so that it is not known how soon "+
			"one sees what the other writes", "call this again when there is more room")
	case !s.Answered:
		a.wrong("files", fmt.Sprintf("one task did not see within %v what the other wrote",
			canaryPatience), "runs must lie on a file system that all nodes share")
	case seen > slowFiles:
		a.odd("files", fmt.Sprintf("what one task writes is seen by the other after %v", seen),
			"hansa status is late by that; nothing else is")
	default:
		a.fine("files", "what one task writes is seen by the other after %v", seen)
	}
}

// kind says what numbers depend on where a canary sang.
func (s *song) kind() string {
	fused := "with"
	if !s.Fused {
		fused = "without"
	}
	return fmt.Sprintf("%s, %s fused multiplication, kernels %s, functions %s", s.Processor, fused,
		s.Kernels, s.Functions)
}

// bits says whether numbers are the same on all nodes, and here.
func (a *aviary) bits(first, second *song) {
	local := (&canary{}).look()
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
		a.wrong("numbers", found+"\nthe last bits of results would depend on the node",
			`name one kind of node by constraint in the site profile, or have all of them be as `+
				`the least: setup = ["export GODEBUG=cpu.fma=off"]`)
	case first.Functions != local.Functions:
		a.odd("numbers", found+"\nhere functions are "+local.Functions+
			": the last bits of results differ", "compute a run in one place")
	case first.Kernels != second.Kernels || first.Kernels != local.Kernels:
		a.odd("numbers", found+"\nhere kernels are "+local.Kernels+": results are the same, but "+
			"a cell that began with others begins anew",
			"name one kind of node by constraint in the site profile")
	default:
		a.fine("numbers", "%s; as here", found)
	}
}

// share says whether a task has the processors that it asked for.
func (a *aviary) share(s *song) {
	found := fmt.Sprintf("%s: asked for %d, uses %d, sees %d", s.Node, s.Asked, s.Used, s.Cores)
	switch {
	case s.Asked == 0:
		a.odd("processors", fmt.Sprintf("%s: %s does not say how many a task has; it uses %d",
			s.Node, a.cluster.About().Title, s.Used), "cpus_per_task in the site profile says it")
	case s.Cores < s.Asked:
		a.odd("processors", found,
			"its cells take turns: make cpus_per_task in the site profile less")
	case s.Used != s.Asked:
		a.odd("processors", found, "GOMAXPROCS is set on its node: unset it in setup of the "+
			"site profile")
	default:
		a.fine("processors", "%s", found)
	}
}

// memory says how much a task has.
func (a *aviary) memory() {
	if bytes := a.songs[0].Memory; bytes > 0 {
		a.fine("memory", "%s for a task", host.Size(int64(bytes)))
		return
	}
	a.odd("memory", a.cluster.About().Title+
		" does not say how much a task has, which then takes all of the node's",
		`say so in the site profile: mem = "4G"`)
}

// signals says whether tasks are told that their time is over.
func (a *aviary) signals() {
	switch {
	case a.songs[0].Told && a.songs[1].Told:
		a.fine("signal", "USR1 arrives: tasks save their cells before their time is over")
	case !a.told[0] || !a.told[1]:
		a.odd("signal", "the cluster could not send USR1", "cells are saved by time: --checkpoint")
	default:
		a.odd("signal", "USR1 was sent and did not arrive, so that tasks are not told before "+
			"their time is over", "cells are saved by time: --checkpoint; hansa resume goes on")
	}
}
