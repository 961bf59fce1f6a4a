package session

import (
	"strings"
	"testing"
)

// The place is that of the largest number, in the file too.
func TestLargeCellsAreBlamedOnANumber(t *testing.T) {
	x, err := Read("../../experiments/quickstart.toml", &Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	problems := x.fits(1000)
	if len(problems) == 0 || len(problems) != len(x.Arms()) {
		t.Fatalf("%d problems for %d arms", len(problems), len(x.Arms()))
	}
	for _, p := range problems {
		if !strings.HasPrefix(p.Message, "dataset.samples_per_client: 50 needs about ") ||
			p.Pos.Line != 10 || p.Pos.Col == 0 || !strings.HasSuffix(p.Message, "there are 1 kB") {
			t.Errorf("%v: %s", p.Pos, p.Message)
		}
	}
	if problems := x.fits(0); problems != nil {
		t.Errorf("where it is not known how much there is: %v", problems)
	}
}

// Half of the memory of a training run is for what its clients keep, the rest for all else; where
// there is no limit for the one there is none for the other.
func TestMemoryOfClients(t *testing.T) {
	x, err := Read("../../experiments/quickstart.toml", &Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	j := &Job{Experiment: x}
	for memory, want := range map[uint64]int64{0: 0, 1 << 20: 1 << 19, 1<<64 - 1: 1<<63 - 1} {
		o := &Options{Jobs: 1}
		o.Memory = memory
		if got := j.engineOptions(o, 1).ClientMemory; got != want {
			t.Errorf("of %d bytes %d are for what clients keep, want %d", memory, got, want)
		}
	}
}
