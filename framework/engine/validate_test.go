package engine_test

import (
	"slices"
	"testing"

	"github.com/hansa-fl/hansa/framework/engine"
)

// Validation samples are a share of each client's training samples: none is in both, none is lost,
// and no test sample is left.
func TestValidationSamplesAreOfTheirClients(t *testing.T) {
	for _, perClient := range []int{2, 3, 10, 25} {
		s := toy()
		s.Source = cloud{perClient, 8}
		whole, err := engine.Prepare(s, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s.Validated = 0.2
		w, err := engine.Prepare(s, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		pop, all := w.Population, whole.Population
		for i := range pop.N() {
			own, held := pop.Client(i).Data, pop.ClientTest(i)
			if want := max(1, (perClient+2)/5); held.Len() != want || own.Len() != perClient-want {
				t.Errorf("client %d trains on %d of %d samples", i, own.Len(), perClient)
			}
			targets := slices.Concat(own.Target, held.Target)
			slices.Sort(targets)
			given := slices.Sorted(slices.Values(all.Client(i).Data.Target))
			if !slices.Equal(targets, given) {
				t.Errorf("client %d has other samples", i)
			}
		}
	}
	s := toy()
	s.Source, s.Validated = cloud{1, 8}, 0.2
	if _, err := engine.Prepare(s, engine.Options{}); err == nil {
		t.Error("clients with one sample validate")
	}
}

// A cell that stops early leaves a checkpoint, from which the one with all rounds goes on to the
// same bits.
func TestCellsThatStopEarlyGoOn(t *testing.T) {
	want := content(t, run(t, toy(), engine.Options{}))
	s := toy()
	s.ID, s.GoesOnAs, s.Rounds = "early", s.ID, 4
	s.Every = 2
	var last []byte
	o := engine.Options{Save: func(p *engine.Progress) { last = bytesOf(t, p) }}
	early := run(t, s, o)
	if early.Rounds[len(early.Rounds)-1] != 4 || last == nil {
		t.Fatalf("it ends after %v, and leaves %d bytes", early.Rounds, len(last))
	}
	rest := toy()
	if s.CheckpointID() != rest.CheckpointID() {
		t.Errorf("checkpoints of %q and %q", s.CheckpointID(), rest.CheckpointID())
	}
	if rest.Every != s.Every {
		rest.Every = s.Every
		want = content(t, run(t, rest, engine.Options{}))
	}
	c, err := engine.Resume(rest, engine.Options{}, decoded(t, last))
	if err != nil {
		t.Fatal(err)
	}
	result, err := c.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := content(t, result); got != want {
		t.Errorf("went on to\n%s\nwant\n%s", got, want)
	}
}
