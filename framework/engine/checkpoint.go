package engine

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// saved returns the cell's progress in the cell's own memory, which the next round changes.
func (c *Cell) saved() *Progress {
	c.progress.Seconds = c.watch.seconds()
	return c.progress
}

// Checkpoint returns a copy of the cell's progress.
func (c *Cell) Checkpoint() *Progress { return c.saved().clone() }

// Encode writes a checkpoint with all its bits; it is the same for the same progress.
func (p *Progress) Encode(w io.Writer) error {
	whole := *p
	codec := newCodec(w, nil)
	whole.transfer(codec)
	return codec.err
}

// DecodeCheckpoint reads a checkpoint that Encode wrote, and that takes so many bytes.
func DecodeCheckpoint(r io.Reader, size int64) (*Progress, error) {
	p, rest := new(Progress), &io.LimitedReader{R: r, N: size}
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

// transfer carries a checkpoint in either direction. What RoundsPlayed reads comes first.
func (p *Progress) transfer(w *codec) {
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
	judged := p.Residual != nil
	if w.truth(&judged); judged {
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
	w.float(&p.Serving)
	p.transferClients(w)
}

// Marks say what follows in a checkpoint, and that it is kept.
const (
	markKept = 1 << iota
	markClients
	markMail
	markShared
	markReports
	markAdversary
	markGuard
	markDetails
	markCoded
	markExposure
	markFinishing
	markTime
	markPending
	markSeconds
	markShadow
	markTraining
)

// marks returns what there is of a checkpoint's optional parts.
func (p *Progress) marks() (x uint64) {
	if p.Kept {
		x |= markKept
	}
	if p.Clients.any() {
		x |= markClients
	}
	if p.Mail.any() {
		x |= markMail
	}
	if p.Shared != nil && len(p.Shared.Names()) > 0 {
		x |= markShared
	}
	if len(p.Reports) > 0 {
		x |= markReports
	}
	if p.Reports.detailed() {
		x |= markDetails
	}
	if p.Adversary != nil && len(p.Adversary.Names()) > 0 {
		x |= markAdversary
	}
	if p.Guard != nil && len(p.Guard.Names()) > 0 {
		x |= markGuard
	}
	if p.Coded != 0 {
		x |= markCoded
	}
	if p.Exposure != nil {
		x |= markExposure
	}
	if p.Finishing != nil && len(p.Finishing.Names()) > 0 {
		x |= markFinishing
	}
	if p.Time != 0 {
		x |= markTime
	}
	if p.Pending != nil {
		x |= markPending
	}
	if p.Reports.timed() {
		x |= markSeconds
	}
	if p.Shadow != nil {
		x |= markShadow
	}
	if p.Training != 0 {
		x |= markTraining
	}
	return x
}

// transferClients carries what clients keep, their mail, what selections share and were told, and
// what an adversary, a guard and completion keep, bits of compressed updates, when clients were
// available, virtual time, what is pending, what clients are sent of compressed models, and the
// seconds of clients, which checkpoints of runs without it lack: these have the form that they had
// before. The word before it says what follows, and Kept.
func (p *Progress) transferClients(w *codec) {
	x := w.word(p.marks())
	p.Kept = x&markKept != 0
	if x&markClients != 0 {
		w.clients(&p.Clients)
	}
	if x&markMail != 0 {
		w.mail(&p.Mail)
	}
	if x&markShared != 0 {
		w.state(&p.Shared)
	}
	if x&markReports != 0 {
		w.reports(&p.Reports)
	}
	if x&markDetails != 0 {
		w.details(&p.Reports)
	}
	if x&markAdversary != 0 {
		w.state(&p.Adversary)
	}
	if x&markGuard != 0 {
		w.state(&p.Guard)
	}
	if x&markCoded != 0 {
		w.long(&p.Coded)
	}
	if x&markExposure != 0 {
		w.exposure(&p.Exposure)
	}
	if x&markFinishing != 0 {
		w.state(&p.Finishing)
	}
	if x&markTime != 0 {
		w.float(&p.Time)
	}
	if x&markPending != 0 {
		w.pending(&p.Pending)
	}
	if x&markSeconds != 0 {
		w.times(&p.Reports)
	}
	if x&markShadow != 0 {
		w.shadow(&p.Shadow)
	}
	if x&markTraining != 0 {
		w.float(&p.Training)
	}
}

// ErrUnfit is what Resume wraps when it is the checkpoint that is wrong.
var ErrUnfit = errors.New("the checkpoint does not do")

var (
	errUnkept = fmt.Errorf("%w: the arrays of the rounds before it were not kept", ErrUnfit)
	errMisfit = fmt.Errorf("%w: it is none of this training run", ErrUnfit)
)

// Resume prepares a cell and takes it to where a checkpoint of it was made.
func Resume(s *Setup, o Options, p *Progress) (*Cell, error) {
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
func (c *Cell) follow(p *Progress) error {
	if p.Round < 0 || p.Round > c.setup.Rounds {
		return errMisfit
	}
	if p.Adopted != nil {
		if n := c.world.Roster.N; len(p.Adopted) == 0 || slices.Min(p.Adopted) < 0 ||
			slices.Max(p.Adopted) >= n {
			return errMisfit
		}
		c.setModel(p.Adopted)
	}
	start, n := c.progress, c.world.Roster.N
	if !p.fits(start, c.round.Layout.Len()) ||
		p.Pending != nil && !p.Pending.fits(n, len(p.Global), p.Round) ||
		p.Shadow != nil && !p.Shadow.fits(n, len(start.Global), p.Round) {
		return errMisfit
	}
	next := p.clone()
	next.Kept = start.Kept
	next.Measured = append(start.Measured, p.Measured...) // which have room for the rest
	for k, v := range p.Values {
		next.Values[k] = append(start.Values[k], v...)
	}
	c.watch.before = p.Seconds
	c.setProgress(next)
	return nil
}
