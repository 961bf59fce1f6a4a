package launch_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/hansa-fl/hansa/framework/launch"
)

// A queue is a cluster of jobs that end some questions after they were cancelled. A job named late
// comes to it with the first cancellation, as its submission was on the way.
type queue struct {
	launch.Cluster
	left map[string]int // questions until the end, by job; 0: it was not told to end
	told []string       // names of what was cancelled
}

func (q *queue) States(context.Context, []string) (list []launch.TaskState, _ error) {
	for id, left := range q.left {
		phase := launch.Running
		if left == 1 {
			phase = launch.Ended
		} else if left > 1 {
			q.left[id]--
		}
		list = append(list, launch.TaskState{Name: "name-" + id, Job: id, Phase: phase})
	}
	return list, nil
}

func (q *queue) Cancel(_ context.Context, names []string) error {
	q.told = append(q.told, names...)
	for id := range q.left {
		if slices.Contains(names, "name-"+id) {
			q.left[id] = 4
		}
	}
	if _, there := q.left["late"]; !there {
		q.left["late"] = 0
	}
	return nil
}

// A job that comes while others are cancelled is cancelled, too, and each is told once: the second
// signal would end a task that is about to save its work.
func TestCancelWaitsForWhatComesMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queue{left: map[string]int{"first": 0}}
		if err := launch.Cancel(t.Context(), q, []string{"name-first", "name-late"}); err != nil {
			t.Fatal(err)
		}
		if want := []string{"name-first", "name-late"}; !slices.Equal(q.told, want) {
			t.Errorf("cancelled %v, want %v", q.told, want)
		}
		states, _ := q.States(t.Context(), nil)
		for _, s := range states {
			if s.Phase.Live() {
				t.Errorf("%s is left", s.Name)
			}
		}
	})
}
