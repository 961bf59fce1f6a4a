package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// A shadow is the model that clients are sent where downloads are compressed, by EF21-P
// (Gruntkowska, Tyurin, Richtárik, EF21-P and Friends, ICML 2023, Algorithm 1):
//
//	x̂⁰ = θ⁰, sent in full,    x̂ᵗ = x̂ᵗ⁻¹ + C(θᵗ − x̂ᵗ⁻¹).
//
// Its theory is of a C that contracts: E‖C(x) − x‖² ≤ (1 − δ)‖x‖². An unbiased compressor Q that
// loses ω‖x‖² becomes one, C = Q/(1 + ω) with 1 − δ = ω/(1 + ω), which server and clients know. As
// it is, one with ω > 1 loses more of every difference than there is, and x̂ᵗ does not follow θᵗ.
//
// A client keeps x̂ of the round in which it was sent it last. To have x̂ᵗ it needs all differences
// that were made since, or the whole model where that takes fewer bits; it is sent what is less. No
// difference is made in a round in which no client is sent a model. What is kept of clients grows
// with those that were sent a model, not with N.
type shadow struct {
	Model   fl.Vector     // x̂ᵗ
	Round   int           // t, of the last difference
	Made    int           // differences
	Total   int64         // their bits
	Sent    int64         // bits that clients were sent of them
	Has     map[int]int64 // by client: the bits of all differences up to the model that it has
	Encoder *fl.Store     // what the compressor keeps at the server
}

// newShadow returns that of a setup before its first round, nil where downloads are not compressed.
func newShadow(s *Setup, global fl.Vector) *shadow {
	if s.Download.Component == nil {
		return nil
	}
	return &shadow{Model: global.Clone(), Has: map[int]int64{}, Encoder: fl.NewStore()}
}

// clone returns a deep copy.
func (d *shadow) clone() *shadow {
	if d == nil {
		return nil
	}
	c := *d
	c.Model, c.Has, c.Encoder = d.Model.Clone(), maps.Clone(d.Has), d.Encoder.Clone()
	return &c
}

// fits reports whether d can be of a cell of so many clients and parameters after so many rounds.
func (d *shadow) fits(clients, parameters, round int) bool {
	for i, has := range d.Has {
		if i < 0 || i >= clients || has < 0 || has > d.Total {
			return false
		}
	}
	return len(d.Model) == parameters && d.Round >= 0 && d.Round <= round && d.Made >= 0
}

// charge returns how many of the bits of a whole model a client is sent in full, and how many of
// differences instead: of either it is sent none or all. It has the model from now on.
func (d *shadow) charge(client int, whole int64) (full, differences int64) {
	has, known := d.Has[client]
	d.Has[client] = d.Total
	if missing := d.Total - has; known && missing < whole {
		d.Sent += missing
		return 0, missing
	}
	return whole, 0
}

// shadow carries what clients are sent.
func (w *codec) shadow(to **shadow) {
	if w.reads() {
		*to = &shadow{Has: map[int]int64{}}
	}
	d := *to
	w.vector(&d.Model)
	w.number(&d.Round)
	w.number(&d.Made)
	w.long(&d.Total)
	w.long(&d.Sent)
	w.state(&d.Encoder)
	ids := slices.Sorted(maps.Keys(d.Has))
	list(w, &ids, w.number)
	for _, i := range ids {
		has := d.Has[i]
		w.long(&has)
		d.Has[i] = has
	}
}

// A downlink makes the differences of a cell.
type downlink struct {
	channel *channel
	room    *channelRoom
	scale   float64 // 1/(1 + ω) of an unbiased compressor, else 1
}

// newDownlink returns the downlink of a setup, nil where downloads are not compressed.
func newDownlink(s *Setup) *downlink {
	c := newChannel(s, s.Download, "download")
	if c == nil {
		return nil
	}
	l := &downlink{c, newChannelRoom(c, nil), 1}
	if g, known := c.Component.Guarantee(c.layout.Len()); known && g.Unbiased {
		l.scale = 1 / (1 + g.Omega)
	}
	return l
}

// sent returns the model that clients are sent in this round. Where it cannot be made, the round
// has an error.
func (c *Cell) sent() fl.Vector {
	p, l := c.progress, c.downlink
	d := p.Shadow
	if d == nil || p.Round == 0 || len(d.Model) != len(p.Global) { // or it is adopted, and whole
		return p.Global
	}
	if d.Round == p.Round {
		return d.Model
	}
	r, stays := l.room, l.channel.stays
	stays.gather(r.in, p.Global, d.Model)
	r.state = d.Encoder
	bits, err := l.channel.code(r, p.Round, server)
	if err == nil && !r.out.Finite() {
		err = errors.New("what arrives has " + notFinite)
	}
	if err != nil {
		c.unread = fmt.Errorf("download %s: %w", l.channel.Name, err)
		return p.Global
	}
	if l.scale != 1 {
		r.out.Scale(l.scale)
	}
	stays.scatter(d.Model, d.Model, r.out)
	d.Round, d.Made, d.Total = p.Round, d.Made+1, d.Total+bits
	return d.Model
}

// sendModel returns how many numbers, and how many bits besides, a client is sent to have the model
// of this round.
func (c *Cell) sendModel(client int) (floats, bits int64) {
	p := c.progress
	floats = int64(c.trainer.parameters(client, len(p.Global)) - c.setup.Personal.floats())
	if d := p.Shadow; d != nil && len(d.Model) == len(p.Global) {
		c.sent()
		whole := int64(8 * fl.BytesPerNumber)
		floats, bits = d.charge(client, whole*floats)
		floats /= whole
	}
	return floats, bits
}

// remark says what differences took, and that the rest is not compressed.
func (l *downlink) remark(d *shadow) string {
	if l == nil || d.Made == 0 {
		return ""
	}
	n := l.channel.layout.Len()
	return fmt.Sprintf("download %s: %.4g bits for each of the %d numbers of a difference of "+
		"models, from whose sum clients train; a client is sent the differences that it lacks, or "+
		"the whole model where that is less; what is sent beside models is not compressed",
		l.channel.Name, float64(d.Total)/float64(d.Made)/float64(n), n)
}
