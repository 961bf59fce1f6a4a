package slurm

import (
	"fmt"
	"strings"

	"github.com/hansa-fl/hansa/framework/launch"
)

// Explain says what a user should know of a task that waits or that has ended without success;
// "" where there is nothing to say.
func (*Cluster) Explain(t launch.TaskState) string {
	if t = phased(t); t.Phase.Live() {
		return waits(t)
	}
	switch t.State {
	case "COMPLETED":
		return ""
	case "TIMEOUT":
		return "it reached its time limit and was not requeued before"
	case "NODE_FAIL":
		return "its node " + named(t.Node) + "failed"
	case "BOOT_FAIL", "LAUNCH_FAILED":
		return "its node " + named(t.Node) + "could not start it"
	case "PREEMPTED":
		return "a job that goes first took its place, and the cluster does not start it again"
	case "OUT_OF_MEMORY":
		return "it used more memory than it had asked for"
	case "CANCELLED":
		return strings.TrimSpace("it was cancelled " + by(t.Reason))
	case "DEADLINE":
		return "it could not end before its deadline"
	case "REVOKED":
		return "another cluster of the federation has it"
	}
	return ended(t)
}

func named(node string) string {
	if node == "" {
		return ""
	}
	return node + " "
}

// by returns the reason where it names an actor.
func by(reason string) string {
	if strings.HasPrefix(reason, "by ") {
		return "by user " + strings.TrimPrefix(reason, "by ")
	}
	return ""
}

// ended says what a task that failed ended with. Slurm's own 53 is ESLURMD_IO_ERROR of
// slurmstepd, cut off to what a signal may be.
func ended(t launch.TaskState) string {
	switch t.Exit {
	case "0:53":
		return strings.TrimSpace("it never began: the folder of its log is missing or cannot be " +
			"written on its node " + t.Node)
	case "126:0":
		return strings.TrimSpace("its program cannot be executed on its node " + t.Node)
	case "127:0":
		return strings.TrimSpace("its program is not there on its node " + t.Node)
	case "0:9", "137:0":
		return "it was killed, perhaps as it used more memory than it had asked for"
	case "0:15", "143:0":
		return "it was told to end"
	}
	var status, signal int
	if n, err := fmt.Sscanf(t.Exit, "%d:%d", &status, &signal); n != 2 || err != nil {
		return strings.ToLower(t.State + " " + t.Reason)
	}
	if status > 128 && signal == 0 {
		signal = status - 128 // the shell's way to say it
	}
	if signal > 0 {
		return fmt.Sprintf("signal %d ended it", signal)
	}
	return fmt.Sprintf("it ended with status %d: its log says why", status)
}

// waits says why a task waits where that may be for ever, or looks as if.
func waits(t launch.TaskState) string {
	if t.Phase.IsHeld() {
		return "it is held: scontrol release " + task(t.Job, t.Index)
	}
	if t.State != "PENDING" {
		if t.State == "SUSPENDED" || t.State == "STOPPED" {
			return "it is suspended"
		}
		return ""
	}
	r := t.Reason
	limit := strings.HasPrefix(r, "QOS") || strings.HasPrefix(r, "Assoc")
	switch {
	case limit && strings.Contains(r, "PerJob"):
		return "it asks for more than it may have: " + r
	case limit:
		return "others of its user or account run, and together they may have no more: " +
			r
	case r == "BeginTime":
		return "it begins again two minutes after it has ended, as a rule"
	case r == "JobArrayTaskLimit":
		return "as many as may run at once do"
	case r == "DependencyNeverSatisfied":
		return "what it waits for will never be"
	case strings.HasPrefix(r, "Partition"), r == "BadConstraints", r == "NodeDown":
		return "it may wait for ever: " + r
	case strings.HasPrefix(r, "ReqNodeNotAvail"):
		return "the nodes it needs are down or reserved"
	}
	return ""
}
