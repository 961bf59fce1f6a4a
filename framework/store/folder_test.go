package store

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/study"
)

// tree returns what lies below a folder: the contents of files, and where links lead.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	is := map[string]string{}
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		is[path] = info.Mode().String()
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			is[path] += string(content)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return is
}

// everything does everything that can be done to a run, and returns all errors.
func everything(r Run, p *Plan) error {
	result := sample(ab12)
	_, _, leave := r.Enter("me", time.Time{})
	leave()
	_, get := r.Get(ab12, nil)
	_, verify := r.Verify(ab12, nil)
	_, attempt := r.LoadAttempt(ab12)
	_, failure := r.LoadFailure(ab12)
	_, plan := r.LoadPlan()
	_, census := r.Census(p)
	_, checkpoint := r.LoadCheckpoint(ab12, by("me"))
	_, arrays := r.Arrays(ab12)
	_, code := r.LoadCode("sha256:" + bbbb)
	_, submissions := r.Submissions()
	_, freeze := r.Freeze("hansa", aaaa, []byte("program"))
	scraps, gc := r.Scraps(p, &Sweep{Now: time.Now(), Orphans: true, Quarantine: true, Queue: new(Queue)})
	_, discard := r.Discard(scraps)
	r.Look()
	r.AtWork()
	r.Saved(ab12, &study.Cell{Rounds: 9})
	return errors.Join(get, verify, attempt, failure, plan, census, checkpoint, arrays, code, submissions,
		freeze, r.Put(result), r.SaveAttempt(ab12, &Attempt{}), r.SaveFailure(ab12, &Failure{}),
		r.SaveCheckpoint(ab12, by("me"), after(1)), r.DropCheckpoint(ab12),
		r.PutArray(ab12, 1, "a", [2]int{}, nil), r.SaveCode("sha256:"+bbbb, map[string]string{"a.go": "b"}),
		r.SaveSubmission(&Submission{Name: "s1", Program: aaaa}), r.SaveWork("s1", 0, &Work{}),
		r.SaveTurn("s1", 0, Turn{}), r.DropSubmission("s1"), r.SaveFile("tables/table.txt", nil),
		r.SavePlan(p), gc, discard, r.Tidy())
}

// Whatever in a run is a link is named and not followed: nothing that it leads to is read, written,
// moved or removed. What lies in the run behind another name is not touched by it either.
func TestNoLinkInARunIsFollowed(t *testing.T) {
	p := &Plan{Cells: []study.Cell{{Method: "a"}}}
	p.IDs = []string{p.Cells[0].ID()}
	for _, name := range []string{"results", "results/ab", "results/ab/" + ab12 + ".json", "attempts",
		"attempts/ab", "failures/ab/" + ab12 + ".json", "checkpoints", "checkpoints/ab/" + ab12 + ".ckpt",
		"checkpoints/ab/" + ab12 + ".previous.ckpt", "arrays", "arrays/" + ab12, "strategies",
		"strategies/" + bbbb, "bin", "bin/" + aaaa, "bin/" + aaaa + "/hansa", "submissions",
		"submissions/s1", "submissions/s1/tasks", "submissions/s1/submission.json", "quarantine", "busy",
		"tables", "tables/table.txt", planFile} {
		for _, inside := range []bool{false, true} {
			top := t.TempDir()
			r, victim := Run{filepath.Join(top, "run")}, filepath.Join(top, "victim")
			if inside {
				victim = filepath.Join(r.Dir, "mine")
			}
			half := []byte("half a file") // which is set aside wherever that is possible
			link := filepath.Join(r.Dir, filepath.FromSlash(name))
			err := errors.Join(put(filepath.Join(victim, ab12+".json"), half),
				put(filepath.Join(victim, ab12, "hansa"), half), put(filepath.Join(victim, ab12+".ckpt"), half),
				put(filepath.Join(victim, ".x.json."+hostName()+".1073741825.x"), half),
				put(r.file("results", ab12), half),
				os.RemoveAll(link), os.MkdirAll(filepath.Dir(link), 0o777), os.Symlink(victim, link))
			if err != nil {
				t.Fatal(err)
			}
			before := tree(t, victim)
			err = everything(r, p)
			if after := tree(t, victim); !maps.Equal(after, before) {
				t.Errorf("%s: what it leads to is now %v", name, after)
			}
			_, gone := os.Readlink(link) // gc removes it with the folder in which it is
			if said := new(LinkError); !errors.As(err, &said) && name != "busy" && gone == nil {
				t.Errorf("%s: it is not said that it is a link: %v", name, err)
			}
		}
	}
}

// What is called like a cell, a strategy, a program or a submission and is none is refused before
// it becomes the name of a file.
func TestNamesOfFilesAreNoPaths(t *testing.T) {
	top := t.TempDir()
	r := Run{filepath.Join(top, "run")}
	if err := os.MkdirAll(r.Dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"", ".", "..", "../..", "ab", "../" + ab12[3:], ab12[:63] + "/", ab12[:63] + "G",
		ab12 + "/..", strings.ToUpper(ab12), "/etc/passwd", "ab\x00"} {
		result := sample(id)
		_, get := r.Get(id, nil)
		_, attempt := r.LoadAttempt(id)
		_, code := r.LoadCode("sha256:" + id)
		_, freeze := r.Freeze("hansa", id, nil)
		_, checkpoint := r.LoadCheckpoint(id, by("me"))
		_, work := r.LoadWork("../"+id, 1)
		for k, err := range []error{get, attempt, code, freeze, checkpoint, work, r.Put(result),
			r.SaveFailure(id, &Failure{}), r.PutArray(id, 1, "a", [2]int{}, nil), r.DropCheckpoint(id),
			r.SaveCode(id, map[string]string{"a": ""}), r.SaveSubmission(&Submission{Name: "../" + id}),
			r.DropSubmission("../" + id), r.SaveFile("../"+id, nil)} {
			if err == nil {
				t.Errorf("%q was taken by number %d", id, k)
			}
		}
	}
	if left := tree(t, top); len(left) != 2 {
		t.Errorf("there is %v", left)
	}
}
