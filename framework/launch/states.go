package launch

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A TaskState is what Slurm says of a task.
type TaskState struct {
	Name  string // of its array
	Job   string // id of its array
	Index int    // of the task; -1: of a single job, or of all tasks that are not listed
	State string // as "PENDING", "RUNNING", "FAILED"
	// Reason is why it waits, or has failed, in a word of Slurm's.
	Reason string
	Node   string // where it runs or ran
	Live   bool   // it waits or runs
	Exit   string // status and signal that it ended with, as "1:0"
}

// final are the states of what has ended.
var final = []string{"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "LAUNCH_FAILED",
	"NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED", "TIMEOUT"}

func live(state string) bool { return !slices.Contains(final, state) }

// The reason comes last, as it may be anything.
const columns = "Name:|,ArrayJobID:|,ArrayTaskID:|,State:|,exit_code:|,NodeList:|,Reason:"

// States asks in one call what there is of these names: what waits and runs, and what has ended
// for as long as Slurm lists it. A name may have several jobs, when one was forgotten, and none.
func (s *Slurm) States(ctx context.Context, names []string) ([]TaskState, error) {
	if len(names) == 0 {
		return nil, nil
	}
	out, err := s.ask(ctx, "", "squeue", "--noheader", "--array", "--me", "--states=all",
		"--name="+strings.Join(names, ","), "--Format="+columns+"|")
	if err != nil {
		return nil, err
	}
	var states []TaskState
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimRight(line, "| \n"), "|", 7)
		if len(f) < 6 {
			continue // the name of a cluster
		}
		f = append(f, "")
		t := TaskState{Name: f[0], Job: f[1], State: f[3], Exit: exit(f[4]), Node: node(f[5]),
			Reason: f[6], Live: live(f[3])}
		if states, err = each(states, t, f[2]); err != nil {
			return nil, err
		}
	}
	return states, nil
}

// each appends what is said of each of some tasks, which are given as "3" or, when they wait, as
// "0,2,4-7:3%2" in brackets or without. "N/A" is what has no index.
func each(states []TaskState, t TaskState, indices string) ([]TaskState, error) {
	list, _, _ := strings.Cut(strings.Trim(indices, "[]"), "%")
	if list == "" || list == "N/A" || list == "(null)" {
		t.Index = -1
		return append(states, t), nil
	}
	for part := range strings.SplitSeq(list, ",") {
		bounds, step, _ := strings.Cut(part, ":")
		from, to, ranged := strings.Cut(bounds, "-")
		if !ranged {
			to = from
		}
		if step == "" {
			step = "1"
		}
		a, err1 := strconv.Atoi(from)
		b, err2 := strconv.Atoi(to)
		by, err3 := strconv.Atoi(step)
		if err1 != nil || err2 != nil || err3 != nil || by < 1 {
			return nil, fmt.Errorf("slurm: %q are no indices of an array", indices)
		}
		for t.Index = a; t.Index <= b; t.Index += by {
			states = append(states, t)
		}
	}
	return states, nil
}

// exit returns the status and signal of a process from what squeue gives, the number of wait(2).
func exit(code string) string {
	n, err := strconv.ParseUint(code, 10, 32)
	if err != nil {
		return code
	}
	if signal := n & 0x7f; signal != 0 {
		return fmt.Sprintf("0:%d", signal)
	}
	return fmt.Sprintf("%d:0", n>>8&0xff)
}

// node returns the name of a node, or "" for the ways to say that there is none.
func node(name string) string {
	if name == "(null)" || name == "n/a" || name == "None assigned" {
		return ""
	}
	return name
}

// Past asks the accounting what has become of these names within a month. Where there is none,
// or where it does not answer, it knows of nothing.
func (s *Slurm) Past(ctx context.Context, names []string) ([]TaskState, error) {
	if len(names) == 0 {
		return nil, nil
	}
	out, err := s.ask(ctx, "", "sacct", "--noheader", "--allocations", "--parsable2",
		"--name="+strings.Join(names, ","), "--starttime=now-30days",
		"--format=JobName,JobID,State,ExitCode,NodeList")
	if err != nil {
		return nil, ctx.Err()
	}
	var states []TaskState
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimRight(line, "\n"), "|")
		if len(f) != 5 {
			continue
		}
		job, index, _ := strings.Cut(f[1], "_")
		state, reason, _ := strings.Cut(f[2], " ") // as "CANCELLED by 1000"
		t := TaskState{Name: f[0], Job: job, State: state, Reason: reason, Exit: f[3],
			Node: node(f[4]), Live: live(state)}
		if states, err = each(states, t, index); err != nil {
			return nil, err
		}
	}
	return states, nil
}
