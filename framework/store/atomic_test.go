package store

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// noProcess is a number that no process has: Linux ends at 2²².
const noProcess = 1<<30 + 1

// What processes of this machine left that are dead is removed, whatever its time says, and what
// another process is writing, or may be, is not.
func TestTidyKeepsLiveDrafts(t *testing.T) {
	r := Run{t.TempDir()}
	if err := r.Put(sample(ab12)); err != nil {
		t.Fatal(err)
	}
	now, here := time.Now(), hostName()
	write := func(age time.Duration, format string, args ...any) string {
		path := filepath.Join(r.Dir, fmt.Sprintf(format, args...))
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, nil, 0o666),
			os.Chtimes(path, now.Add(-age), now.Add(-age)))
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	var gone, kept []string
	for _, folder := range []string{"", "quarantine", "results/ab", "attempts/cd", "failures/ef",
		"arrays/" + ab12, "checkpoints/ab"} {
		for _, age := range []time.Duration{-1000 * time.Hour, 0, 1000 * time.Hour} {
			gone = append(gone, write(age, "%s/."+ab12+".json.%s.%d.a%d", folder, here, noProcess, age+1e18))
			kept = append(kept,
				write(age, "%s/."+ab12+".json.%s.%d.b%d", folder, here, os.Getpid(), age+1e18),
				write(age, "%s/."+ab12+".json.elsewhere.%d.c%d", folder, noProcess, age+1e18),
				write(age, "%s/."+ab12+".json.%d.%d", folder, noProcess, age+1e18)) // of hansa before
		}
		kept = append(kept, write(time.Hour, "%s/."+ab12+".json", folder), write(0, "%s/.nfs0001", folder),
			write(time.Hour, "%s/"+ab12+".json.%s.%d.x", folder, here, noProcess))
	}
	kept = append(kept, r.file("results", ab12),
		write(0, "elsewhere/."+ab12+".json.%s.%d.x", here, noProcess))
	if err := r.Tidy(); err != nil {
		t.Fatal(err)
	}
	for _, path := range gone {
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there: %v", path, err)
		}
	}
	for _, path := range kept {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s is gone: %v", path, err)
		}
	}
	if err := (Run{filepath.Join(r.Dir, "nowhere")}).Tidy(); err != nil {
		t.Error(err)
	}
}

// Files that are being written have names of their own, which say whose they are.
func TestDraftsNameTheirProcess(t *testing.T) {
	r := Run{t.TempDir()}
	f := opened(t, r.Dir)
	for _, name := range []string{"plan.json", "a.ckpt", "round-1-plan.npy", "plan.json"} {
		file, _, err := f.create(name)
		if err != nil || file.Close() != nil {
			t.Fatal(err)
		}
	}
	drafts, err := f.drafts()
	if err != nil || len(drafts) != 4 {
		t.Fatalf("of four drafts there are %v, %v", drafts, err)
	}
	for _, d := range drafts {
		if d.host != hostName() || d.pid != os.Getpid() || d.dead() {
			t.Errorf("%+v: it is ours, and we live", d)
		}
	}
}

// A renaming that says that it failed, and did it, did it. One that failed leaves nothing, and
// where another process removed what was to be renamed, it is written again.
func TestRenamingsThatFail(t *testing.T) {
	var f *folder
	refused := &os.LinkError{Op: "rename", Err: syscall.EIO}
	lost := &os.LinkError{Op: "rename", Err: syscall.ENOENT}
	calls := 0
	for name, c := range map[string]struct {
		rename func(from, to string) error
		want   string // what is there in the end
		failed error
		calls  int
	}{
		"sent twice": {func(from, to string) error {
			return errors.Join(f.root.Rename(from, to), lost)
		}, "new", nil, 1},
		"another's says the same": {func(_, to string) error {
			return errors.Join(f.root.WriteFile(to, []byte("new"), 0o666), refused)
		}, "new", nil, 1},
		"refused": {func(string, string) error { return refused }, "old", syscall.EIO, 1},
		"swept once": {func(from, to string) error {
			if calls == 1 {
				f.root.Remove(from)
			}
			return f.root.Rename(from, to)
		}, "new", nil, 2},
		"swept always": {func(from, to string) error {
			f.root.Remove(from)
			return f.root.Rename(from, to)
		}, "old", errSwept, 2},
	} {
		path := filepath.Join(t.TempDir(), "x.json")
		if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
			t.Fatal(err)
		}
		calls, f = 0, opened(t, filepath.Dir(path))
		err := f.replace("x.json", func(from, to string) error {
			calls++
			return c.rename(from, to)
		}, whole([]byte("new")))
		if !errors.Is(err, c.failed) || calls != c.calls {
			t.Errorf("%s: %v after %d calls", name, err, calls)
		}
		if is, err := os.ReadFile(path); err != nil || string(is) != c.want {
			t.Errorf("%s: there is %q, %v", name, is, err)
		}
		if left := list(t, filepath.Dir(path), ""); len(left) != 1 {
			t.Errorf("%s: left %v", name, left)
		}
	}
}

// Where another process removes all drafts that it finds, no checkpoint and no record is lost for
// long.
func TestSweepDuringWrite(t *testing.T) {
	r := Run{t.TempDir()}
	f := opened(t, r.Dir)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(10 * time.Millisecond):
			}
			drafts, _ := f.drafts()
			for _, d := range drafts {
				os.Remove(filepath.Join(r.Dir, d.path))
			}
		}
	}()
	saved := false
	for round := range 40 {
		err := errors.Join(r.SaveCheckpoint(ab12, by("me"), after(round)),
			r.SaveFailure(ab12, &Failure{Message: fmt.Sprint(round)}))
		if err != nil && !errors.Is(err, errSwept) {
			t.Error(err)
		}
		saved = saved || err == nil
		if p, err := r.LoadCheckpoint(ab12, by("me")); p == nil && saved || err != nil {
			t.Errorf("after round %d: %v, %v", round, p, err)
		}
	}
	close(stop)
	<-stopped
	if !saved {
		t.Error("nothing was ever saved")
	}
}

// What several write at once into one place is whole at every moment: of results the first stays,
// and what says something else is kept aside.
func TestManyWritersOfOneCell(t *testing.T) {
	r := Run{t.TempDir()}
	const kinds, rounds = 3, 6
	variant := func(k int) float64 { return float64(k) + 0.25 }
	var wg sync.WaitGroup
	stop := make(chan struct{})
	wg.Go(func() { // a reader
		for first := math.NaN(); ; {
			select {
			case <-stop:
				return
			default:
			}
			got, err := r.Get(ab12, nil)
			f, errF := r.LoadFailure(ab12)
			a, errA := r.LoadAttempt(ab12)
			if err := errors.Join(err, errF, errA); err != nil {
				t.Errorf("a reader has %v, %v, %v: %v", got, f, a, err)
				return
			}
			if got != nil && first != got.Series[0].Values[0] {
				if !math.IsNaN(first) {
					t.Errorf("a result changed from %v to %v", first, got.Series[0].Values[0])
				}
				first = got.Series[0].Values[0]
			}
		}
	})
	var mu sync.Mutex
	said := map[int]error{}
	var writers sync.WaitGroup
	for k := range 2 * kinds {
		writers.Go(func() {
			for i := range rounds {
				result := sample(ab12)
				result.Series[0].Values[0] = variant(k % kinds)
				err := r.Put(result)
				mu.Lock()
				if before, told := said[k%kinds]; told && errors.Is(err, ErrConflict) != errors.Is(before, ErrConflict) {
					t.Errorf("kind %d: %v, and before %v", k%kinds, err, before)
				}
				said[k%kinds] = err
				mu.Unlock()
				message := strings.Repeat(fmt.Sprint(i), 2000)
				err = errors.Join(r.SaveFailure(ab12, &Failure{Message: message}),
					r.SaveAttempt(ab12, &Attempt{Started: message}))
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	close(stop)
	wg.Wait()
	got, err := r.Get(ab12, nil)
	if err != nil {
		t.Fatal(err)
	}
	for k := range kinds {
		if stays := got.Series[0].Values[0] == variant(k); stays == errors.Is(said[k], ErrConflict) {
			t.Errorf("kind %d: %v, and what stays is %v", k, said[k], got.Series[0].Values[0])
		}
	}
	if aside := list(t, r.Dir, "quarantine"); len(aside) != kinds-1 {
		t.Errorf("of %d others there are %v", kinds-1, aside)
	}
	if left, err := opened(t, r.Dir).drafts(); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// Where the file system knows no links, results are renamed into their place; nothing else of one
// that fails is left.
func TestResultsReplaceNothing(t *testing.T) {
	dir := t.TempDir()
	f, from, to := opened(t, dir), "a", "b"
	for name, content := range map[string]string{from: "new", to: "old"} {
		if err := f.write(name, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.linkOrRename(from, to); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over what is there: %v", err)
	}
	if err := errors.Join(f.root.Remove(to), f.linkOrRename(from, to)); err != nil {
		t.Error(err)
	}
	if is, err := f.read(to); err != nil || string(is) != "new" {
		t.Errorf("there is %q, %v", is, err)
	}
	if left := list(t, dir, ""); len(left) != 1 {
		t.Errorf("left %v", left)
	}
	if err := f.linkOrRename(from, to); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of nothing: %v", err)
	}
}
