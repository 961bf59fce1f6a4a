package engine

import (
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Progress is all that changes from round to round in a cell, and all that the rest of the cell
// depends on. Streams need no place in it: they are addressed by the number of the round. Kept in
// a file it is a checkpoint.
type Progress struct {
	Round      int       // rounds played
	Global     fl.Vector // θᵗ
	Average    fl.Vector // mean of the models from round AdoptedAt on; nil: no measure asks for it
	Aggregator *fl.Store // what the aggregator keeps
	Nature     *fl.Store // what availability keeps
	Server     *fl.Store // what selection keeps
	Finishing  *fl.Store // what completion keeps
	Pending    *pending  // what an asynchronous server waits for; nil: it is synchronous
	Broadcast  fl.Tensors
	Watched    bool      // availability set the probabilities of all clients …
	Never      []int     // … and the clients whose probability always was 0
	Adopted    []int     // clients whose models were adopted
	AdoptedAt  int       // the round from which the average counts
	Residual   *residual // nil when no measure asks for residual weights
	Notes      *fl.Notes
	Uploaded   int64   // floats, by clients
	Coded      int64   // bits, by clients, besides: of updates that were compressed
	Downloaded int64   // floats, to clients
	Came       int64   // Σ|Sᵗ|
	Skipped    int     // empty rounds
	Time       float64 // virtual seconds since the first round began
	Measured   []int   // rounds in which measures were taken
	Values     [][]float64
	Seconds    float64 // that it took until it was saved
	Serving    float64 // of them, seconds of aggregation; see Cost
	Training   float64 // seconds of clients, of several at once; see Cost
	Kept       bool    // Options.Keep got the arrays of all rounds
	Clients    *clientStates
	Mail       *mail
	Shared     *fl.Store // what selection and aggregator both keep
	Reports    reports   // what selection was told of clients
	Adversary  *fl.Store // what the adversary keeps
	Guard      *fl.Store // what the guard keeps
	Exposure   *exposure // nil when no measure asks in which rounds clients were available
	Shadow     *shadow   // what clients are sent; nil: θᵗ
}

// newProgress returns the progress of a cell before its first round.
func newProgress(s *Setup, w *World, keeps bool) (*Progress, error) {
	p := &Progress{Global: w.first(s),
		Aggregator: fl.NewStore(), Nature: fl.NewStore(), Server: fl.NewStore(),
		Finishing: fl.NewStore(),
		Broadcast: fl.Tensors{}, Notes: w.Prepared.Clone(), Uploaded: w.Uploaded,
		Downloaded: w.Downloaded, Kept: keeps, Clients: newClientStates(), Mail: newMail(),
		Shared: fl.NewStore(), Reports: reports{}, Adversary: fl.NewStore(),
		Guard: fl.NewStore()}
	if n := s.Model.Layout().Len(); len(p.Global) != n {
		return nil, fmt.Errorf("model: %d initial parameters, the layout has %d", len(p.Global), n)
	}
	p.Shadow = newShadow(s, p.Global)
	moments := min(s.Rounds/s.Every+2, 1<<12) // more of them grow as they come
	p.Measured, p.Values = make([]int, 0, moments), make([][]float64, len(s.Measures))
	for k, m := range s.Measures {
		p.Values[k] = make([]float64, 0, moments)
		if m.Average && p.Average == nil {
			p.Average = make(fl.Vector, len(p.Global))
		}
		if m.Judges && p.Residual == nil {
			p.Residual = newResidual(w.Roster.N)
		}
	}
	return p, nil
}

// clone returns a deep copy.
func (p *Progress) clone() *Progress {
	c := *p
	c.Global, c.Average = p.Global.Clone(), p.Average.Clone()
	c.Aggregator, c.Nature, c.Server = p.Aggregator.Clone(), p.Nature.Clone(), p.Server.Clone()
	c.Broadcast = fl.Tensors{}
	keepTensors(c.Broadcast, p.Broadcast)
	c.Never, c.Adopted = slices.Clone(p.Never), slices.Clone(p.Adopted)
	c.Residual, c.Notes, c.Clients = p.Residual.clone(), p.Notes.Clone(), p.Clients.clone()
	c.Mail, c.Reports = p.Mail.clone(), p.Reports.clone()
	if c.Shared = fl.NewStore(); p.Shared != nil {
		c.Shared = p.Shared.Clone()
	}
	if c.Adversary = fl.NewStore(); p.Adversary != nil {
		c.Adversary = p.Adversary.Clone()
	}
	if c.Finishing = fl.NewStore(); p.Finishing != nil {
		c.Finishing = p.Finishing.Clone()
	}
	if c.Guard = fl.NewStore(); p.Guard != nil {
		c.Guard = p.Guard.Clone()
	}
	c.Exposure, c.Pending = p.Exposure.clone(), p.Pending.clone()
	c.Shadow = p.Shadow.clone()
	c.Measured, c.Values = slices.Clone(p.Measured), slices.Clone(p.Values)
	for k, v := range p.Values {
		c.Values[k] = slices.Clone(v)
	}
	return &c
}

// fits reports whether p has the form of the progress of another round of the same cell, whose
// model is of so many parameters then.
func (p *Progress) fits(o *Progress, parameters int) bool {
	if len(p.Global) != parameters || len(p.Values) != len(o.Values) ||
		(p.Average == nil) != (o.Average == nil) ||
		p.Average != nil && len(p.Average) != parameters {
		return false
	}
	for _, v := range p.Values {
		if len(v) != len(p.Measured) {
			return false
		}
	}
	if (p.Exposure == nil) != (o.Exposure == nil) || p.Exposure != nil &&
		(len(p.Exposure.Rounds) != len(o.Exposure.Rounds) ||
			len(p.Exposure.Last) != len(o.Exposure.Last)) {
		return false
	}
	if (p.Pending == nil) != (o.Pending == nil) || (p.Shadow == nil) != (o.Shadow == nil) {
		return false
	}
	if p.Residual == nil || o.Residual == nil {
		return p.Residual == o.Residual
	}
	return len(p.Residual.Visits) == len(o.Residual.Visits) &&
		len(p.Residual.Mean) == len(o.Residual.Mean)
}

// average takes θᵗ into the running mean, where one is wanted.
func (p *Progress) average() {
	if p.Average != nil {
		n := float64(p.Round - p.AdoptedAt)
		p.Average.Scale(1 - 1/n)
		p.Average.AddScaled(1/n, p.Global)
	}
}

// keepTensors makes dst a copy of src, in the memory of dst where that has the same sizes.
func keepTensors(dst, src fl.Tensors) {
	for name := range dst {
		if _, stays := src[name]; !stays {
			delete(dst, name)
		}
	}
	for name, m := range src {
		if old := dst[name]; len(old.Data) == len(m.Data) {
			copy(old.Data, m.Data)
			m.Data = old.Data
		} else {
			m.Data = slices.Clone(m.Data)
		}
		dst[name] = m
	}
}
