package slurm

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/launch"
)

// final are the states of what has ended, and how that was.
var final = map[string]launch.Outcome{"COMPLETED": "", "BOOT_FAIL": launch.NodeFail,
	"CANCELLED": launch.Cancelled, "DEADLINE": launch.TimeOut, "FAILED": launch.Crash,
	"LAUNCH_FAILED": launch.Crash, "NODE_FAIL": launch.NodeFail, "OUT_OF_MEMORY": launch.Memory,
	"PREEMPTED": launch.Cancelled, "REVOKED": launch.Cancelled, "TIMEOUT": launch.TimeOut}

// phased sets what a state and its reason mean.
func phased(t launch.TaskState) launch.TaskState {
	outcome, ended := final[t.State]
	t.Outcome = outcome
	switch {
	case t.State == "COMPLETED":
		t.Phase = launch.Completed
	case ended:
		t.Phase = launch.Ended
	case t.State == "RUNNING", t.State == "COMPLETING":
		t.Phase = launch.Running
	case t.State == "PENDING" && strings.Contains(t.Reason, "requeued held"):
		t.Phase = launch.Stuck
	case t.State == "PENDING" && strings.HasPrefix(t.Reason, "JobHeld"),
		t.State == "PENDING" && strings.Contains(t.Reason, "held"),
		t.State == "REQUEUE_HOLD", t.State == "SPECIAL_EXIT", t.State == "RESV_DEL_HOLD":
		t.Phase = launch.Held
	default:
		t.Phase = launch.Waiting
	}
	return t
}

// The reason comes last, as it may be anything.
const columns = "Name:|,ArrayJobID:|,ArrayTaskID:|,State:|,exit_code:|,NodeList:|,Reason:"

// States asks squeue what there is of these names. A name has several jobs when the controller has
// forgotten one of them.
func (s *Cluster) States(ctx context.Context, names []string) ([]launch.TaskState, error) {
	if len(names) == 0 {
		return nil, nil
	}
	out, err := s.ask(ctx, "", "squeue", "--noheader", "--array", "--me", "--states=all",
		"--name="+strings.Join(names, ","), "--Format="+columns+"|")
	if err != nil {
		return nil, err
	}
	var states []launch.TaskState
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimRight(line, "| \n"), "|", 7)
		if len(f) < 6 {
			continue // the name of a cluster
		}
		f = append(f, "")
		t := phased(launch.TaskState{Name: f[0], Job: f[1], State: f[3], Exit: exit(f[4]),
			Node: node(f[5]), Reason: reason(f[6])})
		if states, err = each(states, t, f[2]); err != nil {
			return nil, err
		}
	}
	return states, nil
}

// each appends what is said of each of some tasks, which are given as "3" or, when they wait, as
// "0,2,4-7:3%2" in brackets or without. "N/A" is what has no index.
func each(states []launch.TaskState, t launch.TaskState, indices string) (
	[]launch.TaskState, error) {
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

// reason returns why a task waits or has failed, or "" for the way to say that nothing is wrong.
func reason(word string) string {
	if word == "None" {
		return ""
	}
	return word
}

// Past asks the accounting what has become of these names within a month. Where there is none,
// or where it does not answer, it knows of nothing.
func (s *Cluster) Past(ctx context.Context, names []string) ([]launch.TaskState, error) {
	if len(names) == 0 {
		return nil, nil
	}
	out, err := s.ask(ctx, "", "sacct", "--noheader", "--allocations", "--parsable2",
		"--name="+strings.Join(names, ","), "--starttime=now-30days",
		"--format=JobName,JobID,State,ExitCode,NodeList")
	if err != nil {
		return nil, ctx.Err()
	}
	var states []launch.TaskState
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimRight(line, "\n"), "|")
		if len(f) != 5 {
			continue
		}
		job, index, _ := strings.Cut(f[1], "_")
		state, reason, _ := strings.Cut(f[2], " ") // as "CANCELLED by 1000"
		t := phased(launch.TaskState{Name: f[0], Job: job, State: state, Reason: reason,
			Exit: f[3], Node: node(f[4])})
		if states, err = each(states, t, index); err != nil {
			return nil, err
		}
	}
	return states, nil
}
