package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
)

func TestSubmissions(t *testing.T) {
	r := Run{t.TempDir()}
	if list, err := r.Submissions(); list != nil || err != nil {
		t.Fatalf("%v, %v", list, err)
	}
	later := &Submission{Name: "a", Engine: "slurm", Made: "2026-11-22T08:00:00Z", Program: bbbb,
		Tasks: [][]string{{ab12, ab34}, {cd34}}}
	earlier := &Submission{Name: "b", Engine: "commands", Made: "2026-11-22T07:00:00Z", Job: "7", Program: aaaa}
	for _, s := range []*Submission{later, earlier} {
		if err := r.SaveSubmission(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(r.Folder("unfinished"), 0o777); err != nil {
		t.Fatal(err)
	}
	list, err := r.Submissions()
	if err != nil || !reflect.DeepEqual(list, []*Submission{earlier, later}) {
		t.Fatalf("%v, %v", list, err)
	}
	damaged := filepath.Join(r.Folder("b"), "submission.json")
	for _, text := range []string{"{", `{"form": "hansa/submission/0"}`} {
		if err := os.WriteFile(damaged, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if list, err = r.Submissions(); err == nil || len(list) != 1 || list[0].Name != "a" {
			t.Errorf("%s: %v, %v", text, list, err)
		}
	}
}

func TestWorkAndTurns(t *testing.T) {
	r := Run{t.TempDir()}
	model := study.Pick{Name: "linear", Params: map[string]any{"l2": 0.5}}
	w := &Work{
		Cells:      []study.Cell{{Method: "FedAvg", Picks: map[string]study.Pick{"model": model}}},
		Strategies: []Strategy{{Path: "mine.go", Digest: "sha256:1"}},
		Terms:      Terms{Call: time.Second, Checkpoint: time.Minute, Isolation: "auto"}}
	w.IDs = []string{w.Cells[0].ID()}
	if err := r.SaveWork("s", 4, w); err != nil {
		t.Fatal(err)
	}
	if got, err := r.LoadWork("s", 4); err != nil || !reflect.DeepEqual(got, w) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := r.LoadWork("s", 5); err == nil {
		t.Error("there is no task 5")
	}
	if got := r.LoadTurn("s", 4); got != (Turn{}) {
		t.Errorf("%+v before the first", got)
	}
	if err := r.SaveTurn("s", 4, Turn{Rounds: 7, Fruitless: 1}); err != nil {
		t.Fatal(err)
	}
	if got := r.LoadTurn("s", 4); got != (Turn{7, 1}) {
		t.Errorf("%+v", got)
	}
}

// A frozen program stays what it was, and is put right where it is not.
func TestFreeze(t *testing.T) {
	r := Run{t.TempDir()}
	const digest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" // of hello
	for _, trouble := range []string{"", "hell"} {
		path, err := r.Freeze("hansa", digest, []byte("hello"))
		if err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(path)
		info, missing := os.Stat(path)
		if err != nil || missing != nil {
			t.Fatal(err, missing)
		}
		if string(content) != "hello" || info.Mode().Perm() != 0o555 {
			t.Errorf("%q, %v", content, info.Mode())
		}
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(trouble), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCode(t *testing.T) {
	r := Run{t.TempDir()}
	if _, err := r.LoadCode("sha256:" + ab12); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	texts := map[string]string{"a.go": "package a", "b.go": "package a\n"}
	for range 2 {
		if err := r.SaveCode("sha256:"+ab12, texts); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := r.LoadCode("sha256:" + ab12); err != nil || !reflect.DeepEqual(got, texts) {
		t.Errorf("%v, %v", got, err)
	}
}

// Verify says of every file what Get does, and leaves it where it is.
func TestVerify(t *testing.T) {
	r := Run{t.TempDir()}
	id, other := "ab"+strings.Repeat("0", 62), "cd"+strings.Repeat("0", 62)
	if done, err := r.Verify(id, nil); done || err != nil {
		t.Fatal(done, err)
	}
	if err := r.Put(&engine.Result{ID: id, Rounds: []int{0}}); err != nil {
		t.Fatal(err)
	}
	if done, err := r.Verify(id, nil); !done || err != nil {
		t.Fatal(done, err)
	}
	whole, err := os.ReadFile(r.file("results", id))
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)/2] ^= 1
	for trouble, content := range map[string][]byte{"empty": {}, "truncated": whole[:len(whole)-1],
		"flipped": flipped, "zeros": make([]byte, len(whole))} {
		if err := put(r.file("results", id), content); err != nil {
			t.Fatal(err)
		}
		if done, err := r.Verify(id, nil); done || !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %t, %v", trouble, done, err)
		}
	}
	if err := put(r.file("results", other), whole); err != nil {
		t.Fatal(err)
	}
	if done, err := r.Verify(other, nil); done || !errors.Is(err, ErrCorrupt) {
		t.Errorf("of another cell: %t, %v", done, err)
	}
}

// A run that is cancelled again has another mark.
func TestCancellationsHaveMarks(t *testing.T) {
	r := Run{t.TempDir()}
	seen := map[string]bool{}
	for range 3 {
		mark, err := r.CancelMark()
		if err != nil || seen[mark] {
			t.Errorf("mark %q, %v", mark, err)
		}
		seen[mark] = true
		if err := r.MarkCancelled(); err != nil {
			t.Fatal(err)
		}
	}
}
