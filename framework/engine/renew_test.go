package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// renewing is a local rule that keeps the sum of its gradients, in place or by renewing it.
type renewing struct {
	copies bool
	fails  func(t *fl.Task) bool // after it wrote; nil: never
}

func (l renewing) Run(t *fl.Task) (fl.Update, error) {
	grad := t.Scratch(len(t.Params))
	t.Worker.Gradient(grad, t.Params, &t.Client.Data, nil)
	var sum fl.Vector
	if l.copies {
		sum = t.State.Vector("sum", len(grad))
		sum.Add(grad)
	} else {
		var old fl.Vector
		old, sum = t.State.Renew("sum", len(grad))
		copy(sum, old)
		sum.Add(grad)
		if again, same := t.State.Renew("sum", len(grad)); &again[0] != &old[0] || &same[0] != &sum[0] {
			return fl.Update{}, errors.New("asked again, another memory")
		}
	}
	if l.fails != nil && l.fails(t) {
		return fl.Update{}, errors.New("no power")
	}
	t.Params.AddScaled(-0.1, sum)
	return fl.Update{Steps: 1, Params: t.Params}, nil
}

// What is renewed is what would have been written in place, with any workers, from a file, resumed.
func TestRenewedStateIsWrittenState(t *testing.T) {
	made := func(l renewing, o engine.Options) string {
		s := big()
		s.Local = l
		r, err := engine.Run(context.Background(), s, o)
		if err != nil {
			t.Fatal(err)
		}
		return content(t, r)
	}
	want := made(renewing{copies: true}, engine.Options{})
	for _, o := range []engine.Options{{}, {Workers: 3}, {ClientMemory: 1}, {Workers: 2, ClientMemory: 1 << 12}} {
		if made(renewing{}, o) != want {
			t.Errorf("%+v: another result", o)
		}
	}
	resumes(t, func() *engine.Setup {
		s := toy()
		s.Local = renewing{}
		return s
	})
}

// A task that fails after it renewed a state has changed nothing.
func TestFailedTaskRenewsNothing(t *testing.T) {
	s := toy()
	broken := false
	s.Local = renewing{fails: func(*fl.Task) bool { return broken }}
	c, err := engine.Start(s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 3 {
		if err := c.Step(); err != nil {
			t.Fatal(err)
		}
	}
	p := c.Checkpoint()
	broken = true
	if err := c.Step(); err == nil {
		t.Fatal("no failure")
	}
	after := c.Checkpoint()
	for id := range s.Clients {
		was, is := engine.StateOf(p, id), engine.StateOf(after, id)
		if (was == nil) != (is == nil) {
			t.Fatalf("client %d has a state, and had none, or the other way round", id)
		}
		if was != nil && was.Vector("sum", len(p.Global))[0] != is.Vector("sum", len(p.Global))[0] {
			t.Errorf("client %d: a failed task changed its state", id)
		}
	}
}
