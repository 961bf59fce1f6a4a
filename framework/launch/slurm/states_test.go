package slurm_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/launch/slurm"
)

// Recorded of 22.05, but for the states that take more than one machine to see.
const queue = `CLUSTER: local
hansa-a|15|7|RUNNING|0|node2|None|
hansa-a|15|4|FAILED|35072|node1|NonZeroExitCode|
hansa-a|15|3|FAILED|9|node2|JobLaunchFailure|
hansa-a|15|5|COMPLETED|0|node1|None|
hansa-b|16|0|FAILED|4021|node1|JobLaunchFailure|
hansa-b|17|N/A|CANCELLED|0||JobHeldUser|
hansa-b|18|1|PENDING|0||launch failed | requeued held|
hansa-c|19|2-3,9,20-24:2%3|PENDING|0||JobArrayTaskLimit|
hansa-c|19|[40]|PENDING|0|(null)|Resources|
hansa-d|26|N/A|COMPLETED|0|node1|None|
`

func TestStates(t *testing.T) {
	r, s := recorded(t, map[string][]reply{"squeue": {{out: queue}}})
	got, err := s.States(t.Context(), []string{"hansa-a", "hansa-b", "hansa-c", "hansa-d"})
	want := []launch.TaskState{
		{Name: "hansa-a", Job: "15", Index: 7, Phase: launch.Running, State: "RUNNING",
			Node: "node2", Exit: "0:0"},
		{Name: "hansa-a", Job: "15", Index: 4, Phase: launch.Ended, Outcome: launch.Crash,
			State: "FAILED", Reason: "NonZeroExitCode", Node: "node1", Exit: "137:0"},
		{Name: "hansa-a", Job: "15", Index: 3, Phase: launch.Ended, Outcome: launch.Crash,
			State: "FAILED", Reason: "JobLaunchFailure", Node: "node2", Exit: "0:9"},
		{Name: "hansa-a", Job: "15", Index: 5, Phase: launch.Completed, State: "COMPLETED",
			Node: "node1", Exit: "0:0"},
		{Name: "hansa-b", Job: "16", Phase: launch.Ended, Outcome: launch.Crash, State: "FAILED",
			Reason: "JobLaunchFailure", Node: "node1", Exit: "0:53"},
		{Name: "hansa-b", Job: "17", Index: -1, Phase: launch.Ended, Outcome: launch.Cancelled,
			State: "CANCELLED", Reason: "JobHeldUser", Exit: "0:0"},
		{Name: "hansa-b", Job: "18", Index: 1, Phase: launch.Stuck, State: "PENDING",
			Reason: "launch failed | requeued held", Exit: "0:0"},
	}
	for _, i := range []int{2, 3, 9, 20, 22, 24} {
		want = append(want, launch.TaskState{Name: "hansa-c", Job: "19", Index: i, Phase: launch.Waiting, State: "PENDING",
			Reason: "JobArrayTaskLimit", Exit: "0:0"})
	}
	want = append(want, launch.TaskState{Name: "hansa-c", Job: "19", Index: 40, Phase: launch.Waiting, State: "PENDING",
		Reason: "Resources", Exit: "0:0"},
		launch.TaskState{Name: "hansa-d", Job: "26", Index: -1, Phase: launch.Completed, State: "COMPLETED",
			Node: "node1", Exit: "0:0"})
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n%v\nwant\n%v", err, got, want)
	}
	if len(r.asked) != 1 || !strings.Contains(r.asked[0], "--me --states=all "+
		"--name=hansa-a,hansa-b,hansa-c,hansa-d --") {
		t.Errorf("%q", r.asked)
	}
	for _, line := range []string{"a|1|x|PENDING|0||None|", "a|1|4-|PENDING|0||None|",
		"a|1|1-2:0|PENDING|0||None|"} {
		_, s := recorded(t, map[string][]reply{"squeue": {{out: line + "\n"}}})
		if got, err := s.States(t.Context(), []string{"a"}); err == nil {
			t.Errorf("%s: %v", line, got)
		}
	}
	_, s = recorded(t, nil) // is not asked
	if got, err := s.States(t.Context(), nil); len(got) != 0 || err != nil {
		t.Errorf("%v %v", got, err)
	}
}

func TestPast(t *testing.T) {
	_, s := recorded(t, map[string][]reply{"sacct": {{out: `hansa-a|15_0|COMPLETED|0:0|n1
hansa-a|15_1|CANCELLED by 1000|0:15|n2
hansa-a|15_2|OUT_OF_MEMORY|0:125|n2
hansa-a|15_[4-6%2]|PENDING|0:0|None assigned
hansa-c|16|TIMEOUT|0:0|n1
`}}})
	want := []launch.TaskState{
		{Name: "hansa-a", Job: "15", Phase: launch.Completed, State: "COMPLETED", Node: "n1",
			Exit: "0:0"},
		{Name: "hansa-a", Job: "15", Index: 1, Phase: launch.Ended, Outcome: launch.Cancelled,
			State: "CANCELLED", Reason: "by 1000", Node: "n2", Exit: "0:15"},
		{Name: "hansa-a", Job: "15", Index: 2, Phase: launch.Ended, Outcome: launch.Memory,
			State: "OUT_OF_MEMORY", Node: "n2", Exit: "0:125"},
		{Name: "hansa-a", Job: "15", Index: 4, Phase: launch.Waiting, State: "PENDING",
			Exit: "0:0"},
		{Name: "hansa-a", Job: "15", Index: 5, Phase: launch.Waiting, State: "PENDING",
			Exit: "0:0"},
		{Name: "hansa-a", Job: "15", Index: 6, Phase: launch.Waiting, State: "PENDING",
			Exit: "0:0"},
		{Name: "hansa-c", Job: "16", Index: -1, Phase: launch.Ended, Outcome: launch.TimeOut,
			State: "TIMEOUT", Node: "n1", Exit: "0:0"},
	}
	got, err := s.Past(t.Context(), []string{"hansa-a", "hansa-c"})
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n%v\nwant\n%v", err, got, want)
	}
	for _, none := range []reply{
		{"", "Slurm accounting storage is disabled\n", errStatus},
		{"", "sacct: error: slurm_persist_conn_open: failed\n", errStatus},
		{"", "", context.DeadlineExceeded},
	} {
		_, s := recorded(t, map[string][]reply{"sacct": {none}})
		if got, err := s.Past(t.Context(), []string{"a"}); len(got) != 0 || err != nil {
			t.Errorf("%v %v", got, err)
		}
	}
}

func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ends := reply{out: "a|7|0|COMPLETING|0|n1|None|\n"}
		both := reply{out: ends.out + "b|8|0|PENDING|0||None|\n"}
		r, s := recorded(t, map[string][]reply{"scancel": {{}},
			"squeue": {both, ends, ends, {out: "a|7|0|CANCELLED|15|n1|None|\n"}}})
		began := time.Now()
		err := launch.Cancel(t.Context(), s, []string{"a", "b", "c"})
		if err != nil || r.count("squeue") != 4 || r.count("scancel") != 2 ||
			r.asked[1] != "scancel --me --name=a" || r.asked[2] != "scancel --me --name=b" {
			t.Errorf("%v, %q", err, r.asked)
		}
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("it waited %v", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		r, s = recorded(t, map[string][]reply{"scancel": {{}}, "squeue": {ends}})
		err = launch.Cancel(ctx, s, []string{"a"})
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "1 tasks") ||
			r.count("squeue") > 9 { // one before it waits
			t.Errorf("%v after %q", err, r.asked)
		}
	})
}

func TestRequeue(t *testing.T) {
	r, s := recorded(t, map[string][]reply{"scontrol": {{}}})
	for _, err := range []error{s.Requeue(t.Context(), "7", 3), s.Requeue(t.Context(), "8", -1)} {
		if err != nil {
			t.Error(err)
		}
	}
	want := "scontrol requeue 7_3\nscontrol requeue 8"
	if got := strings.Join(r.asked, "\n"); got != want {
		t.Errorf("%s", got)
	}
}

func TestExplain(t *testing.T) {
	for _, c := range []struct{ state, reason, exit, want string }{
		{"COMPLETED", "None", "0:0", ""},
		{"RUNNING", "None", "0:0", ""},
		{"COMPLETING", "None", "0:0", ""},
		{"FAILED", "JobLaunchFailure", "0:53", "it never began: the folder of its log is missing or " +
			"cannot be written on its node n1"},
		{"FAILED", "NonZeroExitCode", "126:0", "its program cannot be executed on its node n1"},
		{"FAILED", "NonZeroExitCode", "127:0", "its program is not there on its node n1"},
		{"FAILED", "JobLaunchFailure", "0:9",
			"it was killed, perhaps as it used more memory than it had asked for"},
		{"FAILED", "NonZeroExitCode", "137:0",
			"it was killed, perhaps as it used more memory than it had asked for"},
		{"FAILED", "JobLaunchFailure", "0:15", "it was told to end"},
		{"FAILED", "NonZeroExitCode", "139:0", "signal 11 ended it"},
		{"FAILED", "JobLaunchFailure", "0:10", "signal 10 ended it"},
		{"FAILED", "NonZeroExitCode", "2:0", "it ended with status 2: its log says why"},
		{"FAILED", "Cosmic", "", "failed cosmic"},
		{"TIMEOUT", "TimeLimit", "0:0", "it reached its time limit and was not requeued before"},
		{"NODE_FAIL", "None", "0:0", "its node n1 failed"},
		{"BOOT_FAIL", "None", "0:0", "its node n1 could not start it"},
		{"PREEMPTED", "None", "0:0",
			"a job that goes first took its place, and the cluster does not start it again"},
		{"OUT_OF_MEMORY", "None", "0:125", "it used more memory than it had asked for"},
		{"CANCELLED", "by 1000", "0:15", "it was cancelled by user 1000"},
		{"CANCELLED", "None", "0:15", "it was cancelled"},
		{"DEADLINE", "", "0:0", "it could not end before its deadline"},
		{"REVOKED", "", "0:0", "another cluster of the federation has it"},
		{"SUSPENDED", "None", "0:0", "it is suspended"},
		{"REQUEUE_HOLD", "", "0:0", "it is held: scontrol release 7_1"},
		{"PENDING", "Priority", "0:0", ""},
		{"PENDING", "JobHeldUser", "0:0", "it is held: scontrol release 7_1"},
		{"PENDING", "launch failed requeued held", "0:0", "it is held: scontrol release 7_1"},
		{"PENDING", "JobArrayTaskLimit", "0:0", "as many as may run at once do"},
		{"PENDING", "BeginTime", "0:0", "it begins again two minutes after it has ended, as a rule"},
		{"PENDING", "QOSMaxCpuPerUserLimit", "0:0",
			"others of its user or account run, and together they may have no more: QOSMaxCpuPerUserLimit"},
		{"PENDING", "AssocMaxMemPerJob", "0:0", "it asks for more than it may have: AssocMaxMemPerJob"},
		{"PENDING", "PartitionTimeLimit", "0:0", "it may wait for ever: PartitionTimeLimit"},
		{"PENDING", "BadConstraints", "0:0", "it may wait for ever: BadConstraints"},
		{"PENDING", "DependencyNeverSatisfied", "0:0", "what it waits for will never be"},
		{"PENDING", "ReqNodeNotAvail, UnavailableNodes:n1", "0:0",
			"the nodes it needs are down or reserved"},
	} {
		_, s := recorded(t, map[string][]reply{"sacct": {{out: "a|7_1|" + c.state + "|0:0|n1\n"}}})
		past, err := s.Past(t.Context(), []string{"a"}) // for what is live
		if err != nil || len(past) != 1 {
			t.Fatalf("%v %v", past, err)
		}
		state := past[0]
		state.Reason, state.Exit = c.reason, c.exit
		if got := new(slurm.Cluster).Explain(state); got != c.want {
			t.Errorf("%s %s %s: %q, want %q", c.state, c.reason, c.exit, got, c.want)
		}
	}
}
