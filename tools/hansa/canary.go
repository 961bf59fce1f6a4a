package main

import (
	"context"
	"encoding/json"
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

// canaries are how many tasks hansa doctor has tried out: one has to see what the other writes.
const canaries = 2

// How long a canary waits for the other one, and then for the signal.
const (
	canaryPatience = time.Minute
	canaryGlance   = 20 * time.Millisecond // between two looks for a file
)

// A song is what a canary reports of where it was.
type song struct {
	Node      string        `json:"node"`
	Processor string        `json:"processor"`
	Fused     bool          `json:"fused"`     // it multiplies and adds in one step
	Kernels   string        `json:"kernels"`   // what they are made of
	Functions string        `json:"functions"` // a digest of their values
	Cores     int           `json:"cores"`     // that it may run on
	Used      int           `json:"used"`      // of them: GOMAXPROCS
	Asked     int           `json:"asked"`     // processors; 0: it is not said
	Memory    uint64        `json:"memory"`    // bytes that its cluster gives it; 0: it is not said
	Met       bool          `json:"met"`       // the other one was there at the same time
	Answered  bool          `json:"answered"`  // and answered
	Seen      time.Duration `json:"seen"`      // after which one sees what the other writes
	Told      bool          `json:"told"`      // the signal before a time limit came
}

// A canary is a task that tries what tasks need.
type canary struct {
	run   store.Run
	index int
}

// Names of what canaries leave for each other and for the doctor.
func hereFile(index int) string { return fmt.Sprintf("here-%d", index) }
func songFile(index int) string { return fmt.Sprintf("song-%d.json", index) }

// canary tries what tasks need, and reports it in a folder.
func (c *command) canary(ctx context.Context, dir string, index int) error {
	ctx, stop := signal.NotifyContext(ctx, host.EndSignals()...)
	defer stop()
	told := make(chan os.Signal, 4)
	signal.Notify(told, launch.StopSignals()...)
	defer signal.Stop(told)
	k := &canary{store.Run{Dir: dir}, index}
	s := k.look()
	if err := k.meet(ctx, s); err != nil {
		c.Sayf("hansa: %v", err)
		return ending{launch.ExitStorage, err}
	}
	select {
	case by := <-told:
		if s.Told = by == launch.AskAgain(); !s.Told {
			return ending{launch.ExitResume, fault.ErrInterrupted}
		}
	case <-ctx.Done():
		return ending{launch.ExitResume, fault.ErrInterrupted}
	case <-time.After(canaryPatience):
	}
	content, err := json.Marshal(s)
	if err == nil {
		err = k.run.SaveFile(songFile(index), content)
	}
	return fault.Of(err)
}

// look says where a canary is.
func (k *canary) look() *song {
	_, self := clusters.Here()
	s := &song{Node: self.Node, Asked: self.CPUs, Memory: self.Memory, Kernels: kernel.ISA(),
		Functions: host.Functions(), Cores: runtime.NumCPU(), Used: runtime.GOMAXPROCS(0)}
	s.Processor, _, s.Fused = host.Processor()
	if s.Node == "" {
		s.Node, _ = os.Hostname() // else it has no name
	}
	return s
}

// meet waits for the other canary. The first one then asks and the other answers, so that the
// clock of one node tells how long it takes until what is written is seen.
func (k *canary) meet(ctx context.Context, s *song) error {
	if err := k.run.SaveFile(hereFile(k.index), nil); err != nil {
		return fault.Unstorable(k.run.Dir, err)
	}
	if _, err := os.Stat(filepath.Join(k.run.Dir, songFile(1-k.index))); err == nil {
		return nil // it was there, and has gone
	}
	if s.Met = k.await(ctx, hereFile(1-k.index)); !s.Met {
		return nil
	}
	const question, answer = "question", "answer"
	if k.index != 0 {
		if s.Answered = k.await(ctx, question); !s.Answered {
			return nil
		}
		return k.run.SaveFile(answer, nil)
	}
	asked := time.Now()
	if err := k.run.SaveFile(question, nil); err != nil {
		return fault.Unstorable(k.run.Dir, err)
	}
	s.Answered = k.await(ctx, answer)
	s.Seen = time.Since(asked) / 2
	return nil
}

// await looks for a file as hansa status looks for results: whoever lists a folder does not see
// what a network file system remembers of it.
func (k *canary) await(ctx context.Context, name string) bool {
	for end := time.Now().Add(canaryPatience); time.Now().Before(end); {
		_, _ = os.ReadDir(k.run.Dir)
		if _, err := os.ReadFile(filepath.Join(k.run.Dir, name)); err == nil {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(canaryGlance):
		}
	}
	return false
}
