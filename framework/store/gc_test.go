package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// littered returns a run of one cell, ab12, that is done, and of much else.
func littered(t *testing.T, now time.Time) Run {
	t.Helper()
	r := saved(t, 5, 8)
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(r.Put(sample(ab12)), r.Put(sample(ef78)), r.SaveAttempt(ab12, &Attempt{}),
		r.SaveAttempt(ef78, &Attempt{}), r.SaveFailure(ef79, &Failure{}),
		r.PutArray(ab12, 1, "plan", [2]int{1, 1}, []float64{1}),
		r.PutArray(ef78, 1, "plan", [2]int{1, 1}, []float64{1}),
		r.SaveCheckpoint(cd34, by("me"), after(3)), // in the plan, and not done
		r.SaveCheckpoint(ef79, by("me"), after(3)))
	if err != nil {
		t.Fatal(err)
	}
	for name, age := range map[string]time.Duration{
		fmt.Sprintf("results/ab/."+ab12+".json.%s.%d.x", hostName(), noProcess):   0,
		fmt.Sprintf("results/ab/."+ab12+".json.%s.%d.x", hostName(), os.Getpid()): 100 * time.Hour,
		"results/ab/." + ab12 + ".json.elsewhere.7.old":                           25 * time.Hour,
		"results/ab/." + ab12 + ".json.elsewhere.7.new":                           23 * time.Hour,
		"results/ab/." + ab12 + ".json.7.0":                                       25 * time.Hour,
		"results/ab/." + ab12 + ".json.7.1":                                       -time.Hour,
		"quarantine/" + ab12 + ".0123.json":                                       0,
		"submissions/s1/tasks.json":                                               0,
		"submissions/s2/log/0.log":                                                0,
		"bin/" + aaaa + "/hansa":                                                  0,
		"bin/" + bbbb + "/hansa":                                                  0,
		"mine.txt":                                                                100 * time.Hour,
	} {
		path := filepath.Join(r.Dir, name)
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte("12"), 0o666),
			os.Chtimes(path, now.Add(-age), now.Add(-age)))
		if err != nil {
			t.Fatal(err)
		}
	}
	entered(t, r, Busy{host, noProcess, "", "dead", ""})
	entered(t, r, Busy{"elsewhere", noProcess, "", "remote", ""})
	return r
}

func TestScraps(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	host, _ := os.Hostname()
	always := []string{fmt.Sprintf("results/ab/."+ab12+".json.%s.%d.x", hostName(), noProcess),
		"results/ab/." + ab12 + ".json.elsewhere.7.old", "results/ab/." + ab12 + ".json.7.0",
		"busy/" + host + "-dead.json", "checkpoints/ab/" + ab12 + ".ckpt", "checkpoints/ab/" + ab12 + ".previous.ckpt",
		"checkpoints/ef/" + ef79 + ".ckpt"}
	for name, c := range map[string]struct {
		sweep Sweep
		more  []string
	}{
		"always":    {Sweep{}, nil},
		"elsewhere": {Sweep{Elsewhere: true}, []string{"busy/elsewhere-remote.json"}},
		"orphans": {Sweep{Orphans: true}, []string{"results/ef/" + ef78 + ".json", "attempts/ef/" + ef78 + ".json",
			"failures/ef/" + ef79 + ".json", "arrays/" + ef78}},
		"quarantine": {Sweep{Quarantine: true}, []string{"quarantine/" + ab12 + ".0123.json"}},
		"queue": {Sweep{Queue: &Queue{Submissions: []string{"s1"}, Programs: []string{bbbb}}},
			[]string{"submissions/s2", "bin/" + aaaa}},
		"empty queue": {Sweep{Queue: &Queue{}},
			[]string{"submissions/s1", "submissions/s2", "bin/" + aaaa, "bin/" + bbbb}},
	} {
		t.Run(name, func(t *testing.T) {
			r := littered(t, now)
			before := files(t, r)
			c.sweep.Now = now
			scraps, err := r.Scraps(&Plan{IDs: []string{ab12, cd34}}, &c.sweep)
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, s := range scraps {
				found = append(found, s.Path)
				if s.Bytes == 0 || s.Kind == "" {
					t.Errorf("%+v says too little", s)
				}
			}
			want := slices.Concat(always, c.more)
			slices.Sort(want)
			if slices.Sort(found); !slices.Equal(found, want) {
				t.Errorf("scrap:\n%v\nwant\n%v", found, want)
			}
			if after := files(t, r); !slices.Equal(after, before) {
				t.Errorf("looking changed\n%v\nto\n%v", before, after)
			}
			removed, err := r.Discard(scraps)
			if err != nil || len(removed) != len(scraps) {
				t.Errorf("removed %v, %v", removed, err)
			}
			after := files(t, r)
			for _, path := range before {
				scrap := slices.ContainsFunc(want, func(s string) bool { return within(path, s) })
				if slices.Contains(after, path) == scrap {
					t.Errorf("%s: scrap %t, and yet", path, scrap)
				}
			}
			if again, err := r.Scraps(&Plan{IDs: []string{ab12, cd34}}, &c.sweep); len(again) > 0 || err != nil {
				t.Errorf("again: %v, %v", again, err)
			}
		})
	}
}

// within reports whether a path is another one, or below it.
func within(path, top string) bool {
	rel, err := filepath.Rel(top, path)
	return err == nil && filepath.IsLocal(rel)
}

// files lists the files of a run.
func files(t *testing.T, r Run) (names []string) {
	t.Helper()
	err := filepath.Walk(r.Dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			path, err = filepath.Rel(r.Dir, path)
			names = append(names, filepath.ToSlash(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// A checkpoint beside a result that does not verify is worth something.
func TestCheckpointsOfDamagedResultsStay(t *testing.T) {
	r := saved(t, 5)
	if err := put(r.file("results", ab12), []byte("half")); err != nil {
		t.Fatal(err)
	}
	scraps, err := r.Scraps(&Plan{IDs: []string{ab12}}, new(Sweep))
	if len(scraps) > 0 || err != nil {
		t.Errorf("%v, %v", scraps, err)
	}
}
