//go:build unix

package builtin

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
)

// large are cells of some hundred megabytes each: for rows, for clients, for models that are kept
// and that guards make of them, for statistics of clients.
func large() map[string]study.Cell {
	rows, clients, models, moments := setting(), setting(), setting(), setting()
	rows.Picks["dataset"] = pick("regression", "features", int64(40),
		"samples_per_client", int64(60_000), "test_samples_per_client", int64(0))
	clients.Clients, clients.Law = 400_000, false
	clients.Picks["dataset"] = pick("regression", "features", int64(2),
		"samples_per_client", int64(2), "test_samples_per_client", int64(0))
	clients.Picks["importance"] = pick("uniform")
	models.Clients = 40
	models.Picks["dataset"] = pick("gaussian-domains", "classes", int64(1000), "features",
		int64(1024), "train", int64(20), "test", int64(10))
	models.Picks["model"], models.Picks["partition"] = pick("softmax"), pick("iid")
	models.Picks["availability"], models.Picks["importance"] = pick("always"), pick("uniform")
	models.Picks["aggregator"], models.Picks["local"] = pick("fedavg"), pick("sgd")
	moments = models
	moments.Clients, moments.Picks = 60, map[string]study.Pick{}
	for slot, p := range models.Picks {
		moments.Picks[slot] = p
	}
	moments.Picks["dataset"] = pick("gaussian-domains", "classes", int64(10), "features",
		int64(800), "train", int64(500), "test", int64(10))
	moments.Picks["local"], moments.Picks["aggregator"] = pick("class-moments"), pick("fedcgs")
	guarded := models
	guarded.Picks = maps.Clone(models.Picks)
	guarded.Picks["dataset"] = pick("gaussian-domains", "classes", int64(1000), "features",
		int64(300), "train", int64(20), "test", int64(10))
	guarded.Picks["guard"] = chained(map[string]any{"name": "nnm", "f": int64(1)},
		map[string]any{"name": "nnm", "f": int64(2)})
	cells := map[string]study.Cell{"rows": rows, "clients": clients, "models": models,
		"moments": moments, "guards": guarded}
	for name, c := range cells {
		c.Rounds, c.Every = 1, 1
		c.Measures = []study.Measure{{Pick: pick("upload"), Key: "upload"}}
		cells[name] = c
	}
	return cells
}

// estimatedEnv names the cell that a process of this test runs alone.
const estimatedEnv = "HANSA_TEST_ESTIMATED"

// What a cell is estimated to need is at least half of what a process takes at most that runs
// nothing else, and at most three times as much.
func TestMemoryIsEstimated(t *testing.T) {
	if name := os.Getenv(estimatedEnv); name != "" {
		measureMemory(t, large()[name])
		return
	}
	for name := range large() {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestMemoryIsEstimated$", "-test.v")
			cmd.Env = append(os.Environ(), estimatedEnv+"="+name, "GOGC=20")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			t.Log(string(out))
		})
	}
}

// measureMemory runs a cell in this process and compares its peak with the estimate.
func measureMemory(t *testing.T, c study.Cell) {
	t.Helper()
	s, _, problems := menu(t).Compose(c)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	estimate := engine.Estimate(&s, 1)
	before := peak(t)
	if _, err := engine.Run(context.Background(), &s, engine.Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	measured := peak(t) - before
	fmt.Printf("estimated %.0f MB of %.0f MB: %+v\n", estimate.Total()/1e6, measured/1e6, estimate)
	if estimate.Total() < measured/2 || estimate.Total() > 3*measured {
		t.Errorf("estimated %.0f MB, measured %.0f MB", estimate.Total()/1e6, measured/1e6)
	}
}

// peak returns the largest size that this process had, in bytes. Linux counts the size of the
// parent at the start of a process as usage of the process, and says what is its own elsewhere.
func peak(t *testing.T) float64 {
	t.Helper()
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		_, after, _ := strings.Cut(string(status), "VmHWM:")
		var kib float64
		if _, err := fmt.Sscan(after, &kib); err == nil {
			return 1024 * kib
		}
	}
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "darwin" {
		return float64(usage.Maxrss)
	}
	return 1024 * float64(usage.Maxrss)
}
