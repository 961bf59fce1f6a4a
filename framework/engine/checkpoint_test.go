package engine_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/fl"
)

// bytesOf returns a checkpoint as it is kept.
func bytesOf(t *testing.T, p *engine.Progress) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// decoded returns the checkpoint that was kept as these bytes.
func decoded(t *testing.T, kept []byte) *engine.Progress {
	t.Helper()
	p, err := engine.DecodeCheckpoint(bytes.NewReader(kept), int64(len(kept)))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// odd are numbers that a careless form would lose.
func odd() fl.Vector {
	return fl.Vector{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, 5e-324,
		math.MaxFloat64, 0.1}
}

// full returns a checkpoint in which everything is said.
func full() *engine.Progress {
	p := &engine.Progress{
		Round: 37, Global: odd(), Average: make(fl.Vector, 1<<13+5), Aggregator: fl.NewStore(),
		Nature: fl.NewStore(), Server: fl.NewStore(),
		Broadcast: fl.Tensors{"control": {Rows: 2, Cols: 4, Data: odd()}, "": {}},
		Watched:   true, Never: []int{2, 5}, Adopted: []int{1}, AdoptedAt: 3, Residual: engine.ResidualOf(odd(), odd(), "why"),
		Notes: new(fl.Notes), Uploaded: 1 << 40, Downloaded: -1, Came: 9, Skipped: 4,
		Measured: []int{0, 10}, Values: [][]float64{odd(), nil, {}}, Seconds: 1.5, Serving: 0.25, Kept: true,
	}
	for i := range p.Average {
		p.Average[i] = 1 / float64(i+1)
	}
	copy(p.Aggregator.Vector("momentum", 8), odd())
	copy(p.Aggregator.Matrix("duals", 4, 2).Data, odd())
	p.Aggregator.Matrix("nothing yet", 0, 3)
	p.Nature.Vector("chain", 1)[0] = math.Copysign(0, -1)
	p.Server.Vector("turn", 2)[1] = 7
	p.Notes.Add("θ & one\n")
	p.Notes.Include(fl.Observation{Name: "ess", Rounds: 2, Mean: math.Copysign(0, -1), Least: -1,
		Most: math.Copysign(0, -1)})
	return p
}

// fullest is full, and clients, an adversary and a guard keep something, clients have mail, and
// it is counted when they are available.
func fullest() *engine.Progress {
	p, own := full(), fl.NewStore()
	copy(own.Vector("control", 8), odd())
	own.Vector32("slope", 3)[1] = float32(math.Copysign(0, -1))
	own.Vector32("nothing yet", 0)
	engine.KeepOf(p, 5, 36, own)
	engine.KeepOf(p, 1<<40, 3, fl.NewStore())
	p.Shared = fl.NewStore()
	copy(p.Shared.Vector("losses", 7), odd()[1:])
	p.Adversary = fl.NewStore()
	copy(p.Adversary.Vector("direction", 6), odd()[2:])
	p.Guard = fl.NewStore()
	copy(p.Guard.Vector("radius", 3), odd()[3:])
	p.Coded = 1<<50 + 3
	p.Exposure = engine.ExposureOf([]int{3, 0}, []int{37, 0})
	encoder := fl.NewStore()
	copy(encoder.Vector("q", 3), odd()[1:])
	p.Shadow = engine.ShadowOf(odd()[1:], map[int]int64{4: 0, 1 << 40: 1 << 39}, encoder)
	p.Finishing, p.Time, p.Pending = fl.NewStore(), 0.1, engine.PendingOf(odd()[5:])
	p.Training = 0.7
	copy(p.Finishing.Vector("speeds", 4), odd()[1:])
	engine.ReportOf(p, 9, fl.Report{Round: 3, Loss: math.Inf(1), Norm: math.Copysign(0, -1),
		RMS: 0.1, Seconds: 0.3, Update: odd()[4:]})
	engine.ReportOf(p, 1<<33, fl.Report{Round: -1, Loss: 5e-324, Norm: math.Inf(-1),
		RMS: math.Copysign(0, -1), Seconds: math.Copysign(0, -1)})
	engine.MailOf(p, 4, fl.Tensors{"shift": {Rows: 1, Cols: 2, Data: fl.Vector{0.1, math.Inf(1)}}})
	return p
}

// What is kept of a checkpoint is all of it, with all bits, and the same bytes each time.
func TestCheckpointsSurviveBitForBit(t *testing.T) {
	p := fullest()
	fields := reflect.ValueOf(*p)
	for i := range fields.NumField() {
		if fields.Field(i).IsZero() {
			t.Errorf("nothing is said of %s: this test would not see that it is lost",
				fields.Type().Field(i).Name)
		}
	}
	kept := bytesOf(t, p)
	if !bytes.Equal(kept, bytesOf(t, fullest())) {
		t.Error("the same checkpoint gives other bytes")
	}
	back := decoded(t, kept)
	if again := bytesOf(t, back); !bytes.Equal(again, kept) {
		t.Error("what was read gives other bytes than what was written")
	}
	// NaN is unlike itself, and everything else here must be equal.
	for _, c := range []*engine.Progress{p, back} {
		c.Global[0], c.Broadcast["control"].Data[0], c.Values[0][0] = 1, 1, 1
		c.Aggregator.Vector("momentum", 8)[0], c.Aggregator.Matrix("duals", 4, 2).Data[0] = 1, 1
		engine.StateOf(c, 5).Vector("control", 8)[0] = 1
		c.Residual = engine.ResidualOf(odd()[1:], odd()[1:], engine.Untold(c.Residual))
	}
	back.Broadcast[""] = fl.Matrix{} // no numbers may be none
	if !reflect.DeepEqual(p, back) {
		t.Errorf("came back as\n%+v\nwant\n%+v", back, p)
	}
	if !math.Signbit(back.Notes.Observations()[0].Mean) || !math.Signbit(back.Global[3]) {
		t.Error("−0 became 0")
	}
	if _, slope, _ := engine.StateOf(back, 5).Holds("slope"); !math.Signbit(float64(slope[1])) {
		t.Error("−0 of a client became 0")
	}
	empty := bytesOf(t, &engine.Progress{Aggregator: fl.NewStore(), Nature: fl.NewStore(),
		Server: fl.NewStore(), Notes: new(fl.Notes)})
	if back := decoded(t, empty); back.Average != nil || back.Adopted != nil || back.Residual != nil || back.Clients != nil || back.Mail != nil {
		t.Errorf("what is not there came back: %+v", back)
	}
}

// How many rounds were played is known without the rest.
func TestRoundsPlayedComeFirst(t *testing.T) {
	p := full()
	kept := bytesOf(t, p)
	if rounds, err := engine.RoundsPlayed(bytes.NewReader(kept)); rounds != p.Round || err != nil {
		t.Errorf("%d rounds, want %d: %v", rounds, p.Round, err)
	}
	if rounds, err := engine.RoundsPlayed(bytes.NewReader(kept[:7])); rounds != 0 || err == nil {
		t.Errorf("%d rounds of seven bytes: %v", rounds, err)
	}
}

// Whatever is read, it is a checkpoint or an error.
func TestTornCheckpointsAreErrors(t *testing.T) {
	small := fullest()
	small.Average = nil
	kept := bytesOf(t, small)
	for n := range kept {
		if _, err := engine.DecodeCheckpoint(bytes.NewReader(kept[:n]), int64(n)); err == nil {
			t.Errorf("%d of %d bytes were a checkpoint", n, len(kept))
		}
		if _, err := engine.DecodeCheckpoint(bytes.NewReader(kept[:n]), int64(len(kept))); err == nil {
			t.Errorf("%d of %d bytes were a checkpoint", n, len(kept))
		}
	}
	if _, err := engine.DecodeCheckpoint(bytes.NewReader(append(slices.Clone(kept), 0)),
		int64(len(kept)+1)); err == nil {
		t.Error("a byte too many was read over")
	}
	for k := range 8 * len(kept) {
		kept[k/8] ^= 1 << (k % 8)
		// It is no error where a number is another one: the checksum of the file is for that.
		_, _ = engine.DecodeCheckpoint(bytes.NewReader(kept), int64(len(kept)))
		kept[k/8] ^= 1 << (k % 8)
	}
}

// A failing writer is told of, and what was to be written stays as it is.
func TestWritingChangesNothing(t *testing.T) {
	p := fullest()
	p.Average = nil
	want := bytesOf(t, p)
	for n := range want {
		if err := p.Encode(&tight{n}); !errors.Is(err, io.ErrShortWrite) {
			t.Fatalf("room for %d of %d bytes: %v", n, len(want), err)
		}
	}
	if !bytes.Equal(bytesOf(t, p), want) {
		t.Error("it is another one now")
	}
}

// tight is a disk with room for some bytes.
type tight struct{ left int }

// Write implements io.Writer.
func (w *tight) Write(b []byte) (int, error) {
	n := min(len(b), w.left)
	w.left -= n
	if n < len(b) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

// No second copy of what is large is made.
func TestEncodingTakesNoMemory(t *testing.T) {
	p := full()
	p.Global = make(fl.Vector, 1<<20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := p.Encode(io.Discard); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<18 {
		t.Errorf("writing %d bytes took %d", 8<<20, took)
	}
}

// A cell is saved when that is due, which changes nothing else.
func TestCellsAreSavedWhenDue(t *testing.T) {
	want := content(t, run(t, toy(), engine.Options{}))
	var saved [][]byte
	asked := 0
	o := engine.Options{Due: func() bool { asked++; return asked%3 == 0 }}
	o.Save = func(p *engine.Progress) { saved = append(saved, bytesOf(t, p)) }
	if got := content(t, run(t, toy(), o)); got != want {
		t.Errorf("saving changes the result:\n%s\nwant\n%s", got, want)
	}
	if n := toy().Rounds - 1; asked != n || len(saved) != n/3 {
		t.Errorf("asked %d times in %d rounds, saved %d times", asked, n+1, len(saved))
	}
}

// calledOff runs a cell, from a checkpoint of it where there is one, calls it off in a round, and
// returns what was saved then.
func calledOff(t *testing.T, o engine.Options, from *engine.Progress, round int) *engine.Progress {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	s, last := toy(), []byte(nil)
	s.Local = stopping{s.Local, round, stop}
	o.Save = func(p *engine.Progress) { last = bytesOf(t, p) }
	c, err := engine.Start(s, o)
	if from != nil {
		c, err = engine.Resume(s, o, from)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Finish(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("called off in round %d: %v", round, err)
	}
	p := decoded(t, last)
	if p.Round != round {
		t.Errorf("called off in round %d, saved after round %d", round, p.Round)
	}
	return p
}

// stopping is a local rule that calls its cell off in a round.
type stopping struct {
	fl.LocalRule
	round int
	stop  func()
}

func (s stopping) Run(t *fl.Task) (fl.Update, error) {
	if t.T+1 == s.round {
		s.stop()
	}
	return s.LocalRule.Run(t)
}

// A cell that is called off is saved after the round at work, and goes on from there.
func TestCellsAreSavedWhenCalledOff(t *testing.T) {
	want := content(t, run(t, toy(), engine.Options{}))
	for name, due := range map[string]func() bool{"only then": nil, "always": func() bool { return true }} {
		o := engine.Options{Due: due}
		p := calledOff(t, o, calledOff(t, o, nil, 5), 6)
		c, err := engine.Resume(toy(), engine.Options{}, p)
		if err != nil {
			t.Fatal(err)
		}
		result, err := c.Finish(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := content(t, result); got != want {
			t.Errorf("saved %s, called off twice:\n%s\nwant\n%s", name, got, want)
		}
	}
}

// A cell that is called off before it has done anything has nothing to save.
func TestNothingIsSavedOfNothing(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	o := engine.Options{Due: func() bool { return true }}
	o.Save = func(p *engine.Progress) { t.Errorf("saved after round %d", p.Round) }
	if _, err := engine.Run(ctx, toy(), o); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	s := toy()
	s.Rounds = 1
	if _, err := engine.Run(t.Context(), s, o); err != nil {
		t.Error(err)
	}
}

// What does not fit a cell is refused, and so is a checkpoint without the arrays that are wanted.
func TestUnfitCheckpointsAreRefused(t *testing.T) {
	c, err := engine.Start(toy(), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Step(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*engine.Progress){
		"rounds": func(p *engine.Progress) { p.Round = 1000 }, "negative": func(p *engine.Progress) { p.Round = -1 },
		"model":   func(p *engine.Progress) { p.Global = p.Global[1:] },
		"average": func(p *engine.Progress) { p.Average = nil },
		"heirs":   func(p *engine.Progress) { p.Adopted = []int{1000} },
		"no heir": func(p *engine.Progress) { p.Adopted = []int{} },
		"series":  func(p *engine.Progress) { p.Values = p.Values[1:] },
		"values":  func(p *engine.Progress) { p.Values[0] = p.Values[0][1:] },
		"judge":   func(p *engine.Progress) { p.Residual = engine.ResidualOf(nil, nil, "") },
	} {
		p := c.Checkpoint()
		spoil(p)
		if _, err := engine.Resume(toy(), engine.Options{}, p); !errors.Is(err, engine.ErrUnfit) {
			t.Errorf("%s: %v", name, err)
		}
	}
	keeps := engine.Options{Keep: func(int, string, fl.Matrix) {}}
	if _, err := engine.Resume(toy(), keeps, c.Checkpoint()); !errors.Is(err, engine.ErrUnfit) ||
		!strings.Contains(err.Error(), "arrays") {
		t.Errorf("arrays of the first round are missing, and yet: %v", err)
	}
	kept, err := engine.Start(toy(), keeps)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	for _, o := range []engine.Options{keeps, {}} {
		again, err := engine.Resume(toy(), o, kept.Checkpoint())
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		if p := again.Checkpoint(); p.Kept != (o.Keep != nil) {
			t.Errorf("arrays are kept: %t; the checkpoint says %t", o.Keep != nil, p.Kept)
		}
	}
}

// Seconds go on where they stopped.
func TestSecondsGoOn(t *testing.T) {
	c, err := engine.Start(toy(), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	p := c.Checkpoint()
	p.Seconds = 1000
	again, err := engine.Resume(toy(), engine.Options{}, p)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if s := again.Checkpoint().Seconds; s < 1000 || s > 1100 {
		t.Errorf("%v seconds", s)
	}
}

// Checkpoints have the form that they had before, so that those that are kept can be read.
func TestTheFormIsKept(t *testing.T) {
	const want = "72a404651d5c91be4913b0de8d5a6d955ba3b5185df9a94e77c204d463f8cc38"
	if got := fmt.Sprintf("%x", sha256.Sum256(bytesOf(t, full()))); got != want {
		t.Errorf("a checkpoint has the digest %s, want %s: give another form another name", got, want)
	}
}
