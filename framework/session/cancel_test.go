package session

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/framework/store"
)

// submitted stores a submission of a run.
func submitted(t *testing.T, run store.Run, name, engine, made string) *store.Submission {
	t.Helper()
	s := &store.Submission{Name: name, Engine: engine, Made: made,
		Program: strings.Repeat("0", 64), Tasks: [][]string{{strings.Repeat("1", 64)}}}
	if err := run.SaveSubmission(s); err != nil {
		t.Fatal(err)
	}
	return s
}

// What a job submits while it is cancelled is cancelled, too, until nothing further is submitted:
// the jobs after an array by their names, as their ids may not be stored yet.
func TestCancelFollowsSubmissions(t *testing.T) {
	run := store.Run{Dir: t.TempDir()}
	first := submitted(t, run, "a", "slurm", "2026-01-01T00:00:00Z")
	u := &RunState{Submissions: []*store.Submission{first}}
	var asked [][]string
	err := u.cancelBy(run, func(names map[string][]string) error {
		asked = append(asked, slices.Sorted(slices.Values(names["slurm"])))
		switch len(asked) {
		case 1: // the job goes on with the run before it ends
			submitted(t, run, "b", "slurm", "2026-01-01T00:00:01Z")
		case 2:
			submitted(t, run, "c", "commands", "2026-01-01T00:00:02Z")
		}
		return nil
	})
	if err != nil || len(asked) != 3 {
		t.Fatalf("%v: asked %v", err, asked)
	}
	of := func(name string) []string {
		return []string{"hansa-" + name, "hansa-" + name + collecting, "hansa-" + name + succeeding}
	}
	both := slices.Sorted(slices.Values(slices.Concat(of("a"), of("b"))))
	want := [][]string{slices.Sorted(slices.Values(of("a"))), both, both}
	if !reflect.DeepEqual(asked, want) {
		t.Errorf("asked %v\n want %v", asked, want)
	}
}

// A cluster that does not cancel ends it, and so do submissions that cannot be read.
func TestCancelTellsWhatFails(t *testing.T) {
	run := store.Run{Dir: t.TempDir()}
	u := &RunState{Submissions: []*store.Submission{submitted(t, run, "a", "slurm", "")}}
	broken, n := errors.New("no answer"), 0
	if err := u.cancelBy(run, func(map[string][]string) error { n++; return broken }); err != broken ||
		n != 1 {
		t.Errorf("%v after %d calls", err, n)
	}
	err := u.cancelBy(run, func(map[string][]string) error {
		s := *u.Submissions[0]
		s.Name, s.Program = "b", "none"
		return run.SaveSubmission(&s)
	})
	if !errors.Is(err, store.ErrDamaged) {
		t.Errorf("a damaged submission: %v", err)
	}
}

// heard keeps what is shown above the progress.
type heard struct {
	Progress
	lines []string
}

func (h *heard) Above(lines string) { h.lines = append(h.lines, lines) }

// Jobs of one run say once that its strategies are being compiled; another run says it again.
func TestCompilingIsSaidOnce(t *testing.T) {
	var h heard
	for range 2 {
		tools := &toolbox.Toolbox{}
		for range 3 {
			(&Job{Experiment: &Experiment{Tools: tools}}).announce(&h, "mine.go")
		}
	}
	if len(h.lines) != 2 || !strings.HasPrefix(h.lines[0], "compiling mine.go meanwhile: ") {
		t.Errorf("%q", h.lines)
	}
}
