package session

import (
	"errors"
	"maps"
	"regexp"
	"slices"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/study"
)

// sharedFailures know which cells that have not begun would fail like one that did. A strategy that
// fails costs the cells of its methods and no others, so that methods are tried until it is known
// that the reason is none of theirs.
type sharedFailures struct {
	begun  bool              // a cell was run to its end
	of     map[string]string // by part of the setting, see part: why cells with it fail
	seeds  map[string]uint64 // by part and reason: the seed of the data with which that was so
	method map[string]string // by method: why its first cell failed
	all    string            // why every method fails; "" where they do not
	skip   map[string]int    // by reason: how many cells did not begin for it
	first  map[string]string // by reason: the cell that failed for it
}

func newSharedFailures() *sharedFailures {
	return &sharedFailures{of: map[string]string{}, seeds: map[string]uint64{},
		method: map[string]string{}, skip: map[string]int{}, first: map[string]string{}}
}

// slotsUpTo returns the parts of a setting that a part depends on, itself included.
func slotsUpTo(slot string) []string {
	order := []string{"dataset", "partition", "importance"}
	return order[:slices.Index(order, slot)+1]
}

// part names what cells share that fail together because of a slot.
func part(c *study.Cell, slot string, seed uint64) string {
	some := study.Cell{Clients: c.Clients, Held: c.Held, Validated: c.Validated, DataSeed: seed,
		TestByClient: c.TestByClient, HeldOut: c.HeldOut,
		Picks: map[string]study.Pick{}}
	for _, s := range slotsUpTo(slot) {
		some.Picks[s] = c.Picks[s]
	}
	return slot + " " + some.ID()
}

// anySeed stands for all seeds in the name of a part.
const anySeed = ^uint64(0)

// ofSeed is how messages name a seed.
var ofSeed = regexp.MustCompile(`\bseed \d+\b`)

// failed learns from a cell that failed. Methods are those of all cells that are to run.
func (f *sharedFailures) failed(c *study.Cell, err error, methods map[string]bool) {
	why := err.Error()
	if _, known := f.first[why]; !known {
		f.first[why] = c.Label()
	}
	var setting *engine.SettingError
	if errors.As(err, &setting) && len(slotsUpTo(setting.Slot)) > 0 {
		f.of[part(c, setting.Slot, c.DataSeed)] = why
		all := part(c, setting.Slot, anySeed)
		before, seen := f.seeds[all+why]
		// What is read is the same for all seeds; what is drawn may be a bad draw.
		if setting.Slot == "dataset" || seen && before != c.DataSeed {
			f.of[all] = why
		}
		f.seeds[all+why] = c.DataSeed
		return
	}
	if c.Validated > 0 && engine.Diverged(why) {
		return // which is what a search is to find out
	}
	if _, known := f.method[c.Method]; !known {
		f.method[c.Method] = ofSeed.ReplaceAllString(why, "seed")
	}
	reasons := slices.Compact(slices.Sorted(maps.Values(f.method)))
	if !f.begun && len(methods) > 1 && len(f.method) == len(methods) && len(reasons) == 1 {
		f.all = why
	}
}

// why returns why a cell would fail, or "".
func (f *sharedFailures) why(c *study.Cell) string {
	if len(f.of) == 0 {
		return f.all
	}
	for _, slot := range slotsUpTo("importance") {
		for _, seed := range []uint64{c.DataSeed, anySeed} {
			if why, ok := f.of[part(c, slot, seed)]; ok {
				return why
			}
		}
	}
	return f.all
}

// skipped counts the cells that did not begin because they would have failed.
func (f *sharedFailures) skipped() (n int) {
	for _, cells := range f.skip {
		n += cells
	}
	return n
}

// tell says once for each reason how many cells it kept from being run.
func (f *sharedFailures) tell(s *Session) {
	for _, why := range slices.Sorted(maps.Keys(f.skip)) {
		s.Sayf("hansa: the reason why %s failed is shared by %s not begun: %s", f.first[why],
			phrase.Count(f.skip[why], "training run that was", "training runs that were"),
			phrase.FirstLine(why))
	}
}
