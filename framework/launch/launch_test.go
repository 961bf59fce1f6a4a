package launch_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/launch"
)

const asWorker = "LAUNCH_TEST_WORKER"

// The test binary is the worker process as well.
func TestMain(m *testing.M) {
	if os.Getenv(asWorker) == "" {
		os.Exit(m.Run())
	}
	here := "nowhere"
	s := &launch.Service{Memory: 256 << 20, Where: func() string { return here }}
	s.Do = func(ctx context.Context, job []byte, tell func(launch.Report)) ([]byte, error) {
		if string(job) == "await" {
			tell(launch.Report{Rounds: 1})
			<-ctx.Done()
			tell(launch.Report{Rounds: 2, From: 1, Remark: "saved"})
			return nil, fmt.Errorf("after round 2: %w", ctx.Err())
		}
		return work(string(job), tell, s)
	}
	if err := s.Serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

var kept [][]byte

// deep recurses without end.
func deep(n int) int { return deep(n+1) + n }

// work does what a job asks for.
func work(job string, tell func(launch.Report), s *launch.Service) ([]byte, error) {
	switch job {
	case "pid":
		return fmt.Append(nil, os.Getpid()), nil
	case "rounds":
		for t := 1; t <= 3; t++ {
			tell(launch.Report{Rounds: t})
			time.Sleep(150 * time.Millisecond) // what comes too soon after it is not told
		}
	case "error":
		return nil, errors.New("out of ideas")
	case "failure":
		return nil, &launch.Failure{Outcome: launch.TimeOut, Message: "took too long", At: "x.go:3"}
	case "panic":
		panic("oh no")
	case "exit":
		os.Exit(7)
	case "late":
		time.Sleep(200 * time.Millisecond)
		os.Exit(7)
	case "deep":
		return fmt.Append(nil, deep(0)), nil
	case "grow":
		for {
			part := make([]byte, 1<<20)
			for i := range part {
				part[i] = byte(i)
			}
			kept = append(kept, part)
		}
	case "huge":
		kept = append(kept, make([]byte, 1<<40))
		return fmt.Append(nil, len(kept)), nil
	case "overdue":
		began := time.Now()
		s.Overdue = func() string {
			if time.Since(began) > 100*time.Millisecond {
				return "cannot be stopped"
			}
			return ""
		}
		return work("hang", tell, s)
	case "hang":
		time.Sleep(time.Hour)
	}
	return []byte("did " + job), nil
}

func worker(t *testing.T) *launch.Worker {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := &launch.Worker{Path: program, Env: []string{asWorker + "=1"}}
	t.Cleanup(w.Close)
	return w
}

func do(t *testing.T, w *launch.Worker, job string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	answer, err := w.Do(ctx, []byte(job), func(launch.Report) {})
	return string(answer), err
}

func TestJobsShareAProcess(t *testing.T) {
	w := worker(t)
	first, err := do(t, w, "pid")
	if err != nil || first == fmt.Sprint(os.Getpid()) {
		t.Fatalf("%q %v", first, err)
	}
	if _, err := do(t, w, "error"); err == nil || err.Error() != "out of ideas" {
		t.Errorf("%v", err)
	}
	var rounds []int
	answer, err := w.Do(t.Context(), []byte("rounds"), func(r launch.Report) {
		rounds = append(rounds, r.Rounds)
	})
	if string(answer) != "did rounds" || err != nil || fmt.Sprint(rounds) != "[1 2 3]" {
		t.Errorf("%q %v, rounds %v", answer, err, rounds)
	}
	if again, err := do(t, w, "pid"); again != first || err != nil {
		t.Errorf("process %q and then %q, %v", first, again, err)
	}
}

// Whatever a job does, it costs that job; the next one has a process.
func TestAJobCostsItself(t *testing.T) {
	w := worker(t)
	for job, want := range map[string]launch.Failure{
		"failure": {Outcome: launch.TimeOut, Message: "took too long", At: "x.go:3"},
		"panic":   {Outcome: launch.Crash, Message: "the worker died: exit status 2: panic: oh no"},
		"exit":    {Outcome: launch.Crash, Message: "the worker died: exit status 7"},
		"deep": {Outcome: launch.Crash, Message: "the worker died: exit status 2: " +
			"runtime: goroutine stack exceeds 67108864-byte limit"},
		"grow":    {Outcome: launch.Memory, Message: "it used more than its 256 MiB of memory"},
		"huge":    {Outcome: launch.Memory, Message: "the worker died: exit status "},
		"overdue": {Outcome: launch.TimeOut, Message: "cannot be stopped"},
	} {
		_, err := do(t, w, job)
		var f *launch.Failure
		if !errors.As(err, &f) || f.Outcome != want.Outcome || !strings.HasPrefix(f.Message, want.Message) {
			t.Errorf("%s: %+v, want %+v", job, err, want)
		}
		if answer, err := do(t, w, "next"); answer != "did next" || err != nil {
			t.Errorf("after %s: %q %v", job, answer, err)
		}
	}
}

func TestWhereAJobDied(t *testing.T) {
	w := worker(t)
	for _, job := range []string{"grow", "overdue"} {
		_, err := do(t, w, job)
		var f *launch.Failure
		if !errors.As(err, &f) || f.At != "nowhere" || !strings.HasPrefix(err.Error(), "nowhere: ") {
			t.Errorf("%s: %v", job, err)
		}
	}
}

// A job that is called off comes to an end of its own, and its process does the next one.
func TestAJobCanBeCalledOff(t *testing.T) {
	w := worker(t)
	first, err := do(t, w, "pid")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		var said []launch.Report
		_, err := w.Do(ctx, []byte("await"), func(r launch.Report) {
			said = append(said, r)
			cancel()
		})
		want := []launch.Report{{Rounds: 1}, {Rounds: 2, From: 1, Remark: "saved"}}
		if !errors.Is(err, context.Canceled) || !slices.Equal(said, want) {
			t.Errorf("%v, %v", err, said)
		}
		if answer, err := do(t, w, "pid"); answer != first || err != nil {
			t.Errorf("the next one: %q %v", answer, err)
		}
		// What was not called off in time has an answer.
		answer, err := w.Do(ctx, []byte("any"), func(launch.Report) {})
		if string(answer) != "did any" || err != nil {
			t.Errorf("too late: %q %v", answer, err)
		}
	}
}

// A job that was called off and goes beyond a limit failed; one whose process dies was called off.
func TestWhatIsCalledOffMayDie(t *testing.T) {
	w := worker(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	var f *launch.Failure
	if _, err := w.Do(ctx, []byte("overdue"), nil); !errors.As(err, &f) || f.Outcome != launch.TimeOut {
		t.Errorf("%v", err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := w.Do(ctx, []byte("late"), nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if answer, err := do(t, w, "next"); answer != "did next" || err != nil {
		t.Errorf("%q %v", answer, err)
	}
}

func TestASilentProcessIsHung(t *testing.T) {
	w := &launch.Worker{Path: "/bin/sleep", Args: []string{"60"}, Silence: 50 * time.Millisecond}
	defer w.Close()
	var f *launch.Failure
	if _, err := do(t, w, "any"); !errors.As(err, &f) || f.Outcome != launch.TimeOut {
		t.Errorf("%v", err)
	}
}

func TestThereIsNoSuchProgram(t *testing.T) {
	w := &launch.Worker{Path: "/no/such/program"}
	var f *launch.Failure
	if _, err := do(t, w, "any"); !errors.As(err, &f) || f.Outcome != launch.Crash {
		t.Errorf("%v", err)
	}
}
