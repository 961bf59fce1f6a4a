package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// A screen is what a command has printed so far.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

// take waits until a text is on the screen, and returns all before it; what follows is left.
func (s *screen) take(t *testing.T, text string) string {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		s.mu.Lock()
		before, after, found := strings.Cut(s.text.String(), text)
		if found {
			s.text.Reset()
			s.text.WriteString(after)
		}
		s.mu.Unlock()
		if found {
			return before
		}
	}
	t.Fatalf("%q is not on the screen:\n%s", text, s.text.String())
	return ""
}

// inCopy goes into a new folder that has the files of one of testdata.
func inCopy(t *testing.T, folder string) {
	t.Helper()
	from, err := filepath.Abs(filepath.Join("testdata", folder))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.CopyFS(".", os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// watched watches an experiment in a copy of testdata/watch. End interrupts it and returns the exit
// code.
func watched(t *testing.T, args ...string) (said *screen, end func() int) {
	t.Helper()
	inCopy(t, "watch")
	ctx, stop := context.WithCancel(t.Context())
	said = new(screen)
	code := make(chan int, 1)
	go func() {
		code <- hansa(ctx, new(screen), said, append([]string{"watch", "--jobs", "1", "--format", "csv"}, args...))
	}()
	return said, func() int {
		stop()
		select {
		case c := <-code:
			return c
		case <-time.After(time.Minute):
			t.Fatal("it goes on after an interrupt")
			return 0
		}
	}
}

// edit replaces a text in a file, as a program does that puts a new file in the place of the old.
func edit(t *testing.T, file, old, new string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file+"~", bytes.Replace(text, []byte(old), []byte(new), 1), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+"~", file); err != nil {
		t.Fatal(err)
	}
}

// Whatever is saved, what it changes is run, and nothing else.
func TestWatch(t *testing.T) {
	said, end := watched(t, "first.toml")
	first := said.take(t, "watching first.toml, half.go; Ctrl-C ends\n")
	if strings.Count(first, "] ok ") != 6 {
		t.Fatalf("it begins with\n%s", first)
	}
	now := time.Now().Add(time.Hour)
	if err := os.Chtimes("first.toml", now, now); err != nil { // it is the same
		t.Fatal(err)
	}
	edit(t, "half.go", "0.5", "0.25")
	again := said.take(t, "watching")
	for _, want := range []string{"half.go was saved\n", "2 training runs are done, 4 to run", "[4/4] ok   A tenth"} {
		if !strings.Contains(again, want) {
			t.Errorf("%q is not in\n%s", want, again)
		}
	}
	if strings.Contains(again, "first.toml was saved") {
		t.Errorf("it runs what was not changed:\n%s", again)
	}
	edit(t, "first.toml", `"fedavg"`, `"fedavgg"`)
	if wrong := said.take(t, "watching"); !strings.Contains(wrong, `did you mean "fedavg"?`) {
		t.Errorf("a mistake is\n%s", wrong)
	}
	edit(t, "first.toml", "[setting]", "[setting")
	if wrong := said.take(t, "watching first.toml; Ctrl-C"); !strings.Contains(wrong, "first.toml:5:") {
		t.Errorf("what is no TOML is\n%s", wrong)
	}
	edit(t, "first.toml", "[setting\n", "[setting]\n")
	edit(t, "first.toml", "fedavgg", "fedavg")
	if right := said.take(t, "watching first.toml, half.go"); !strings.Contains(right, "nothing to run: 6 training runs") {
		t.Errorf("what was mended is\n%s", right)
	}
	if code := end(); code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
}

// A run at work is stopped when its experiment is saved, and an interrupt ends all.
func TestWatchStopsWhatIsAtWork(t *testing.T) {
	const long = "rounds=100000000"
	said, end := watched(t, "first.toml", "--only", "method=FedAvg", "--only", "seed=0", "--set", long, "--set", "measure_every=1000000")
	time.Sleep(300 * time.Millisecond)
	edit(t, "first.toml", "clients       = 6", "clients       = 7")
	said.take(t, "first.toml was saved\n")
	time.Sleep(300 * time.Millisecond)
	if code := end(); code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
	if text := said.take(t, "interrupted: 0 of 1 training runs are done and stored; go on with `hansa run first.toml"); strings.Contains(text, "ok") {
		t.Errorf("a run of so many rounds is over:\n%s", text)
	}
}
