package registry

import (
	"encoding/json"
	"fmt"

	"github.com/hansa-fl/hansa/framework/engine"
)

// identify sets the identity of a setup, and the keys of what it has in common with others.
func (b *builder) identify(s *engine.Setup) {
	c := &b.cell
	s.ID = b.resolved.ID()
	s.DealtKey, s.DataKey, s.GoalKey = b.key(dealtRows), b.key(movedRows), b.key(objective)
	s.FirstKey = fmt.Sprint(b.key(firstRound), c.Seed, c.Initial, c.Disclose)
	if c.InitialFile != nil {
		s.FirstKey += fmt.Sprint(c.InitialFile)
	}
	if c.Stop > 0 {
		whole := b.resolved
		whole.Stop = 0
		s.GoesOnAs, s.FirstKey = whole.ID(), "" // which says nothing of what more rounds decide
	}
}

// key returns what is the same in two cells that have this in common: the seed of the data, the
// number of clients and what the components that decide it are.
func (b *builder) key(of common) string {
	parts := []any{b.cell.DataSeed, b.cell.Clients, b.cell.Held}
	if b.cell.TestByClient || b.cell.HeldOut > 0 {
		parts = append(parts, b.cell.TestByClient, b.cell.HeldOut)
	}
	if b.cell.Validated > 0 {
		parts = append(parts, b.cell.Validated)
	}
	if public, ok := b.resolved.Picks[publicSlot]; ok {
		parts = append(parts, public)
	}
	for _, k := range kinds() {
		switch decides := k.decides(); {
		case decides == nothing || decides > of:
		case k.name() == Preprocessors().Name:
			parts = append(parts, b.resolved.Preprocess)
		default:
			parts = append(parts, b.resolved.Picks[k.name()])
		}
	}
	text, err := json.Marshal(parts)
	if err != nil { // resolved parameters are numbers, strings, booleans and lists of them
		return fmt.Sprint(parts)
	}
	return string(text)
}
