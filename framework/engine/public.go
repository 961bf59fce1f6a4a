package engine

import (
	"fmt"
	"hash/fnv"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/host"
)

// Public are the public data of a setup: the training rows of a data set of their own. Its test
// rows are not used.
type Public struct {
	Source   fl.Source // nil: there are none
	Labelled bool      // labels are seen
	Sent     bool      // clients are sent the rows, since their local rule needs them
}

// load returns the public data, for clients with these training and test rows. Of public rows that
// are among those, which no experiment file shows, it remarks how many there are.
func (p *Public) load(train, test *fl.Dataset, in *fl.LoadInput) (*fl.Dataset, error) {
	if p.Source == nil {
		return nil, nil
	}
	rows, _, err := p.Source.Load(in)
	if err != nil {
		return nil, err
	}
	rows.Unpack() // aggregators read them
	public := &fl.Dataset{X: rows.X, Y: rows.Y, Target: rows.Target}
	public.Shape = fl.Shape{Features: train.Shape.Features, Classes: train.Shape.Classes,
		Image: train.Shape.Image, Tokens: train.Shape.Tokens, Labels: train.Shape.Labels}
	if !p.Labelled {
		public.Y, public.Target = nil, nil
	}
	if rows.X.Cols != train.X.Cols {
		return nil, fmt.Errorf("rows have %d features, those of clients %d", rows.X.Cols,
			train.X.Cols)
	}
	for _, other := range []struct {
		rows *fl.Dataset
		are  string
	}{{train, "training"}, {test, "test"}} {
		if n := shared(public, other.rows); n > 0 {
			in.Notes.Add(fmt.Sprintf("%d of %d public samples are %s samples, too", n,
				public.Len(), other.are))
		}
	}
	return public, nil
}

// shared returns how many rows of one data set are rows of another, to the bit.
func shared(a, b *fl.Dataset) (n int) {
	if b == nil {
		return 0
	}
	known, room := make(map[uint64]bool, b.Len()), make(fl.Vector, b.X.Cols)
	for r := range b.Len() {
		known[hashed(b.Row(r, room))] = true
	}
	for r := range a.Len() {
		if known[hashed(a.Row(r, room))] {
			n++
		}
	}
	return n
}

// hashed returns a hash of the bits of a row.
func hashed(row fl.Vector) uint64 {
	h := fnv.New64a()
	var b [8]byte
	for _, x := range row {
		bits := math.Float64bits(x)
		for k := range b {
			b[k] = byte(bits >> (8 * k))
		}
		h.Write(b[:])
	}
	return h.Sum64()
}

// toClients returns the public data that clients have; nil where they are sent none.
func (p *Public) toClients(w *World) *fl.Dataset {
	if !p.Sent {
		return nil
	}
	return w.Population.Public
}

// send counts the public rows that every enrolled client is sent before the first round, where its
// local rule needs them: the features, as they are after preprocessing, and a label where there is
// one, each a number.
func (p *Public) send(w *World) {
	d := w.Population.Public
	if !p.Sent || d == nil {
		return
	}
	each := int64(len(d.X.Data) + len(d.Y) + len(d.Target))
	w.Downloaded += int64(w.Environment.Enrolment()) * each
	w.Prepared = w.Prepared.Clone() // which cells share
	w.Prepared.Add(fmt.Sprintf("before the first round every client is sent %d public samples, %s",
		d.Len(), host.Bytes(float64(fl.BytesPerNumber)*float64(each))))
}
