package slurm_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/launch/slurm/slurmtest"
)

// A controller that dies forgets what was submitted just before, and gives ids to others that were
// given. A name belongs to one submission.
func testForgotten(t *testing.T, cluster *slurmtest.Cluster) {
	b := on(t, "wait", 3)
	b.begin()
	for range 3 { // it may have written it down at just that moment
		id := b.submit()
		cluster.KillController()
		cluster.Heal()
		other := b.another("next")
		again := other.submit()
		b.await(0, "RUNNING")
		if len(b.states) == 0 {
			last, _ := strconv.Atoi(id)
			if next, err := strconv.Atoi(again); err != nil || next > last {
				t.Errorf("after %s the next id is %s", id, again)
			}
			other.await(3, "COMPLETED")
			return
		}
		b = other.another("still")
	}
	t.Fatal("the controller never forgets")
}

// What is asked of a controller that is down says so, and nothing is submitted.
func testDown(t *testing.T, cluster *slurmtest.Cluster) {
	if !*slow {
		t.Skip("an answer takes 9 seconds each: -slow waits for it")
	}
	b := on(t, "wait", 1)
	cluster.KillController()
	began := time.Now()
	_, err := launch.Submit(t.Context(), b.slurm, b.array)
	t.Logf("after %v: %v", time.Since(began), err)
	if !errors.Is(err, launch.ErrUnreachable) ||
		!strings.Contains(err.Error(), "Unable to contact slurm controller") {
		t.Error(err)
	}
	if _, err := b.slurm.Limits(t.Context()); !errors.Is(err, launch.ErrUnreachable) {
		t.Error(err)
	}
	cluster.Heal()
	b.begin()
	b.await(0, "RUNNING")
	if len(b.states) != 0 {
		t.Errorf("%+v", b.states)
	}
	b.submit()
	b.await(1, "COMPLETED")
}

// A task whose node dies begins again on another one, while it still runs on the first.
func testNode(t *testing.T, cluster *slurmtest.Cluster) {
	if !*slow {
		t.Skip("a node is down after half a minute: -slow waits for it")
	}
	b := on(t, "wait", 1)
	b.submit()
	b.await(1, "RUNNING")
	was := b.states[0].Node
	cluster.KillNode(was)
	defer cluster.Heal()
	began := time.Now()
	b.await(1, "PENDING")
	t.Logf("requeued after %v: %+v", time.Since(began), b.states)
	b.hurry(1)
	if b.states[0].Node == was {
		t.Errorf("it runs on %s, which is down", was)
	}
	b.begin()
	b.await(1, "COMPLETED")
	if text := b.log("0"); !strings.Contains(text, "began 1 on "+b.states[0].Node) {
		t.Error(text)
	}
}

// A task that ignores signals is ended by Slurm.
func testTimeLimit(t *testing.T) {
	if !*slow {
		t.Skip("a limit of a minute takes a minute and a half: -slow waits for it")
	}
	b := on(t, "deaf", 1)
	b.array.Site = &launch.Site{Time: time.Minute, Signal: 10 * time.Second}
	b.submit()
	began := time.Now()
	b.await(1, "TIMEOUT")
	t.Logf("after %v: %+v", time.Since(began), b.states)
}
