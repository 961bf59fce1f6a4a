package session

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/store"
)

// Each process that shares work has all of it to do, in an order of its own.
func TestWorkIsShared(t *testing.T) {
	for n := range 9 {
		var list []int
		for k := range n {
			list = append(list, k)
		}
		firsts := map[int]bool{}
		for turn := range 4 {
			mine := inTurn(list, turn)
			if len(mine) > 0 {
				firsts[mine[0]] = true
			}
			if turn == 0 && !slices.Equal(mine, list) {
				t.Errorf("the first goes through %v", mine)
			}
			if slices.Sort(mine); !slices.Equal(mine, list) {
				t.Errorf("number %d has only %v of %d", turn, mine, n)
			}
		}
		if len(firsts) < min(n, 3) {
			t.Errorf("four begin at %v of %d", firsts, n)
		}
	}
}

func TestWhoElseIsAtWork(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 5, 6, 12, 0, 0, 0, time.Local)
	here := store.Busy{Host: host, Process: 12, Since: now.Add(-time.Hour).Format(time.RFC3339)}
	there := store.Busy{Host: "node7", Process: 13, Since: now.AddDate(0, 0, -1).Format(time.RFC3339)}
	const rest = " at work here: what others finish is not run again"
	for want, others := range map[string][]store.Busy{
		"": nil,
		"another hansa run (process 12, since 11:00) is" + rest: {here},
		"another hansa run (process 13 of node7, since 2026-05-05 12:00) is" + rest + "; whether they " +
			"still live is not known of other machines, and `hansa gc 'a b' --force` forgets them": {there},
		"2 other hansa runs (process 12, since 11:00; process 12, since 11:00) are" + rest: {here, here},
	} {
		if line := company("a b", others, now); line != want {
			t.Errorf("of %s it says\n%s\nwant\n%s", fmt.Sprint(others), line, want)
		}
	}
}
