package store

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/study"
)

// after returns a checkpoint of a cell after some rounds.
func after(round int) *engine.Progress {
	return &engine.Progress{Round: round, Global: fl.Vector{math.NaN(), math.Inf(1), 0.1},
		Aggregator: fl.NewStore(), Nature: fl.NewStore(), Server: fl.NewStore(), Notes: new(fl.Notes)}
}

// by returns what a program says of its numbers.
func by(program string) Numerics { return func() (string, error) { return program, nil } }

// saved returns a run with checkpoints of the cell ab12 after these rounds, one after another.
func saved(t *testing.T, rounds ...int) Run {
	t.Helper()
	r := Run{t.TempDir()}
	for _, round := range rounds {
		if err := r.SaveCheckpoint(ab12, by("me"), after(round)); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// loads wants a checkpoint after a round, or none for 0, and returns what was said.
func loads(t *testing.T, r Run, round int) error {
	t.Helper()
	p, err := r.LoadCheckpoint(ab12, by("me"))
	switch {
	case p == nil && round == 0:
	case p == nil:
		t.Errorf("no checkpoint, want that of round %d; it says: %v", round, err)
	case p.Round != round || len(p.Global) != 3 || !math.IsNaN(p.Global[0]):
		t.Errorf("checkpoint %+v, want that of round %d", p, round)
	}
	return err
}

func TestTheLastCheckpointAndTheOneBefore(t *testing.T) {
	r := saved(t)
	if err := loads(t, r, 0); err != nil {
		t.Error(err)
	}
	r = saved(t, 3, 5, 8)
	if err := loads(t, r, 8); err != nil {
		t.Error(err)
	}
	if files := list(t, r.Dir, "checkpoints/ab"); len(files) != 2 {
		t.Errorf("there are %v", files)
	}
	// A process that is killed between two renames leaves only the older file.
	if err := os.Remove(r.ckpt(0)); err != nil {
		t.Fatal(err)
	}
	if err := loads(t, r, 5); err != nil {
		t.Error(err)
	}
	if err := r.SaveCheckpoint(ab12, by("me"), after(9)); err != nil {
		t.Fatal(err)
	}
	if err := loads(t, r, 9); err != nil {
		t.Error(err)
	}
	if err := errors.Join(r.DropCheckpoint(ab12), r.DropCheckpoint(ab12)); err != nil {
		t.Error(err)
	}
	if files := list(t, r.Dir, "checkpoints/ab"); len(files) > 0 {
		t.Errorf("dropped, and yet there are %v", files)
	}
}

// How far a cell is is said by the last file that says it, whole or not.
func TestSavedRounds(t *testing.T) {
	r := saved(t, 3, 5)
	says := func(want int) {
		t.Helper()
		rounds, when := r.Saved(ab12, &study.Cell{Rounds: 9})
		if rounds != want || time.Since(when).Abs() < time.Hour != (want > 0) {
			t.Errorf("saved after round %d on %v, want %d", rounds, when, want)
		}
	}
	says(5)
	cut := func(path string, size int64) {
		t.Helper()
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
	}
	head := int64(len(checkpointForm + ab12 + "\nme\n"))
	cut(r.ckpt(0), head+8)
	says(5)
	cut(r.ckpt(0), head+7)
	says(3)
	cut(r.ckpt(1), int64(len(checkpointForm))+2)
	says(0)
	if err := os.WriteFile(r.ckpt(0), []byte("hansa/checkpoint/0\n\n\n12345678"), 0o666); err != nil {
		t.Fatal(err)
	}
	says(0)
	r = Run{t.TempDir()}
	says(0)
}

// ckpt returns where a checkpoint of the cell ab12 lies: the latest, or the one before it.
func (r Run) ckpt(k int) string {
	return r.at("checkpoints/ab/" + ab12 + []string{".ckpt", ".previous.ckpt"}[k])
}

// list returns the names of the files in a folder of a run.
func list(t *testing.T, dir, folder string) (names []string) {
	t.Helper()
	files, err := os.ReadDir(filepath.Join(dir, folder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}

// resealed returns a file that verifies, whatever it says, with something replaced in it.
func resealed(file []byte, old, new string) []byte {
	content := bytes.Replace(file[:len(file)-sha256.Size], []byte(old), []byte(new), 1)
	sum := sha256.Sum256(content)
	return append(content, sum[:]...)
}

// Every way in which a checkpoint can be damaged is seen: it is set aside, and the one before is
// used.
func TestDamagedCheckpointsAreQuarantined(t *testing.T) {
	r := saved(t, 8)
	whole, err := os.ReadFile(r.ckpt(0))
	if err != nil {
		t.Fatal(err)
	}
	before := resealed(whole, "\x08", "\x05")
	damaged := map[string][]byte{
		"another cell's": resealed(whole, ab12, ab99), "twice": append(bytes.Clone(whole), whole...),
		"zeros": make([]byte, len(whole)), "a result": []byte(head), "short": resealed(whole, "me\n", "me\n\x01"),
		"one line": resealed(whole, "\nme\n", ""),
	}
	for n := 0; n < len(whole); n += 3 {
		damaged[fmt.Sprint("cut at ", n)] = whole[:n]
		flipped := bytes.Clone(whole)
		flipped[n] ^= 4
		if !strings.HasPrefix(string(flipped), checkpointKin) || n >= len(checkpointForm) {
			damaged[fmt.Sprint("flipped at ", n)] = flipped
		}
	}
	for name, content := range damaged {
		if err := errors.Join(os.RemoveAll(filepath.Join(r.Dir, "quarantine")),
			os.WriteFile(r.ckpt(1), before, 0o666),
			os.WriteFile(r.ckpt(0), content, 0o666)); err != nil {
			t.Fatal(err)
		}
		err := loads(t, r, 5)
		aside := list(t, r.Dir, "quarantine")
		if !errors.Is(err, ErrCorrupt) || len(aside) != 1 || !strings.Contains(err.Error(), aside[0]) {
			t.Errorf("%s: set aside %v, and the error says %v", name, aside, err)
		}
		if err := loads(t, r, 5); err != nil {
			t.Errorf("%s: it is reported twice: %v", name, err)
		}
	}
	// Where both are damaged, there is none.
	for _, path := range []string{r.ckpt(0), r.ckpt(1)} {
		if err := os.WriteFile(path, whole[:40+len(filepath.Base(path))], 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := loads(t, r, 0); strings.Count(err.Error(), "moved to") != 2 {
		t.Error(err)
	}
}

// What another program made, or another version, is neither used nor lost.
func TestForeignCheckpointsAreLeftAlone(t *testing.T) {
	for name, c := range map[string]struct{ old, new, said string }{
		"program": {"\nme\n", "\nsomebody\n", "another build of hansa"},
		"older":   {checkpointForm, "hansa/checkpoint/0\n", "another version"},
		"newer":   {checkpointForm, "hansa/checkpoint/10\n", "another version"},
	} {
		for _, before := range []int{0, 5} { // the round of the one before, which is ours
			r := saved(t, 8)
			if before > 0 {
				r = saved(t, before, 8)
			}
			whole, err := os.ReadFile(r.ckpt(0))
			if err != nil {
				t.Fatal(err)
			}
			foreign := resealed(whole, c.old, c.new)
			if err := os.WriteFile(r.ckpt(0), foreign, 0o666); err != nil {
				t.Fatal(err)
			}
			err = loads(t, r, before)
			if !errors.Is(err, ErrForeign) || !strings.Contains(err.Error(), c.said) ||
				!strings.Contains(err.Error(), r.ckpt(0)) {
				t.Errorf("%s: %v", name, err)
			}
			if is, err := os.ReadFile(r.ckpt(0)); err != nil || !bytes.Equal(is, foreign) {
				t.Errorf("%s: it was touched: %v", name, err)
			}
		}
	}
	r := saved(t, 5, 8)
	p, err := r.LoadCheckpoint(ab12, by("another"))
	if p != nil || strings.Count(err.Error(), "another build") != 1 {
		t.Errorf("both are foreign: %v, %v", p, err)
	}
	unknown := func() (string, error) { return "", errors.New("unknown program") }
	if p, err := r.LoadCheckpoint(ab12, unknown); p != nil || err == nil {
		t.Errorf("without a program: %v, %v", p, err)
	}
	if err := r.SaveCheckpoint(ab12, unknown, after(9)); err == nil {
		t.Error("saved without a program")
	}
}

// Where there is no room for a checkpoint, those before it stay and nothing is left beside them.
func TestFailedSavesLeaveWhatWasThere(t *testing.T) {
	r := saved(t, 5, 8)
	bad := after(9)
	bad.Aggregator = nil
	func() {
		defer func() { _ = recover() }()
		_ = r.SaveCheckpoint(ab12, by("me"), bad) // as if it died on the way
	}()
	if err := loads(t, r, 8); err != nil {
		t.Error(err)
	}
	// A folder in the place of the one before refuses to be replaced.
	if err := errors.Join(os.Remove(r.ckpt(1)), os.MkdirAll(r.ckpt(1)+"/x", 0o777)); err != nil {
		t.Fatal(err)
	}
	if err := r.SaveCheckpoint(ab12, by("me"), after(9)); err == nil {
		t.Error("it was saved")
	}
	if err := loads(t, r, 8); err != nil {
		t.Error(err)
	}
	for _, name := range list(t, r.Dir, "checkpoints/ab") {
		if strings.HasPrefix(name, ".") && !leftover.MatchString(name) {
			t.Errorf("left %s, which is never removed", name)
		}
	}
}

// Tidy removes what is left of checkpoints: drafts, and those of cells that are done.
func TestTidyRemovesFinishedCheckpoints(t *testing.T) {
	r := saved(t, 5, 8)
	draft := filepath.Join(r.Dir, "checkpoints", "ab", fmt.Sprintf("."+ab12+".ckpt.%s.%d.x", hostName(), noProcess))
	if err := os.WriteFile(draft, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := r.Tidy(); err != nil {
		t.Fatal(err)
	}
	if files := list(t, r.Dir, "checkpoints/ab"); len(files) != 2 {
		t.Errorf("of a cell at work there are %v", files)
	}
	if err := r.Put(sample(ab12)); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(r.file("results", ab12))
	if err != nil {
		t.Fatal(err)
	}
	for content, left := range map[string]int{string(whole[1:]): 2, string(whole): 0} {
		r := saved(t, 5, 8)
		if err := errors.Join(put(r.file("results", ab12), []byte(content)), r.Tidy()); err != nil {
			t.Fatal(err)
		}
		if files := list(t, r.Dir, "checkpoints/ab"); len(files) != left {
			t.Errorf("with a result of %d bytes there are %v", len(content), files)
		}
	}
}
