package session_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/view"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/reports/leaderboard"
	"github.com/hansa-fl/hansa/reports/table"
)

// grid writes an experiment of methods × points × seeds training runs of two rounds each.
func grid(t *testing.T, dir string, methods, points, seeds int) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, `seeds = %d
[setting]
clients      = 3
rounds       = 2
dataset      = { name = "regression", features = 2, samples_per_client = 4 }
partition    = "natural"
importance   = "uniform"
model        = "linear"
local        = { name = "sgd", steps = 1, lr = 0.01 }
availability = { name = "bernoulli", rate = 0.5 }
metrics      = ["suboptimality", "loss"]
[report]
metrics  = ["suboptimality"]
baseline = "M0"
[sweep]
"local.lr" = [0.001`, seeds)
	for p := range points - 1 {
		fmt.Fprintf(&b, ", %g", float64(p+2)/1000)
	}
	b.WriteString("]\n")
	for m := range methods {
		fmt.Fprintf(&b, "[[method]]\nlabel = \"M%d\"\naggregator = { name = \"fedavgm\", "+
			"weights = \"uniform\", server_rate = %g }\n", m, 0.5+float64(m)/1000)
	}
	file := filepath.Join(dir, "grid.toml")
	if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// A use is what a step of the work on a run takes for each of its training runs.
type use struct {
	allocations float64
	reads       float64 // system calls; -1 where the system does not count them
}

// usesOf runs an experiment, and counts what every step takes.
func usesOf(t *testing.T, methods, points, seeds int) (names []string, uses map[string]use) {
	t.Helper()
	dir := t.TempDir()
	file := grid(t, dir, methods, points, seeds)
	run := store.Run{Dir: filepath.Join(dir, "run")}
	cells := float64(methods * points * seeds)
	uses = map[string]use{}
	step := func(name string, do func() error) {
		t.Helper()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		reads := readCalls()
		if err := do(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		read := readCalls() - reads
		runtime.ReadMemStats(&after)
		u := use{float64(after.Mallocs-before.Mallocs) / cells, -1}
		if reads > 0 {
			u.reads = float64(read) / cells
		}
		names, uses[name] = append(names, name), u
	}
	ctx, s := context.Background(), new(session.Session)
	var x *session.Experiment
	var j *session.Job
	var plan *store.Plan
	var in *infer.Input
	step("read", func() (err error) {
		x, err = session.Read(file, &session.Overrides{})
		return err
	})
	step("run", func() (err error) {
		j, err = s.RunExperiment(ctx, x, run.Dir, session.Options{})
		return err
	})
	if j.Used == nil || j.Used.Cells != int(cells) || j.Used.Busy > 1.01*j.Used.Seconds*
		float64(j.Used.Workers) || !(j.Used.Busy > 0) {
		t.Errorf("it was busy for %+v", j.Used)
	}
	step("run again", func() (err error) {
		j, err = s.RunExperiment(ctx, x, run.Dir, session.Options{})
		return err
	})
	step("plan", func() (err error) {
		plan, err = run.LoadPlan()
		return err
	})
	step("status", func() error {
		_, err := s.RunState(ctx, run, plan)
		return err
	})
	step("gather", func() error {
		in = s.Gather(run, plan, nil)
		return nil
	})
	step("table", func() error {
		_, err := table.Build(*in)
		return err
	})
	step("compare", func() error {
		_, err := table.Compare(*in, table.ComparisonOptions{})
		return err
	})
	step("site", func() error {
		b := &leaderboard.Board{Runs: []infer.Run{{Name: "grid", Input: *in}}}
		b.Describe = func(kind, name string) leaderboard.Component {
			return leaderboard.Component{Kind: kind, Name: name}
		}
		_, err := leaderboard.Files(b)
		return err
	})
	if _, err := view.StatusJSON(run, plan, new(session.RunState), nil); err != nil {
		t.Error(err)
	}
	return names, uses
}

// readCalls returns how often this process has read from something, or 0 where that is not known.
func readCalls() int {
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "syscr: ")
	var n int
	_, _ = fmt.Sscan(rest, &n) // or it stays 0
	return n
}

// Nothing that is done with a run takes more for a training run of a large one than for one of a
// small one, whether methods, points or seeds are many: allocations, and reads of files, of which
// each result and each attempt is opened once and read to its end.
func TestWorkGrowsWithTrainingRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("it trains 1,300 times")
	}
	const growth, readsOfOne = 1.4, 2.5
	mostReads := map[string]float64{
		"read": 0.1, "run again": readsOfOne, "plan": 0.1, "status": readsOfOne,
		"gather": 2 * readsOfOne, "table": 0.1, "compare": 0.1, "site": 0.1,
	}
	_, small := usesOf(t, 5, 4, 5)
	for what, size := range map[string][3]int{
		"methods": {20, 4, 5}, "points": {5, 16, 5}, "seeds": {5, 4, 20},
	} {
		names, large := usesOf(t, size[0], size[1], size[2])
		for _, name := range names {
			a, b := small[name], large[name]
			t.Logf("%s × 4, %s: %.0f allocations for each training run after %.0f, %.1f reads "+
				"after %.1f", what, name, b.allocations, a.allocations, b.reads, a.reads)
			if b.allocations > growth*a.allocations {
				t.Errorf("%s × 4, %s: %.0f allocations for each training run after %.0f", what,
					name, b.allocations, a.allocations)
			}
			if most, ok := mostReads[name]; ok && b.reads > most {
				t.Errorf("%s × 4, %s: %.1f reads for each training run, want at most %.1f", what,
					name, b.reads, most)
			}
		}
	}
}
