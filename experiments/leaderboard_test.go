package experiments

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/view"
	"github.com/hansa-fl/hansa/framework/study"
)

// The larger files of the leaderboard compare the methods of the smallest, but those that a task
// does not have, and tune each in the same ranges, but for its learning rate.
func TestLeaderboardsHaveTheSameMethods(t *testing.T) {
	of := func(file string) (methods map[string]string, space map[string]string) {
		spec, err := study.Read(file, study.Overrides{})
		if err != nil {
			t.Fatal(err)
		}
		cells, err := spec.Expand()
		if err != nil {
			t.Fatal(err)
		}
		methods, space = map[string]string{}, map[string]string{}
		for _, c := range cells {
			methods[c.Method] = fmt.Sprint(c.Picks["local"].Name, " ", c.Picks["aggregator"])
		}
		for _, r := range spec.Tune.Space {
			if r.Path != "local.lr" {
				space[r.Method+": "+r.Path] = fmt.Sprint(r.Values, r.Low, r.High)
			}
		}
		return methods, space
	}
	want, _ := of("leaderboard/smoke.toml") // which is tuned less
	_, ranges := of("leaderboard/board-glyphs.toml")
	for _, file := range files(t) {
		if match, _ := filepath.Match("leaderboard/board-*.toml", file); !match {
			continue
		}
		methods, space := of(file)
		if len(methods) < 35 || !maps.Equal(space, ranges) {
			t.Errorf("%s: %d methods, tuned by %v and not %v", file, len(methods), space, ranges)
		}
		for method, is := range methods {
			if want[method] != is {
				t.Errorf("%s: %s is %q, and %q in smoke.toml", file, method, is, want[method])
			}
		}
	}
}

// Results that come with the project are small and whole: every training run of the size laptop has
// a digest of its result, or the reason for which it has none.
func TestResultsOfLeaderboardsAreWhole(t *testing.T) {
	const most = 3_000_000 // bytes
	found, err := filepath.Glob("leaderboard/results/*.json.gz")
	if err != nil || len(found) == 0 {
		t.Fatalf("%v, %v", found, err)
	}
	size, runs := 0, 0
	for _, file := range found {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		size += int(info.Size())
		records, err := view.Records(new(session.Session), []string{file}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			runs += len(r.IDs)
			for i, id := range r.IDs {
				if r.Digests[id] == "" && r.Failures[id] == "" {
					t.Errorf("%s: %s of seed %d has neither a result nor a reason", file,
						r.Cells[i].Method, r.Cells[i].Seed)
				}
			}
		}
	}
	if size > most || runs < 5000 {
		t.Errorf("%d training runs in %d bytes, at most %d", runs, size, most)
	}
}
