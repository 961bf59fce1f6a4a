package engine

import (
	"errors"
	"fmt"
	"io"
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
	Watched    bool      // availability said how likely everyone is …
	Never      []int     // … and who never had a chance
	Adopted    []int     // clients whose models were adopted
	AdoptedAt  int       // the round from which the average counts
	Residual   *residual // nil when no measure asks for residual weights
	Notes      *fl.Notes
	Uploaded   int64
	Downloaded int64
	Came       int64
	Skipped    int
	Measured   []int
	Values     [][]float64
	Seconds    float64 // that it took
	Kept       bool    // Options.Keep got the arrays of all rounds
}

// progress returns the cell's progress in the cell's own memory, which the next round changes.
func (c *Cell) progress() *Checkpoint {
	p := c.participation
	return &Checkpoint{
		Round: c.t, Global: c.global, Average: c.average, Aggregator: c.memory,
		Nature: p.available.State.(*fl.Store), Server: p.selected.State.(*fl.Store),
		Broadcast: c.broadcast, Watched: p.watched, Never: p.never,
		Adopted: c.adopted, AdoptedAt: c.adoptedAt, Residual: c.residual, Notes: c.round.Notes,
		Uploaded: c.uploaded, Downloaded: c.downloaded, Came: c.came, Skipped: c.facts.Skipped,
		Measured: c.rounds, Values: c.values, Seconds: c.watch.seconds(), Kept: c.keeps,
	}
}

// Checkpoint returns a copy of the cell's progress.
func (c *Cell) Checkpoint() *Checkpoint {
	p := c.progress()
	p.Global, p.Average = p.Global.Clone(), p.Average.Clone()
	p.Aggregator, p.Nature, p.Server = p.Aggregator.Clone(), p.Nature.Clone(), p.Server.Clone()
	p.Never, p.Residual, p.Notes = slices.Clone(p.Never), p.Residual.clone(), p.Notes.Clone()
	p.Broadcast = fl.Tensors{}
	keepTensors(p.Broadcast, c.broadcast)
	p.Measured, p.Values = slices.Clone(p.Measured), nil
	for _, v := range c.values {
		p.Values = append(p.Values, slices.Clone(v))
	}
	return p
}

// Encode writes a checkpoint with all its bits; it is the same for the same progress.
func (p *Checkpoint) Encode(w io.Writer) error {
	whole := *p
	codec := newCodec(w, nil)
	whole.transfer(codec)
	return codec.err
}

// DecodeCheckpoint reads a checkpoint that Encode wrote, and that takes so many bytes.
func DecodeCheckpoint(r io.Reader, size int64) (*Checkpoint, error) {
	p, rest := new(Checkpoint), &io.LimitedReader{R: r, N: size}
	codec := newCodec(nil, rest)
	p.transfer(codec)
	if codec.err == nil && rest.N > 0 {
		codec.err = errTorn
	}
	if codec.err != nil {
		return nil, fmt.Errorf("checkpoint: %w", codec.err)
	}
	return p, nil
}

// RoundsPlayed reads how many rounds were played from the beginning of a checkpoint, and no more.
func RoundsPlayed(r io.Reader) (rounds int, err error) {
	codec := newCodec(nil, &io.LimitedReader{R: r, N: 8})
	codec.number(&rounds)
	return rounds, codec.err
}

// carry carries a checkpoint in either direction. What RoundsPlayed reads comes first.
func (p *Checkpoint) transfer(w *codec) {
	w.number(&p.Round)
	w.vector(&p.Global)
	w.vector(&p.Average)
	w.state(&p.Aggregator)
	w.state(&p.Nature)
	w.state(&p.Server)
	w.tensors(&p.Broadcast)
	w.truth(&p.Watched)
	list(w, &p.Never, w.number)
	list(w, &p.Adopted, w.number)
	w.number(&p.AdoptedAt)
	judges := p.Residual != nil
	if w.truth(&judges); judges {
		j := new(residual)
		if !w.reads() {
			j = p.Residual
		}
		w.vector(&j.Visits)
		w.vector(&j.Mean)
		w.text(&j.Untold)
		p.Residual = j
	}
	w.notes(&p.Notes)
	w.long(&p.Uploaded)
	w.long(&p.Downloaded)
	w.long(&p.Came)
	w.number(&p.Skipped)
	list(w, &p.Measured, w.number)
	list(w, &p.Values, func(v *[]float64) { w.vector((*fl.Vector)(v)) })
	w.float(&p.Seconds)
	w.truth(&p.Kept)
}

// ErrUnfit is what Resume wraps when it is the checkpoint that is wrong.
var ErrUnfit = errors.New("the checkpoint does not do")

var (
	errUnkept = fmt.Errorf("%w: the arrays of the rounds before it were not kept", ErrUnfit)
	errMisfit = fmt.Errorf("%w: it is none of this cell", ErrUnfit)
)

// Resume prepares a cell and takes it to where a checkpoint of it was made.
func Resume(s *Setup, o Options, p *Checkpoint) (*Cell, error) {
	if o.Keep != nil && !p.Kept {
		return nil, errUnkept
	}
	c, err := open(s, o)
	if err != nil {
		return nil, err
	}
	if err := c.follow(p); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// follow takes a cell before its first round to where a checkpoint was made.
func (c *Cell) follow(p *Checkpoint) error {
	c.t, c.facts.Skipped, c.came = p.Round, p.Skipped, p.Came
	c.uploaded, c.downloaded = p.Uploaded, p.Downloaded
	c.watch.before = p.Seconds
	if p.Adopted != nil {
		if n := c.world.Roster.N; len(p.Adopted) == 0 || slices.Min(p.Adopted) < 0 ||
			slices.Max(p.Adopted) >= n {
			return errMisfit
		}
		c.setModel(p.Adopted)
		c.adoptedAt = p.AdoptedAt
	}
	if !p.fits(c) {
		return errMisfit
	}
	copy(c.global, p.Global)
	copy(c.average, p.Average)
	c.memory = p.Aggregator.Clone()
	c.round.State, c.round.Notes = c.memory, p.Notes.Clone()
	c.snapshot.Notes = c.round.Notes
	c.participation.available.State = p.Nature.Clone()
	c.participation.selected.State = p.Server.Clone()
	c.participation.watched, c.participation.never = p.Watched, slices.Clone(p.Never)
	c.residual = p.Residual.clone()
	keepTensors(c.broadcast, p.Broadcast)
	c.rounds = append(c.rounds, p.Measured...)
	for k := range c.values {
		c.values[k] = append(c.values[k], p.Values[k]...)
	}
	return nil
}

// fits reports whether the checkpoint has the sizes of a cell.
func (p *Checkpoint) fits(c *Cell) bool {
	if p.Round < 0 || p.Round > c.setup.Rounds || len(p.Global) != len(c.global) ||
		len(p.Average) != len(c.average) || len(p.Values) != len(c.values) {
		return false
	}
	for _, v := range p.Values {
		if len(v) != len(p.Measured) {
			return false
		}
	}
	if p.Residual == nil || c.residual == nil {
		return p.Residual == c.residual
	}
	return len(p.Residual.Visits) == len(c.residual.Visits) &&
		len(p.Residual.Mean) == len(c.residual.Mean)
}
