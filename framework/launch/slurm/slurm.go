// Package slurm is a cluster with Slurm, of version 21.08 or later. It is used by its commands:
// sbatch, squeue, scancel, scontrol and sacct.
package slurm

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hansa-fl/hansa/framework/launch"
)

// Cluster is a cluster with Slurm. Its zero value is the one that the commands on the PATH speak
// to.
type Cluster struct {
	// Command runs a command and returns what it writes; an error is that of a command that did
	// not succeed. nil: a process, for at most 30 seconds, with the environment of this one but
	// for what would change the question.
	Command func(ctx context.Context, stdin, name string, args ...string) (
		stdout, stderr string, err error)
}

// Variables of the environment of tasks.
const (
	arrayJob   = "SLURM_ARRAY_JOB_ID"
	arrayIndex = "SLURM_ARRAY_TASK_ID"
	nodeName   = "SLURMD_NODENAME"
	restarts   = "SLURM_RESTART_COUNT"
	processors = "SLURM_CPUS_PER_TASK"
	memory     = "SLURM_MEM_PER_NODE" // in MiB
)

// about is always so: it is asked for once for every cell of a run.
var about = &launch.About{Name: "slurm", Title: "Slurm",
	Keys: slices.Concat(words(), launch.CommonKeys(), []launch.Key{{Name: "scontrol",
		About: "tasks may ask to be started again (default true)",
		Set: func(s *launch.Site, v any) bool {
			allowed, ok := v.(bool)
			s.NoRequeue = !allowed
			return ok
		}}}),
	Variables: []string{"SLURM_JOB_ID", arrayJob, arrayIndex, restarts, "SLURM_JOB_PARTITION",
		processors, memory, "SLURM_CLUSTER_NAME", nodeName},
	Hints: launch.Hints{Queue: "squeue --me", Offers: "sinfo lists partitions, sacctmgr accounts",
		Cancel: "scancel --name=", Arrays: "MaxArraySize above 1", Requeue: "JobRequeue=0"}}

// About implements launch.Cluster.
func (*Cluster) About() *launch.About { return about }

// Self implements launch.Cluster.
func (*Cluster) Self() (launch.Self, bool) {
	s := launch.Self{Job: os.Getenv(arrayJob), Index: -1, Node: os.Getenv(nodeName)}
	if index, err := strconv.Atoi(os.Getenv(arrayIndex)); err == nil {
		s.Index = index
	}
	s.Restarts, _ = strconv.Atoi(os.Getenv(restarts)) // unset at the first start
	s.CPUs, _ = strconv.Atoi(os.Getenv(processors))
	mib, _ := strconv.ParseUint(os.Getenv(memory), 10, 32)
	s.Memory = mib << 20
	return s, s != launch.Self{Index: -1}
}

// unanswered is what commands say whose controller could not be asked. The words are those of
// Slurm's errors of communication, in src/common/slurm_errno.c.
var unanswered = []string{
	"Unable to contact slurm controller", "Socket timed out", "Zero Bytes were transmitted",
	"Connection refused", "Connection timed out", "onnection failure", "standby mode",
	"Message receive failure", "Message send failure", "Resource temporarily unavailable",
	"Munge encode failed", "Protocol authentication error",
}

// ask runs a command and returns its output, see launch.Client.
func (s *Cluster) ask(ctx context.Context, stdin, name string, args ...string) (string, error) {
	c := &launch.Client{About: about, Run: s.Command, Environ: asked, Unanswered: unanswered,
		Refused: []string{"error: ", "fatal: ", "option"}}
	return c.Ask(ctx, stdin, name, args...)
}

// asked returns an environment without what would change the questions of this package: a
// user's filters and formats, and to wait for the end of what is submitted. Lists of tasks come
// whole.
func asked(env []string) []string {
	kept := []string{"SLURM_BITSTR_LEN=0"}
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		change := name == "SBATCH_WAIT" || name == "SLURM_BITSTR_LEN"
		for _, program := range []string{"SQUEUE_", "SCANCEL_", "SACCT_"} {
			change = change || strings.HasPrefix(name, program)
		}
		if !change {
			kept = append(kept, e)
		}
	}
	return kept
}

// Limits asks for what the cluster allows.
func (s *Cluster) Limits(ctx context.Context) (launch.Limits, error) {
	out, err := s.ask(ctx, "", "scontrol", "show", "config")
	if err != nil {
		return launch.Limits{}, err
	}
	has := map[string]string{}
	for line := range strings.Lines(out) {
		if key, value, ok := strings.Cut(line, "="); ok {
			has[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	l := launch.Limits{Version: has["SLURM_VERSION"], Requeue: has["JobRequeue"] == "1",
		Signalled:  holds(has["SlurmctldParameters"], "preempt_send_user_signal"),
		Accounting: has["AccountingStorageType"] == "accounting_storage/slurmdbd",
		KillWait:   seconds(has["KillWait"]), MinJobAge: seconds(has["MinJobAge"])}
	if l.ArraySize, err = strconv.Atoi(has["MaxArraySize"]); err != nil {
		return launch.Limits{}, fmt.Errorf("slurm: scontrol show config says MaxArraySize is %q",
			has["MaxArraySize"])
	}
	for _, p := range strings.Split(has["SchedulerParameters"], ",") {
		if n, ok := strings.CutPrefix(p, "max_array_tasks="); ok {
			l.ArrayTasks, _ = strconv.Atoi(n) // no number: Slurm takes no notice of it either
		}
	}
	return l, nil
}

// holds reports whether a list with commas has a word.
func holds(list, word string) bool {
	return strings.Contains(","+list+",", ","+word+",")
}

// seconds reads what is written as "30 sec"; 0 where it is not.
func seconds(text string) time.Duration {
	number, _, _ := strings.Cut(text, " ")
	n, _ := strconv.Atoi(number)
	return time.Duration(n) * time.Second
}
