package launch

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// A Service is a worker process at work.
type Service struct {
	// Do does a job. It reports what there is to say by calling tell, and returns an error that
	// may be a *Failure. When ctx ends the job was called off: Do brings what it does to an end
	// that loses nothing, and returns the error of ctx.
	Do func(ctx context.Context, job []byte, tell func(Report)) ([]byte, error)
	// Where says what the job is doing now; nil where nothing is known. It is called while
	// Do runs.
	Where func() string
	// Overdue says what is wrong when Do cannot be made to return in time, or "". It is
	// called while Do runs; nil: Do always returns.
	Overdue func() string
	Memory  uint64 // bytes that the heap may hold; 0: no limit

	mu  sync.Mutex
	out *gob.Encoder
}

const (
	glance    = 10 * time.Millisecond  // between two looks at what the job does
	frame     = 100 * time.Millisecond // between two reports of rounds: bars move no faster
	heartbeat = time.Second
	deepest   = 64 << 20 // bytes of a stack
	exitLimit = 3        // exit status of a process that ends itself
)

// Serve does the jobs that are read from in until there are no more, and writes to out what
// comes of them. What a job does beyond its limits ends the process.
func (s *Service) Serve(in io.Reader, out io.Writer) error {
	debug.SetMaxStack(deepest)
	if s.Memory > 0 {
		debug.SetMemoryLimit(int64(s.Memory / 10 * 9))
		backstop(s.Memory)
	}
	s.out = gob.NewEncoder(out)
	requests, end := receive(in)
	for r := range requests {
		if r.Stop {
			continue // the job was over by then
		}
		if err := s.one(r.Job, requests); err != nil {
			return fmt.Errorf("launch: %w", err)
		}
	}
	if err := <-end; err != nil {
		return fmt.Errorf("launch: %w", err)
	}
	return nil
}

// receive passes on what is asked until there is no more, and then says why that is wrong.
func receive(in io.Reader) (<-chan request, <-chan error) {
	requests, end := make(chan request), make(chan error, 1)
	go func() {
		defer close(requests)
		d := gob.NewDecoder(in)
		for {
			var r request
			err := d.Decode(&r)
			if err != nil {
				if errors.Is(err, io.EOF) {
					err = nil
				}
				end <- err
				return
			}
			requests <- r
		}
	}()
	return requests, end
}

// one does one job, which a request may call off.
func (s *Service) one(job []byte, requests <-chan request) error {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	over := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		s.watch(over, requests, stop)
	}()
	done, err := s.Do(ctx, job, s.teller())
	close(over)
	<-watched
	switch {
	case err == nil:
		return s.say(message{Kind: answer, Answer: done})
	case errors.Is(err, ctx.Err()):
		return s.say(message{Kind: stopped})
	}
	var f *Failure
	if !errors.As(err, &f) {
		f = &Failure{Outcome: Failed, Message: err.Error()}
	}
	return s.say(message{Kind: failure, Failed: *f})
}

// teller returns what tells the caller how far a job is. Of rounds that take microseconds it tells
// now and then: a message costs as much as such a round.
func (s *Service) teller() func(Report) {
	var last time.Time
	return func(r Report) {
		rounds := r.From == 0 && r.Remark == ""
		if rounds && time.Since(last) < frame {
			return
		}
		if rounds {
			last = time.Now()
		}
		_ = s.say(message{Kind: progress, Report: r, At: s.where()})
	}
}

// watch looks at a job until it is over: it tells the caller where the job is whenever that
// has changed, for the process may die of what it does next, ends the process that goes
// beyond a limit, and stops a job that is called off or whose caller is gone.
func (s *Service) watch(over <-chan struct{}, requests <-chan request, stop func()) {
	looks, beats := time.NewTicker(glance), time.NewTicker(heartbeat)
	defer looks.Stop()
	defer beats.Stop()
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	was := ""
	for {
		select {
		case <-over:
			return
		case _, open := <-requests: // no other job comes before this one is over
			stop()
			if !open {
				requests = nil
			}
		case <-beats.C:
			_ = s.say(message{Kind: beat})
		case <-looks.C:
			if at := s.where(); at != was {
				was = at
				_ = s.say(message{Kind: place, At: at})
			}
			metrics.Read(heap)
			if used := heap[0].Value.Uint64(); s.Memory > 0 && used > s.Memory {
				s.quit(Failure{Outcome: Memory, At: was, Message: fmt.Sprintf(
					"it used more than its %d MiB of memory; it was last seen here", s.Memory>>20)})
			}
			if s.Overdue != nil {
				if late := s.Overdue(); late != "" {
					s.quit(Failure{Outcome: TimeOut, At: was, Message: late})
				}
			}
		}
	}
}

func (s *Service) where() string {
	if s.Where == nil {
		return ""
	}
	return s.Where()
}

// quit ends the process with the reason.
func (s *Service) quit(f Failure) {
	_ = s.say(message{Kind: failure, Failed: f})
	os.Exit(exitLimit)
}

// say sends a message.
func (s *Service) say(m message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Encode(m)
}
