package diagnose

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"time"

	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/launch/clusters"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/store"
)

// probes are how many tasks try a cluster: one has to see what the other writes.
const probes = 2

// How long a probe task waits for the other one, and then for the signal.
const (
	patience = time.Minute
	glance   = 20 * time.Millisecond // between two looks for a file
)

// A probeReport is what a probe task reports of where it was.
type probeReport struct {
	Node      string        `json:"node"`
	Processor string        `json:"processor"`
	Fused     bool          `json:"fused"`     // it multiplies and adds in one step
	Kernels   string        `json:"kernels"`   // what they are made of
	Functions string        `json:"functions"` // a digest of their values
	Cores     int           `json:"cores"`     // that it may run on
	Used      int           `json:"used"`      // of them: GOMAXPROCS
	Asked     int           `json:"asked"`     // processors; 0: the cluster does not say
	Memory    uint64        `json:"memory"`    // bytes; 0: the cluster does not say
	Together  bool          `json:"together"`  // the other one was there at the same time
	Answered  bool          `json:"answered"`  // and answered
	Seen      time.Duration `json:"seen"`      // after which one sees what the other writes
	Signalled bool          `json:"signalled"` // the signal before a time limit came
}

// A probeTask tries what tasks need.
type probeTask struct {
	run   store.Run
	index int
}

// Names of what probe tasks leave for each other and for the probeSet.
func hereFile(index int) string   { return fmt.Sprintf("here-%d", index) }
func reportFile(index int) string { return fmt.Sprintf("report-%d.json", index) }

// ErrStopped is the error of a probe task that was stopped before it could report.
var ErrStopped = errors.New("stopped")

// Probe is what a task does that a Probing has submitted: it tries what tasks need, and reports
// that in a folder. The error is ErrStopped, or why nothing can be stored.
func Probe(ctx context.Context, dir string, index int) error {
	ctx, stop := signal.NotifyContext(ctx, host.EndSignals()...)
	defer stop()
	told := make(chan os.Signal, 4)
	signal.Notify(told, launch.StopSignals()...)
	defer signal.Stop(told)
	k := &probeTask{store.Run{Dir: dir}, index}
	report := look()
	if err := k.meet(ctx, report); err != nil {
		return fault.Unstorable(dir, err)
	}
	select {
	case by := <-told:
		if report.Signalled = by == launch.AskAgain(); !report.Signalled {
			return ErrStopped
		}
	case <-ctx.Done():
		return ErrStopped
	case <-time.After(patience):
	}
	content, err := json.Marshal(report)
	if err == nil {
		err = k.run.SaveFile(reportFile(index), content)
	}
	if err != nil {
		return fault.Unstorable(dir, err)
	}
	return nil
}

// look says where this process runs.
func look() *probeReport {
	_, self := clusters.Here()
	r := &probeReport{Node: self.Node, Asked: self.CPUs, Memory: self.Memory,
		Kernels: kernel.ISA(), Functions: host.Functions(), Cores: runtime.NumCPU(),
		Used: runtime.GOMAXPROCS(0)}
	r.Processor, _, r.Fused = host.Processor()
	if r.Node == "" {
		r.Node, _ = os.Hostname() // else it has no name
	}
	return r
}

// meet waits for the other task. The first one then asks and the other answers, so that the clock
// of one node tells how long it takes until what is written is seen.
func (k *probeTask) meet(ctx context.Context, r *probeReport) error {
	if err := k.run.SaveFile(hereFile(k.index), nil); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(k.run.Dir, reportFile(1-k.index))); err == nil {
		return nil // it was there, and has gone
	}
	if r.Together = k.await(ctx, hereFile(1-k.index)); !r.Together {
		return nil
	}
	const question, answer = "question", "answer"
	if k.index != 0 {
		if r.Answered = k.await(ctx, question); !r.Answered {
			return nil
		}
		return k.run.SaveFile(answer, nil)
	}
	asked := time.Now()
	if err := k.run.SaveFile(question, nil); err != nil {
		return err
	}
	r.Answered = k.await(ctx, answer)
	r.Seen = time.Since(asked) / 2
	return nil
}

// await looks for a file as hansa status looks for results: a process that lists a folder does not
// see what a network file system remembers of it.
func (k *probeTask) await(ctx context.Context, name string) bool {
	for end := time.Now().Add(patience); time.Now().Before(end); {
		_, _ = os.ReadDir(k.run.Dir)
		if _, err := os.ReadFile(filepath.Join(k.run.Dir, name)); err == nil {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(glance):
		}
	}
	return false
}
