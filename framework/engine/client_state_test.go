package engine_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// mindful is a local rule whose steps depend on all earlier rounds of its client: it keeps how many
// there were, the sum of its gradients, and in single precision the last one.
type mindful struct {
	visits map[int]int // of clients, as a witness that is not the engine's; nil: none
	fails  int         // the visit of client 2 that fails; 0: none does
}

func (l mindful) Run(t *fl.Task) (fl.Update, error) {
	visits, sum := t.State.Vector("visits", 1), t.State.Matrix("sum", len(t.Params), 1)
	last := t.State.Vector32("last", len(t.Params))
	if l.visits != nil && visits[0] != float64(l.visits[t.Client.ID]) {
		panic("a visit was forgotten")
	}
	grad := t.Scratch(len(t.Params))
	t.Worker.Gradient(grad, t.Params, &t.Client.Data, nil)
	visits[0]++
	for i, g := range grad {
		t.Params[i] -= 0.1*g + 0.01*sum.Data[i]/visits[0] + 0.02*float64(last[i])
		sum.Data[i], last[i] = sum.Data[i]+g, float32(g)
	}
	if l.fails > 0 && t.Client.ID == 2 && visits[0] == float64(l.fails) {
		return fl.Update{}, errors.New("no power")
	}
	if l.visits != nil {
		l.visits[t.Client.ID]++
	}
	return fl.Update{Steps: 1, Params: t.Params}, nil
}

func minding() *engine.Setup {
	s := toy()
	s.Local = mindful{}
	return s
}

// What a client keeps is there when it comes again, however many rounds it was absent, and is that
// of no other client.
func TestClientStateSurvivesAbsence(t *testing.T) {
	for _, o := range []engine.Options{{}, {ClientMemory: 1}, {ClientMemory: 200}} {
		s := minding()
		s.Rounds, s.Local = 60, mindful{visits: map[int]int{}}
		run(t, s, o)
		if n := len(s.Local.(mindful).visits); n != s.Clients {
			t.Errorf("%d of %d clients trained", n, s.Clients)
		}
	}
}

// What is in memory between rounds takes no more than was allowed, records of clients included.
func TestClientMemoryIsNotExceeded(t *testing.T) {
	most := func(limit int64) (bytes int64) {
		s := big()
		s.Local = mindful{}
		c, err := engine.Start(s, engine.Options{ClientMemory: limit})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for range s.Rounds {
			if err := c.Step(); err != nil {
				t.Fatal(err)
			}
			_, now := c.Remembered()
			bytes = max(bytes, now)
		}
		return bytes
	}
	all := most(0)
	records := int64(64 * big().Clients)
	if limit := (records + all) / 2; most(limit) > limit || all <= limit {
		t.Errorf("%d bytes of %d, where %d are allowed", most(limit), all, limit)
	}
}

func TestClientStateIsResumed(t *testing.T) {
	resumes(t, minding)
	resumes(t, func() *engine.Setup {
		s := minding()
		s.Aggregator = summed()
		return s
	})
}

// Neither workers nor a file change a bit of a result or of a checkpoint.
func TestClientStateDoesNotDependOnWorkersOrMemory(t *testing.T) {
	made := func(o engine.Options) (result string, kept []byte) {
		s := big()
		s.Local = mindful{}
		c, err := engine.Start(s, o)
		if err != nil {
			t.Fatal(err)
		}
		for range s.Rounds - 1 {
			if err := c.Step(); err != nil {
				t.Fatal(err)
			}
		}
		p := c.Checkpoint()
		p.Seconds, p.Serving, p.Training = 0, 0, 0
		kept = bytesOf(t, p)
		r, err := c.Finish(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return content(t, r), kept
	}
	want, kept := made(engine.Options{})
	for _, workers := range []int{1, 3, 8} {
		for _, memory := range []int64{0, 1, 1 << 12, 1 << 30} {
			o := engine.Options{Workers: workers, ClientMemory: memory}
			got, also := made(o)
			if got != want || !bytes.Equal(also, kept) {
				t.Errorf("%d workers, %d bytes of memory: another result or checkpoint", workers, memory)
			}
		}
	}
}

// A checkpoint whose states lie in a file has the bytes of one that has them in memory.
func TestSpilledStatesAreSaved(t *testing.T) {
	saved := func(memory int64) (kept []byte) {
		s := minding()
		o := engine.Options{ClientMemory: memory, Due: func() bool { return true }}
		o.Save = func(p *engine.Progress) {
			still := *p
			still.Seconds, still.Serving, still.Training = 0, 0, 0
			kept = bytesOf(t, &still)
		}
		run(t, s, o)
		return kept
	}
	want := saved(0)
	if !bytes.Contains(want, []byte("visits")) {
		t.Fatal("a checkpoint has no state of clients")
	}
	if !bytes.Equal(saved(1), want) {
		t.Error("another checkpoint")
	}
}

// The file goes with the cell, whatever becomes of it.
func TestSpilledStatesLeaveNoFile(t *testing.T) {
	dir := t.TempDir()
	s := minding()
	run(t, s, engine.Options{ClientMemory: 1, ClientFolder: dir})
	s.Local = mindful{fails: 2}
	if _, err := engine.Run(context.Background(), s,
		engine.Options{ClientMemory: 1, ClientFolder: dir}); err == nil {
		t.Error("no failure")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	_, err := engine.Run(context.Background(), minding(),
		engine.Options{ClientMemory: 1, ClientFolder: dir + "/none"})
	if err == nil || !strings.HasPrefix(err.Error(), "round 1: client states: ") {
		t.Errorf("a folder that is none: %v", err)
	}
}

// A file that cannot be read is an error of the client whose state it has, and of a checkpoint.
func TestSpilledStatesThatAreLost(t *testing.T) {
	s := minding()
	s.Availability = everyone{}
	c, err := engine.Start(s, engine.Options{ClientMemory: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Step(); err != nil {
		t.Fatal(err)
	}
	c.Close() // and its file
	if err := c.Checkpoint().Encode(io.Discard); err == nil {
		t.Error("a checkpoint without its states is written")
	}
	if err := c.Step(); err == nil || !strings.Contains(err.Error(), "client 0: client states: ") {
		t.Errorf("error %v", err)
	}
}

// A client that fails keeps what it had before the round.
func TestFailureChangesNoState(t *testing.T) {
	s := minding()
	s.Local, s.Availability = mindful{fails: 3}, everyone{}
	c, err := engine.Start(s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 2 {
		if err := c.Step(); err != nil {
			t.Fatal(err)
		}
	}
	before := c.Checkpoint()
	if err := c.Step(); err == nil || !strings.Contains(err.Error(), "client 2: no power") {
		t.Fatalf("error %v", err)
	}
	was, is := engine.StateOf(before, 2), engine.StateOf(c.Checkpoint(), 2)
	for _, name := range []string{"visits", "sum"} {
		m, _, _ := was.Holds(name)
		n, _, ok := is.Holds(name)
		if !ok || !slices.Equal(m.Data, n.Data) {
			t.Errorf("%s changed from %v to %v", name, m.Data, n.Data)
		}
	}
	_, a, _ := was.Holds("last")
	if _, b, _ := is.Holds("last"); !slices.Equal(a, b) {
		t.Errorf("last changed from %v to %v", a, b)
	}
}

// Clients that have not trained take no memory, and a round allocates nothing once each has.
func TestClientStateIsSparse(t *testing.T) {
	s := minding()
	s.Clients, s.Rounds = 40, 100
	s.Availability = listed{{3, 17}, {17, 31}}
	c, err := engine.Start(s, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	step := func() {
		if err := c.Step(); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		step()
	}
	if ids := engine.StateIDs(c.Checkpoint()); !slices.Equal(ids, []int{3, 17, 31}) {
		t.Errorf("clients %v have a state", ids)
	}
	s.Every = 1000
	if n := testing.AllocsPerRun(20, step); n > 0 {
		t.Errorf("%v allocations in a round", n)
	}
}

// A name that is asked for with another length, or in the other precision, starts anew.
func TestClientStateStartsAnew(t *testing.T) {
	s := minding()
	s.Availability, s.Rounds = everyone{}, 2
	s.Local = ruleFunc(func(t *fl.Task) (fl.Update, error) {
		if t.T == 0 {
			t.State.Vector("a", 2)[1], t.State.Vector("b", 2)[0] = 1, 2
			t.State.Vector32("c", 3)[2] = 3
			t.State.Vector("nan", 1)[0] = math.NaN()
		} else if t.State.Vector("a", 2)[1] != 1 || t.State.Vector("b", 3)[0] != 0 ||
			t.State.Vector("b", 2)[0] != 0 || t.State.Vector32("a", 2)[1] != 0 ||
			t.State.Vector("c", 3)[2] != 0 || !math.IsNaN(t.State.Vector("nan", 1)[0]) {
			return fl.Update{}, errors.New("another state")
		}
		return fl.Update{Params: t.Params}, nil
	})
	run(t, s, engine.Options{})
}

// ruleFunc is a local rule that is a function.
type ruleFunc func(t *fl.Task) (fl.Update, error)

func (f ruleFunc) Run(t *fl.Task) (fl.Update, error) { return f(t) }
