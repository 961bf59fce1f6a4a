package registry

import (
	"encoding/json"
	"fmt"

	"github.com/hansa-fl/hansa/framework/engine"
	"github.com/hansa-fl/hansa/framework/study"
)

// identify sets the identity of a setup, and the keys of what it has in common with others.
func (b *builder) identify(s *engine.Setup) {
	c := &b.cell
	s.ID = b.resolved.ID()
	s.DealtKey, s.DataKey, s.GoalKey = b.key(dealtRows), b.key(movedRows), b.key(objective)
	s.CohortKey = b.cohortKey()
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
	text := []byte{'['}
	add := func(parts ...any) {
		for _, part := range parts {
			text = append(append(text, marshalled(part)...), ',')
		}
	}
	add(b.cell.DataSeed, b.cell.Clients, b.cell.Held)
	if b.cell.TestByClient || b.cell.HeldOut > 0 {
		add(b.cell.TestByClient, b.cell.HeldOut)
	}
	if b.cell.Validated > 0 {
		add(b.cell.Validated)
	}
	if public, ok := b.resolved.Picks[publicSlot]; ok {
		add(public)
	}
	for _, k := range kinds() {
		if decides := k.decides(); decides != nothing && decides <= of {
			text = append(append(text, b.marshal(k.name())...), ',')
		}
	}
	text[len(text)-1] = ']'
	return string(text)
}

// cohortKey returns what is the same in two cells in which the same clients participate, but for
// how much they have to do. It is empty where code of the user's decides that.
func (b *builder) cohortKey() string {
	chosen := study.Cell{Picks: map[string]study.Pick{}}
	text := []byte(b.key(movedRows))
	for _, k := range kinds() {
		if k.chooses() {
			chosen.Picks[k.name()] = b.resolved.Picks[k.name()]
			text = append(text, b.marshal(k.name())...)
		}
	}
	if len(chosen.Sources()) > 0 {
		return ""
	}
	return string(text) + fmt.Sprint(b.cell.Seed, b.cell.Disclose)
}

// marshal returns the components of a kind as text, which is the same for all keys of a cell.
func (b *builder) marshal(kind string) []byte {
	if text, ok := b.marshalled[kind]; ok {
		return text
	}
	text := marshalled(b.resolved.Picks[kind])
	if kind == Preprocessors().Name {
		text = marshalled(b.resolved.Preprocess)
	}
	if b.marshalled == nil {
		b.marshalled = map[string][]byte{}
	}
	b.marshalled[kind] = text
	return text
}

// marshalled returns a value as JSON.
func marshalled(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil { // resolved parameters are numbers, strings, booleans and lists of them
		return fmt.Append(nil, v)
	}
	return text
}
