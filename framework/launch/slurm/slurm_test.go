package slurm_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/launch/slurm"
)

// A reply is what a recorded command wrote, and whether it failed.
type reply struct {
	out, said string
	err       error
}

// errStatus stands for a status other than 0.
var errStatus = errors.New("exit status 1")

// A recording is a cluster that says what another one said, in turns for each command.
type recording struct {
	t     *testing.T
	says  map[string][]reply
	asked []string // commands with their arguments
	stdin string   // of the last one
}

func (r *recording) command(ctx context.Context, stdin, name string, args ...string) (
	string, string, error) {
	r.asked = append(r.asked, name+" "+strings.Join(args, " "))
	r.stdin = stdin
	replies := r.says[name]
	if len(replies) == 0 {
		r.t.Errorf("%s was not to be asked", r.asked[len(r.asked)-1])
		return "", "", exec.ErrNotFound
	}
	if len(replies) > 1 {
		r.says[name] = replies[1:]
	}
	return replies[0].out, replies[0].said, replies[0].err
}

// count returns how often a command was asked.
func (r *recording) count(name string) (n int) {
	for _, a := range r.asked {
		if strings.HasPrefix(a, name+" ") {
			n++
		}
	}
	return n
}

func recorded(t *testing.T, says map[string][]reply) (*recording, *slurm.Cluster) {
	r := &recording{t: t, says: says}
	return r, &slurm.Cluster{Command: r.command}
}

// What 22.05 says when its controller is down; the version of the connection differs.
var down = reply{"", "slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n",
	errStatus}

func TestLimits(t *testing.T) {
	config, err := os.ReadFile("testdata/config-22.05")
	if err != nil {
		t.Fatal(err)
	}
	// A site's own settings, in the words of the manual of 24.05.
	newer := strings.NewReplacer(
		"accounting_storage/none", "accounting_storage/slurmdbd", "22.05.8", "24.05.2",
		"= 1001", "= 75001", "preempt_send_user_signal", "enable_configless",
		"SchedulerParameters     = ", "SchedulerParameters     = bf_continue,max_array_tasks=500,",
		"JobRequeue              = 1", "JobRequeue              = 0").Replace(string(config))
	for _, c := range []struct {
		config string
		want   launch.Limits
		tasks  int
	}{
		{string(config), launch.Limits{Version: "22.05.8", ArraySize: 1001, Requeue: true,
			Signalled: true, KillWait: 5 * time.Second, MinJobAge: 300 * time.Second}, 1001},
		{newer, launch.Limits{Version: "24.05.2", ArraySize: 75001, ArrayTasks: 500,
			Accounting: true, KillWait: 5 * time.Second, MinJobAge: 300 * time.Second}, 500},
		{"MaxArraySize = 0\n", launch.Limits{}, 1},
	} {
		_, s := recorded(t, map[string][]reply{"scontrol": {{out: c.config}}})
		got, err := s.Limits(t.Context())
		if got != c.want || err != nil {
			t.Errorf("%+v %v, want %+v", got, err, c.want)
		}
		if n := got.Tasks(&launch.Site{}); n != c.tasks {
			t.Errorf("%d tasks, want %d", n, c.tasks)
		}
		if n := got.Tasks(&launch.Site{MaxTasks: 7}); n != min(7, c.tasks) {
			t.Errorf("%d tasks, want at most 7", n)
		}
	}
	_, s := recorded(t, map[string][]reply{"scontrol": {{out: "nothing of it\n"}}})
	if _, err := s.Limits(t.Context()); err == nil {
		t.Error("no limits are taken for limits")
	}
}

func TestUnreachable(t *testing.T) {
	for _, r := range []reply{down,
		{"", "slurm_load_jobs error: Socket timed out on send/recv operation\n", errStatus},
		{"", "", context.DeadlineExceeded}} {
		_, s := recorded(t, map[string][]reply{"squeue": {r}, "scontrol": {r}, "scancel": {r}})
		_, err := s.States(t.Context(), []string{"a"})
		_, limits := s.Limits(t.Context())
		cancel := launch.Cancel(t.Context(), s, []string{"a"})
		for _, err := range []error{err, limits, cancel, s.Requeue(t.Context(), "7", 1),
			s.Tell(t.Context(), "7", 1)} {
			if !errors.Is(err, launch.ErrUnreachable) {
				t.Errorf("%v", err)
			}
		}
	}
	s := &slurm.Cluster{}
	t.Setenv("PATH", t.TempDir())
	_, err := s.Limits(t.Context())
	if errors.Is(err, launch.ErrUnreachable) || !errors.Is(err, exec.ErrNotFound) ||
		err.Error() != "slurm: there is no scontrol here: is this a node of a cluster with Slurm?" {
		t.Errorf("%v", err)
	}
}

func array(t *testing.T) *launch.Array {
	t.Helper()
	return &launch.Array{Site: &launch.Site{}, Name: "hansa-a", Tasks: 8,
		Log: filepath.Join(t.TempDir(), "log"), Command: []string{"/bin/hansa", "task"}}
}

// What happens when it is submitted: how often sbatch runs, and what comes of it.
func TestSubmit(t *testing.T) {
	none, some := reply{}, reply{out: "hansa-a|41|0|PENDING|0||None|\n"}
	// Two of the name: what was first remembered counts.
	twice := reply{out: "hansa-a|43|0|PENDING|0||None|\nhansa-a|41|0|PENDING|0||None|\n"}
	killed := reply{err: errors.New("signal: killed")}
	refused := reply{"", "sbatch: error: Batch job submission failed: " +
		"Invalid job array specification\n", errStatus}
	noPartition := reply{"", "sbatch: error: invalid partition specified: nope\n", errStatus}
	good := reply{out: "42\n"}
	unreachable := reply{"", "sbatch: error: Batch job submission failed: " +
		"Unable to contact slurm controller (connect failure)\n", errStatus}
	late := reply{err: context.DeadlineExceeded}
	for name, c := range map[string]struct {
		sbatch, squeue []reply
		want, fails    string
		times          int
		unreachable    bool
	}{
		"it is taken":        {[]reply{good}, nil, "42", "", 1, false},
		"on a cluster":       {[]reply{{out: "42;far\n"}}, nil, "42", "", 1, false},
		"with a greeting":    {[]reply{{out: "Welcome!\n42\n"}}, nil, "42", "", 1, false},
		"it got through":     {[]reply{killed}, []reply{some}, "41", "", 1, false},
		"it took too long":   {[]reply{late}, []reply{some}, "41", "", 1, false},
		"there are two":      {[]reply{killed}, []reply{twice}, "41", "", 1, false},
		"not known yet":      {[]reply{killed}, []reply{down, down, some}, "41", "", 1, false},
		"it did not":         {[]reply{killed, good}, []reply{none}, "42", "", 2, false},
		"a restart":          {[]reply{unreachable, good}, []reply{down, none}, "42", "", 2, false},
		"an answer is none":  {[]reply{{out: "ok\n"}}, []reply{some}, "41", "", 1, false},
		"it is refused":      {[]reply{refused}, []reply{none}, "", "Invalid job array", 1, false},
		"a wrong partition":  {[]reply{noPartition}, []reply{none}, "", ": nope", 1, false},
		"it is killed again": {[]reply{killed}, []reply{none}, "", "not submitted", 3, false},
		"it is down":         {[]reply{unreachable}, []reply{down}, "", "cannot be asked", 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			a := array(t)
			synctest.Test(t, func(t *testing.T) {
				r, s := recorded(t, map[string][]reply{"sbatch": c.sbatch, "squeue": c.squeue})
				id, err := launch.Submit(t.Context(), s, a)
				if id != c.want || r.count("sbatch") != c.times {
					t.Errorf("id %q %v, after %q", id, err, r.asked)
				}
				if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
					t.Errorf("%v, want %q", err, c.fails)
				}
				if errors.Is(err, launch.ErrUnreachable) != c.unreachable {
					t.Errorf("%v: unreachable is %t", err, !c.unreachable)
				}
			})
			if _, err := os.Stat(a.Log); err != nil {
				t.Error(err) // without it tasks would fail and say nothing
			}
		})
	}
}

func TestSubmitIsCalledOff(t *testing.T) {
	a := array(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r, s := recorded(t, map[string][]reply{"sbatch": {{err: errStatus}}})
		if _, err := launch.Submit(ctx, s, a); !errors.Is(err, context.DeadlineExceeded) || len(r.asked) != 1 {
			t.Errorf("%v after %q", err, r.asked)
		}
	})
}

func TestOptions(t *testing.T) {
	r, s := recorded(t, map[string][]reply{"sbatch": {{out: "42"}}})
	a := array(t)
	a.Site = &launch.Site{Words: map[string]string{"partition": "long", "account": "lab", "qos": "low",
		"constraint": "avx2|amd", "reservation": "day"}, Time: 90*time.Minute + time.Second, Memory: "4G", CPUs: 3, Throttle: 9,
		Exclude: []string{"n1", "n[4-6]"}, Extra: []string{"--licenses=x"}, Signal: time.Minute}
	a.Log, a.Comment, a.After = filepath.Join(t.TempDir(), "100 %a"), "hansa: a study", "17"
	if _, err := launch.Submit(t.Context(), s, a); err != nil {
		t.Fatal(err)
	}
	want := "sbatch --parsable --job-name=hansa-a --requeue --open-mode=append --nodes=1 " +
		"--ntasks=1 --signal=B:USR1@60 --time=91 --cpus-per-task=3 --mem=4G --partition=long " +
		"--account=lab --qos=low --constraint=avx2|amd --reservation=day --exclude=n1,n[4-6] " +
		"--licenses=x --array=0-7%9 --output=" + filepath.Dir(a.Log) + "/100 %%a/%a.log " +
		"--comment=hansa: a study --dependency=afterany:17"
	if r.asked[0] != want {
		t.Errorf("%s\nwant %s", r.asked[0], want)
	}
	if r.stdin != a.Script("SLURM_ARRAY_TASK_ID", "SLURM_CPUS_PER_TASK") {
		t.Errorf("the script is %q", r.stdin)
	}
	a.Tasks = 0
	if _, err := launch.Submit(t.Context(), s, a); err != nil || strings.Contains(r.asked[1], "--array") ||
		!strings.Contains(r.asked[1], "/100 %%a/job.log") || strings.Contains(r.stdin, "--index") {
		t.Errorf("%v %s %s", err, r.asked[1], r.stdin)
	}
	a.Site = &launch.Site{}
	if err := s.Try(t.Context(), a.Site); err != nil {
		t.Error(err)
	}
	want = "sbatch --test-only --requeue --open-mode=append --nodes=1 --ntasks=1 " +
		"--signal=B:USR1@120 --time=60 --cpus-per-task=1"
	if last := r.asked[len(r.asked)-1]; last != want {
		t.Errorf("%s\nwant %s", last, want)
	}
}

func TestNonsenseIsRefused(t *testing.T) {
	for want, site := range map[string]*launch.Site{
		`partition: "a b" is not one word`:            {Words: map[string]string{"partition": "a b"}},
		`exclude: "n1,n2\n" is not one word`:          {Exclude: []string{"n1", "n2\n"}},
		`mem: "4 GB" is not a number`:                 {Memory: "4 GB"},
		`mem: "0" is not a number`:                    {Memory: "0"},
		`cpus_per_task: -1 is below 0`:                {CPUs: -1},
		`throttle: -2 is below 0`:                     {Throttle: -2},
		`time: 59s is less than a minute`:             {Time: 59 * time.Second},
		`time: -1h0m0s is less than a minute`:         {Time: -time.Hour},
		`signal: -1s is not from 1 s to 65535 s`:      {Signal: -time.Second},
		`time: 6m0s is not more than three times the`: {Time: 6 * time.Minute},
		`extra: "-p x" is not an option of sbatch`:    {Extra: []string{"-p x"}},
		`extra: "--mem 4G" is not an option`:          {Extra: []string{"--mem 4G"}},
		`extra: --array is not for a site to set`:     {Extra: []string{"--array=0-3"}},
		`setup: "\x00" has a NUL`:                     {Setup: []string{"\x00"}},
	} {
		if err := new(slurm.Cluster).Check(site); err == nil || !strings.HasPrefix(err.Error(), "slurm: "+want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for want, change := range map[string]func(a *launch.Array){
		`"a,b" is no name`:      func(a *launch.Array) { a.Name = "a,b" },
		`-1 tasks`:              func(a *launch.Array) { a.Tasks = -1 },
		`there is no command`:   func(a *launch.Array) { a.Command = nil },
		`the folder "log"`:      func(a *launch.Array) { a.Log = "log" },
		`the path "/a\\b" has`:  func(a *launch.Array) { a.Log = `/a\b` },
		`"7:1" is no id`:        func(a *launch.Array) { a.After = "7:1" },
		`"A B" is no name of a`: func(a *launch.Array) { a.Env = map[string]string{"A B": ""} },
		`the command or its`:    func(a *launch.Array) { a.Command = []string{"a\x00"} },
		`time: 1s is less`:      func(a *launch.Array) { a.Site = &launch.Site{Time: time.Second} },
	} {
		a := array(t)
		change(a)
		_, s := recorded(t, nil) // is not asked
		if _, err := launch.Submit(t.Context(), s, a); err == nil ||
			!strings.HasPrefix(err.Error(), "slurm: "+want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	_, s := recorded(t, map[string][]reply{"sbatch": {{"", "sbatch: error: invalid partition " +
		"specified: nope\nallocation failure: Invalid partition name specified\n", errStatus}}})
	want := "slurm: sbatch: invalid partition specified: nope; " +
		"allocation failure: Invalid partition name specified"
	if err := s.Try(t.Context(), &launch.Site{Words: map[string]string{"partition": "nope"}}); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// A shell makes of the script what was meant, whatever is in paths.
func TestScript(t *testing.T) {
	dir := filepath.Join(t.TempDir(), `it's "$HOME" a*b \ ü`)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "show me")
	text := "#!/bin/sh\nprintf '%s|' \"$@\" \"$GOMAXPROCS\" \"$GOTRACEBACK\" \"$A\" \"$B\"\n"
	if err := os.WriteFile(program, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	args := []string{"", "two words", "-n", `'`, `"`, "`id`", "$(id)", "new\nline", `\`, "*", "é"}
	a := &launch.Array{Site: &launch.Site{Setup: []string{"B='of setup'", "export B"}},
		Tasks: 1, Command: append([]string{program}, args...),
		Env: map[string]string{"A": "it's $A"}}
	cmd := exec.Command("/bin/sh")
	cmd.Stdin = strings.NewReader(a.Script("SLURM_ARRAY_TASK_ID", "SLURM_CPUS_PER_TASK"))
	cmd.Env = []string{"SLURM_ARRAY_TASK_ID=7", "SLURM_CPUS_PER_TASK=3", "PATH=/bin:/usr/bin"}
	out, err := cmd.Output()
	want := slices.Concat(args, []string{"--index", "7", "3", "all", "it's $A", "of setup", ""})
	if got := strings.Split(string(out), "|"); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v\n%q\nwant\n%q", err, got, want)
	}
}
