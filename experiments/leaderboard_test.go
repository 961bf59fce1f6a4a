package experiments

import (
	"fmt"
	"maps"
	"path/filepath"
	"testing"

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
