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
