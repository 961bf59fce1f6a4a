package engine

import (
	"errors"
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A Compressor is the compressor of a setup, and what clients do about what it loses.
type Compressor struct {
	Name      string
	Component fl.Compressor // nil: updates are sent as they are
	Feedback  fl.Feedback
}

// uncoded is the number of bits of an update that is not compressed.
const uncoded = -1

// Names of what a client keeps of compression. No rule can ask for them by mistake.
const (
	feedbackState = "<feedback>"
	encoderState  = "<encoder> "
)

// A channel is the compressor of a cell at work, on the way from clients to the server: after local
// work, before what an adversary sends instead. A nil one changes nothing.
//
// What it sends is the difference of an update to the model that the client was sent, without what
// stays with the client. What is sent beside parameters is sent as it is, and so is nothing where a
// client returns the model that it was sent.
type channel struct {
	Compressor
	direct fl.Direct // nil: it does not compress directly
	sparse fl.Sparse // nil: all numbers of what arrives are written
	own    fl.Stream // what each client draws
	both   fl.Stream // what a client and the server know
	stays  *Personal
	layout fl.Layout // of what is sent
}

// A channelRoom is what a worker needs to send what a client has.
type channelRoom struct {
	in, out        fl.Vector
	code           fl.Bits
	encode, decode fl.Coding
	own            *fl.ReseedableRand
	both           [2]*fl.ReseedableRand // of the sender and of the receiver
	state          fl.State              // of the sender
	set            []int                 // the indices of out that may not be zero, where sparse
	sparse         bool                  // out is zero elsewhere
}

// blank makes out zero.
func (r *channelRoom) blank() {
	if !r.sparse {
		clear(r.out)
	}
	for _, j := range r.set {
		r.out[j] = 0
	}
	r.set, r.sparse = r.set[:0], true
}

// server stands for the client of what the server sends to all.
const server = -1

// newChannel returns the channel of a compressor of a setup, with streams of its own; nil for none.
func newChannel(s *Setup, by Compressor, streams string) *channel {
	if by.Component == nil {
		return nil
	}
	c := &channel{Compressor: by, own: fl.NewStream(s.Seed, streams),
		both: fl.NewStream(s.Seed, streams+", both sides"), stays: &s.Personal}
	c.direct, _ = by.Component.(fl.Direct)
	c.sparse, _ = by.Component.(fl.Sparse)
	c.layout = c.stays.leave(s.Model.Layout())
	return c
}

// leave returns the layout of what is sent: without blocks that stay, and without the graph, whose
// blocks would be others.
func (p *Personal) leave(l fl.Layout) (sent fl.Layout) {
	at := 0
	for _, b := range l.Blocks {
		if len(p.Stays) > at && p.Stays[at].Offset == b.Offset {
			at++
			continue
		}
		b.Offset = sent.Len()
		sent.Blocks = append(sent.Blocks, b)
	}
	return sent
}

// newChannelRoom returns the room of a sender with this state; nil for no channel.
func newChannelRoom(c *channel, state fl.State) *channelRoom {
	if c == nil {
		return nil
	}
	r := &channelRoom{own: fl.NewReseedableRand(), state: state}
	n := c.layout.Len()
	r.in, r.out = make(fl.Vector, n), make(fl.Vector, n)
	r.encode.Layout, r.decode.Layout = c.layout, c.layout
	for k := range r.both {
		r.both[k] = fl.NewReseedableRand()
	}
	return r
}

// send makes the parameters of an update what arrives at the server, and returns how many bits
// they took.
func (c *channel) send(m *worker, u *fl.Update) (bits int64, err error) {
	if c == nil || u.Returned {
		return uncoded, nil
	}
	r, global := m.channel, m.task.Global
	c.stays.gather(r.in, u.Params, global)
	if c.Feedback == fl.FeedbackNone {
		bits, err = c.code(r, m.task.T, m.client.ID)
	} else {
		kept, next := m.state.Renew(feedbackState, len(r.in))
		c.Feedback.Before(r.in, kept)
		if bits, err = c.code(r, m.task.T, m.client.ID); err == nil {
			c.Feedback.After(next, kept, r.in, r.out)
			r.sparse = r.sparse && c.Feedback != fl.FeedbackEF21 // which adds what was kept
		}
	}
	if err == nil && !r.out.Finite() {
		err = errors.New("what arrives has " + notFinite)
	}
	if err != nil {
		return bits, fmt.Errorf("client %d: compressor %s: %w", u.Client, c.Name, err)
	}
	c.stays.scatter(u.Params, global, r.out)
	return bits, nil
}

// code sets out to what arrives of in, of a client or of the server, in round t.
func (c *channel) code(r *channelRoom, t, id int) (bits int64, err error) {
	e := &r.encode
	if c.direct == nil {
		r.blank()
	}
	e.Recycle()
	r.code.Reset()
	e.T, e.Client, e.In, e.Out, e.Code, e.State = t, id, r.in, r.out, &r.code, r.state
	e.RNG, e.Shared = r.own.Open(c.own.At(t, max(0, id))), r.both[0].Open(c.both.At(t, max(0, id)))
	switch {
	case c.direct != nil:
		return int64(c.direct.Compress(e)), nil
	case c.sparse != nil:
		at, values, bits := c.sparse.Sparsify(e)
		for i, j := range at {
			r.out[j] = values[i]
		}
		r.set = append(r.set, at...)
		return int64(bits), nil
	}
	r.sparse = false
	if err := c.Component.Encode(e); err != nil {
		return 0, err
	}
	d := &r.decode
	d.Recycle()
	r.code.Rewind()
	d.T, d.Client, d.Out, d.Code = t, id, r.out, &r.code
	d.Shared = r.both[1].Open(c.both.At(t, max(0, id)))
	if err := c.Component.Decode(d); err != nil {
		return 0, err
	}
	if n := r.code.Unread(); n > 0 && r.code.Err() == nil {
		return 0, fmt.Errorf("%d of %d bits are not read", n, r.code.Len())
	}
	return int64(r.code.Len()), r.code.Err()
}

// gather sets dst to params − global of what is sent.
func (p *Personal) gather(dst, params, global fl.Vector) {
	n, at := 0, 0
	for k := range p.Stays {
		b := &p.Stays[k]
		n += copy(dst[n:], params[at:b.Offset])
		dst[n-(b.Offset-at) : n].Sub(global[at:b.Offset])
		at = b.Offset + b.Rows*b.Cols
	}
	n += copy(dst[n:], params[at:])
	dst[n-(len(params)-at) : n].Sub(global[at:])
}

// scatter sets params to global + sent where it is sent, and leaves what stays.
func (p *Personal) scatter(params, global, sent fl.Vector) {
	n, at := 0, 0
	part := func(lo, hi int) {
		own := params[lo:hi]
		copy(own, global[lo:hi])
		own.Add(sent[n : n+hi-lo])
		n += hi - lo
	}
	for _, b := range p.Stays {
		part(at, b.Offset)
		at = b.Offset + b.Rows*b.Cols
	}
	part(at, len(params))
}

// floats returns how many numbers are counted for an update beside so many bits of its parameters.
func (s *Setup) floats(u *fl.Update, bits int64) int {
	n := s.Personal.sent(u)
	if bits != uncoded {
		n -= len(u.Params) - s.Personal.floats()
	}
	return n
}

// finish has what a client keeps of an update kept, and what the server learns of it told. What it
// is asked for before it is selected leaves no trace.
func (w *trainer) finish(m *worker, k int, u *fl.Update) error {
	if w.norms == nil {
		w.retain(m, u)
		bits, err := w.channel.send(m, u)
		if err != nil {
			return err
		}
		if w.setup.Coded > 0 && !u.Returned {
			bits = int64(w.setup.Coded)
		}
		w.trained.floats[k], w.trained.coded[k] = w.setup.floats(u, bits), bits
		if err := w.trainAlone(m, u); err != nil {
			return err
		}
		if err := w.job.states.commit(w.job.t, m.state); err != nil {
			return fmt.Errorf("client %d: %w", u.Client, err)
		}
	}
	corrupted, err := w.attacker.corruptOwn(m, u)
	if err != nil {
		return err
	}
	if corrupted {
		w.trained.floats[k] = w.setup.floats(u, w.trained.coded[k])
	}
	if w.norms != nil {
		w.norms[k] = w.setup.Personal.norm(u.Params, m.task.Global)
	} else {
		w.setup.note(u, m.task.Global, &w.trained, k, w.job.told)
	}
	return nil
}

// remark says what updates took, and that the rest is not compressed.
func (c *channel) remark(p *Progress) string {
	n := 0
	if c != nil {
		n = c.layout.Len()
	}
	if n == 0 || p.Came == 0 {
		return ""
	}
	each := float64(p.Coded) / float64(p.Came) / float64(n)
	if sized, known := c.Component.(fl.Sized); known { // p.Coded has late updates as well
		each = float64(sized.Bits(c.layout)) / float64(n)
	}
	rest := ""
	if p.Uploaded > 0 {
		rest = "; what clients send beside updates is not compressed"
	}
	return fmt.Sprintf("compressor %s: %.4g bits for each of the %d numbers of an update%s%s",
		c.Name, each, n, rest, c.growth())
}

// growth says that what feedback adds up has no bound, where none is known: what an unbiased code
// loses may be more than there was.
func (c *channel) growth() string {
	g, known := c.Component.Guarantee(c.layout.Len())
	if c.Feedback == fl.FeedbackNone || !known || !g.Unbiased || g.Omega <= 1 {
		return ""
	}
	return fmt.Sprintf("; feedback adds up what an unbiased code loses, which may be ω = %.3g "+
		"times ‖x‖² and grow from round to round", g.Omega)
}

// An encoder is the part of a client's state that is its compressor's.
type encoder struct {
	of    *taskState
	names map[string]string // which are not put together in every round
}

var _ fl.State = (*encoder)(nil)

func newEncoder(of *taskState) *encoder { return &encoder{of: of, names: map[string]string{}} }

func (e *encoder) name(of string) string {
	name, ok := e.names[of]
	if !ok {
		name = encoderState + of
		e.names[of] = name
	}
	return name
}

// Vector implements fl.State.
func (e *encoder) Vector(name string, n int) fl.Vector { return e.of.Vector(e.name(name), n) }

// Matrix implements fl.State.
func (e *encoder) Matrix(name string, rows, cols int) fl.Matrix {
	return e.of.Matrix(e.name(name), rows, cols)
}
