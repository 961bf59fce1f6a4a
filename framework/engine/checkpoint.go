package engine

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A Checkpoint is all that the rest of a cell depends on, after any round. Streams need
// no place in it: they are addressed by the number of the round.
type Checkpoint struct {
	Round      int // rounds played
	Global     fl.Vector
	Average    fl.Vector // nil when no measure asks for it
	Aggregator *fl.Store
	Nature     *fl.Store
	Server     *fl.Store
	Broadcast  fl.Tensors
	Watched    bool   // availability said how likely everyone is …
	Never      []int  // … and who never had a chance
	Heirs      []int  // clients whose models were adopted
	Adopted    int    // the round from which the average counts
	Judge      *judge // nil when no measure asks for residual weights
	Notes      *fl.Notes
	Uploaded   int64
	Downloaded int64
	Came       int64
	Skipped    int
	Measured   []int
	Values     [][]float64
}

// Checkpoint returns a copy of the cell's progress.
func (c *Cell) Checkpoint() *Checkpoint {
	p := &Checkpoint{
		Round: c.t, Global: c.global.Clone(), Average: c.average.Clone(),
		Aggregator: c.memory.Clone(),
		Nature:     c.moves.reach.State.(*fl.Store).Clone(),
		Server:     c.moves.draw.State.(*fl.Store).Clone(),
		Heirs:      c.heirs, Adopted: c.adopted, Broadcast: fl.Tensors{},
		Watched: c.moves.watched, Never: slices.Clone(c.moves.never),
		Judge: c.judge.clone(), Notes: c.round.Notes.Clone(),
		Uploaded: c.uploaded, Downloaded: c.downloaded, Came: c.came, Skipped: c.facts.Skipped,
		Measured: slices.Clone(c.rounds),
	}
	for name, m := range c.round.Broadcast {
		m.Data = slices.Clone(m.Data)
		p.Broadcast[name] = m
	}
	for _, v := range c.values {
		p.Values = append(p.Values, slices.Clone(v))
	}
	return p
}

// Resume prepares a cell and takes it to where a checkpoint of it was made.
func Resume(s *Setup, o Options, p *Checkpoint) (*Cell, error) {
	c, err := open(s, o)
	if err != nil {
		return nil, err
	}
	c.t, c.facts.Skipped, c.came = p.Round, p.Skipped, p.Came
	c.uploaded, c.downloaded = p.Uploaded, p.Downloaded
	if p.Heirs != nil {
		c.adopt(p.Heirs)
		c.adopted = p.Adopted
	}
	copy(c.global, p.Global)
	copy(c.average, p.Average)
	c.memory = p.Aggregator.Clone()
	c.round.State, c.round.Notes = c.memory, p.Notes.Clone()
	c.snapshot.Notes = c.round.Notes
	c.moves.reach.State, c.moves.draw.State = p.Nature.Clone(), p.Server.Clone()
	c.moves.watched, c.moves.never = p.Watched, slices.Clone(p.Never)
	if p.Judge != nil {
		c.judge = p.Judge.clone()
	}
	for name, m := range p.Broadcast {
		m.Data = slices.Clone(m.Data)
		c.round.Broadcast[name] = m
	}
	c.rounds = append(c.rounds, p.Measured...)
	for k := range c.values {
		c.values[k] = append(c.values[k], p.Values[k]...)
	}
	return c, nil
}
