package fl_test

import (
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// An entry has the traits that it says, as a value or by a pointer, and else none.
func TestTraitsOf(t *testing.T) {
	traits := fl.PartitionTraits{Keeps: fl.KeepsOwners, Drops: true}
	for _, e := range []fl.PartitionerEntry{{Traits: traits}, {Traits: &traits}} {
		if got := fl.TraitsOf[fl.PartitionTraits](e); got != traits {
			t.Errorf("have %+v, want %+v", got, traits)
		}
	}
	if got := fl.TraitsOf[fl.PartitionTraits](fl.PartitionerEntry{}); got.Drops || got.Keeps != "" {
		t.Errorf("without traits: %+v", got)
	}
}
