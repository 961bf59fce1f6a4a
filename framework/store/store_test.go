package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
)

func sample(id string) *engine.Result {
	return &engine.Result{
		ID: id, Seed: 3, Parameters: 2, Rounds: []int{0, 1, 2},
		Series: []engine.Series{{Key: "objective", Values: engine.Floats{
			0.1, math.NaN(), math.Inf(1)}}, {Key: "accuracy", Unit: "%", Higher: true,
			Values: engine.Floats{math.Inf(-1), 5e-324, 1.7976931348623157e308}}},
		Notes: []string{"θ & <b>"},
	}
}

func TestResultsSurviveTheDiskBitForBit(t *testing.T) {
	r := Run{t.TempDir()}
	want := sample(ab12)
	if err := r.Put(want); err != nil {
		t.Fatal(err)
	}
	got, err := r.Get(ab12, nil)
	if err != nil {
		t.Fatal(err)
	}
	for k, s := range want.Series {
		for i, x := range s.Values {
			if math.Float64bits(x) != math.Float64bits(got.Series[k].Values[i]) {
				t.Errorf("%s[%d]: %v was read as %v", s.Key, i, x, got.Series[k].Values[i])
			}
		}
	}
	if got.Notes[0] != want.Notes[0] || got.Seed != want.Seed || len(got.Rounds) != 3 {
		t.Errorf("was read as %+v", got)
	}
	if none, err := r.Get(cd34, nil); none != nil || err != nil {
		t.Errorf("a cell that was never stored: %v, %v", none, err)
	}
}

// Every way in which a file can be damaged is seen, the file is set aside, and the cell
// can be computed again.
func TestDamagedResultsAreQuarantined(t *testing.T) {
	whole, err := encode(sample(ab12))
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := encode(sample(ab99))
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)/2] ^= 1
	for name, content := range map[string][]byte{
		"empty": nil, "truncated": whole[:len(whole)-9], "no newline": whole[:len(whole)-1],
		"flipped bit": flipped, "zeros": make([]byte, len(whole)), "another cell's": foreign,
		"twice": append(bytes.Clone(whole), whole...),
	} {
		r := Run{t.TempDir()}
		path := r.file("results", ab12)
		if err := put(path, content); err != nil {
			t.Fatal(err)
		}
		got, err := r.Get(ab12, nil)
		if got != nil || !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: got %v, %v", name, got, err)
			continue
		}
		aside, _ := filepath.Glob(filepath.Join(r.Dir, "quarantine", ab12+".*"))
		if len(aside) != 1 || !strings.Contains(err.Error(), aside[0]) {
			t.Errorf("%s: set aside %v, and the error says %v", name, aside, err)
		}
		if err := r.Put(sample(ab12)); err != nil {
			t.Errorf("%s: storing it again: %v", name, err)
		}
		if got, err := r.Get(ab12, nil); got == nil || err != nil {
			t.Errorf("%s: after storing it again: %v", name, err)
		}
	}
}

func TestConflictingResultsAreFoundNotHidden(t *testing.T) {
	r := Run{t.TempDir()}
	first, second := sample(ab12), sample(ab12)
	second.Series[0].Values[0] = math.Nextafter(0.1, 1)
	if err := errors.Join(r.Put(first), r.Put(first)); err != nil {
		t.Fatal(err)
	}
	if err := r.Put(second); !errors.Is(err, ErrConflict) {
		t.Errorf("a result that differs in one bit was stored: %v", err)
	}
	second.Series[0].Values[0] = 7
	if err := r.Put(second); !errors.Is(err, ErrConflict) {
		t.Errorf("a third result was stored: %v", err)
	}
	if got, err := r.Get(ab12, nil); err != nil || got.Series[0].Values[0] != 0.1 {
		t.Errorf("the first result did not stay: %v, %v", got, err)
	}
	aside := list(t, r.Dir, "quarantine")
	if len(aside) != 2 {
		t.Errorf("of two others there are %v", aside)
	}
	for _, name := range aside {
		if !strings.HasPrefix(name, ab12+".conflict.") {
			t.Errorf("a conflict is kept as %s", name)
		}
	}
}

func TestNothingIsLeftBeside(t *testing.T) {
	dir := t.TempDir()
	f, path := opened(t, dir), filepath.Join(dir, "sub", "plan.json")
	for _, content := range []string{"one", "another, longer", ""} {
		if err := f.write("sub/plan.json", []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("read back %q, %v", got, err)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("left in the folder: %v, %v", entries, err)
	}
	// A place that cannot be written to fails and leaves what was there.
	if err := f.write("sub/plan.json/below-a-file", nil); err == nil {
		t.Error("a file was written below a file")
	}
}

// A result that cannot be read may be that of another version: it is not replaced.
func TestPutKeepsWhatItCannotRead(t *testing.T) {
	r := Run{t.TempDir()}
	if err := os.MkdirAll(r.file("results", ab12), 0o777); err != nil { // a folder in its place
		t.Fatal(err)
	}
	if err := r.Put(sample(ab12)); err == nil || !strings.Contains(err.Error(), ab12+".json") {
		t.Errorf("putting it there: %v", err)
	}
	if info, err := os.Stat(r.file("results", ab12)); err != nil || !info.IsDir() {
		t.Errorf("what was there is gone: %v", err)
	}
}

func TestPlansOfOtherVersionsAreRefused(t *testing.T) {
	r := Run{t.TempDir()}
	p := &Plan{Title: "t", Cells: []study.Cell{{Method: "a"}}}
	p.IDs = []string{p.Cells[0].ID()}
	if err := r.SavePlan(p); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(r.Dir, "plan.json")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := r.LoadPlan(); err != nil || got.Title != "t" || got.Cells[0].Method != "a" {
		t.Errorf("was read as %+v, %v", got, err)
	}
	for old, new := range map[string]string{
		planForm: "hansa/plan/999", `"form"`: `"from"`, "{": "", string(whole): "", "\"t\"": "7",
		"t": "u", `"Seed": 0`: `"Seed": 4`, p.IDs[0]: ab12, "plan/2": "plan/1",
	} {
		content := strings.Replace(string(whole), old, new, 1)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := r.LoadPlan()
		if got != nil || err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("with %.20q for %.20q: %v", new, old, err)
		}
		if damaged := !strings.Contains(new, "999"); errors.Is(err, ErrDamaged) != damaged {
			t.Errorf("with %.20q for %.20q: damaged is not %t: %v", new, old, damaged, err)
		}
	}
}

// A plan that was stored before plans had checksums is read, and held to its ids.
func TestPlansOfBefore(t *testing.T) {
	r := Run{t.TempDir()}
	c := study.Cell{Method: "a", Seed: 1}
	write := func(id string) {
		t.Helper()
		plan, err := json.MarshalIndent(struct {
			Form  string       `json:"form"`
			Title string       `json:"title"`
			Cells []study.Cell `json:"cells"`
			IDs   []string     `json:"ids"`
		}{"hansa/plan/1", "t", []study.Cell{c}, []string{id}}, "", "  ")
		if err := errors.Join(err, put(r.at(planFile), plan)); err != nil {
			t.Fatal(err)
		}
	}
	write(c.ID())
	if p, err := r.LoadPlan(); err != nil || p.Title != "t" {
		t.Errorf("%+v, %v", p, err)
	}
	write(ab12)
	if p, err := r.LoadPlan(); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "a, seed 1") {
		t.Errorf("with another id: %+v, %v", p, err)
	}
}

func TestRecords(t *testing.T) {
	r := Run{t.TempDir()}
	if _, err := r.LoadPlan(); err == nil || !strings.Contains(err.Error(), "is not a run") {
		t.Errorf("no plan: %v", err)
	}
	if err := r.SaveFailure(ab12, &Failure{Method: "FedAVOT", Message: "round 3: NaN"}); err != nil {
		t.Fatal(err)
	}
	if f, err := r.LoadFailure(ab12); err != nil || f.Message != "round 3: NaN" {
		t.Errorf("failure: %v, %v", f, err)
	}
	a := &Attempt{Seconds: 1.5, Volatile: []engine.Series{{Key: "seconds", Values: engine.Floats{1, 2}}}}
	if err := r.SaveAttempt(ab12, a); err != nil {
		t.Fatal(err)
	}
	if f, err := r.LoadFailure(ab12); f != nil || err != nil {
		t.Errorf("the failure outlived the success: %v, %v", f, err)
	}
	if got, err := r.LoadAttempt(ab12); err != nil || got.Volatile[0].Values[1] != 2 {
		t.Errorf("attempt: %+v, %v", got, err)
	}
}

// Attempts that programs before this one stored have less to say.
func TestAttemptsOfBefore(t *testing.T) {
	r := Run{t.TempDir()}
	const old = `{
  "started": "2026-01-02T03:04:05Z", "seconds": 1.5, "workers": 2,
		"build": {"revision": "abc", "modified": false, "go": "go1.26", "platform": "linux/amd64"},
		"volatile": [{"key": "seconds", "values": [1]}]}`
	if err := put(r.file("attempts", ab12), []byte(old)); err != nil {
		t.Fatal(err)
	}
	a, err := r.LoadAttempt(ab12)
	if err != nil || a.Seconds != 1.5 || a.Build.Revision != "abc" || a.Environment != nil ||
		a.Usage != nil || a.Ended != "" {
		t.Errorf("%+v, %v", a, err)
	}
}

// Results of before, which count numbers sent, are read as bytes.
func TestCountsOfBeforeAreBytes(t *testing.T) {
	r, old := Run{t.TempDir()}, sample(ab12)
	old.Series = append(old.Series, engine.Series{Key: "upload", Unit: "floats",
		Values: engine.Floats{0, 10, 20}})
	if err := r.Put(old); err != nil {
		t.Fatal(err)
	}
	got, err := r.Get(ab12, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := got.Series[2]; s.Unit != "B" || s.Values[1] != 40 || s.Values[2] != 80 {
		t.Errorf("was read as %+v", s)
	}
	if s := got.Series[1]; s.Unit != "%" || s.Values[1] != 5e-324 {
		t.Errorf("was read as %+v", s)
	}
	if err := r.Put(got); err != nil {
		t.Errorf("the same result, in bytes: %v", err)
	}
}

// Exams that earlier programs stored are read: the key of what is met is the same.
func TestExamsOfBefore(t *testing.T) {
	for text, want := range map[string]Exam{`{"promises":24}`: {Requirements: 24},
		`{"unexamined":true}`: {Unexamined: true}} {
		var got Exam
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s is read as %+v, %v", text, got, err)
		}
		if again, err := json.Marshal(got); err != nil || string(again) != text {
			t.Errorf("%s is written as %s, %v", text, again, err)
		}
	}
}
