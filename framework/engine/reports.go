package engine

import (
	"maps"
	"math"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// scalar is how many numbers a loss or a norm counts that is sent: it is one of 8 bytes.
const scalar = 8 / fl.BytesPerNumber

// reports are what a selection was told of clients, by client, where its traits ask. They grow with
// the clients that have taken part, not with N.
type reports map[int]fl.Report

// of returns the report of a client.
func (r reports) of(client int) fl.Report {
	if told, ok := r[client]; ok {
		return told
	}
	return fl.Unreported()
}

// take notes that a cohort takes part in round t, and has room for updates of so many parameters.
// What its clients tell is not known yet.
func (r reports) take(cohort []int, t, parameters int) {
	for _, i := range cohort {
		told := fl.Unreported()
		told.Round, told.Update = t, r[i].Update
		if len(told.Update) != parameters {
			told.Update = make(fl.Vector, parameters)
		}
		r[i] = told
	}
}

// clone returns a deep copy.
func (r reports) clone() reports {
	c := make(reports, len(r))
	for i, told := range r {
		told.Update = told.Update.Clone()
		c[i] = told
	}
	return c
}

// detailed reports whether there is more in any report than its round, a loss and a norm.
func (r reports) detailed() bool {
	for _, told := range r {
		if !math.IsNaN(told.RMS) || len(told.Update) > 0 {
			return true
		}
	}
	return false
}

// keeps reports whether a setup has its selection told of clients.
func keepsReports(t fl.SelectionTraits) bool {
	return t.Rounds || t.Losses || t.Norms || t.SquaredLosses || t.Seconds || t.Updates
}

// timed reports whether there are seconds in any report.
func (r reports) timed() bool {
	for _, told := range r {
		if !math.IsNaN(told.Seconds) {
			return true
		}
	}
	return false
}

// time notes how long each client of a cohort needed, which takes part.
func (r reports) time(cohort []int, seconds func(k int) float64) {
	for k, i := range cohort {
		told := r[i]
		told.Seconds = seconds(k)
		r[i] = told
	}
}

// reports carries reports.
func (w *codec) reports(r *reports) {
	if w.reads() {
		*r = reports{}
	}
	ids := slices.Sorted(maps.Keys(*r))
	list(w, &ids, w.number)
	for _, i := range ids {
		told := (*r)[i]
		w.number(&told.Round)
		w.float(&told.Loss)
		w.float(&told.Norm)
		if w.reads() {
			told.RMS, told.Seconds = math.NaN(), math.NaN() // but for details and times
		}
		(*r)[i] = told
	}
}

// details carries what else is in reports, whose clients are known.
func (w *codec) details(r *reports) {
	for _, i := range slices.Sorted(maps.Keys(*r)) {
		told := (*r)[i]
		w.float(&told.RMS)
		w.vector(&told.Update)
		(*r)[i] = told
	}
}

// times carries the seconds of reports, whose clients are known.
func (w *codec) times(r *reports) {
	for _, i := range slices.Sorted(maps.Keys(*r)) {
		told := (*r)[i]
		w.float(&told.Seconds)
		(*r)[i] = told
	}
}

// An answer is what a client tells beside its update.
type answer struct{ loss, norm, rms float64 }

// difference sets dst to what an update changes of the parameters that are sent. Where clients have
// other initial parameters than the server, these are what it changes.
func (p *Personal) difference(dst, params, global fl.Vector) {
	for k, x := range params {
		dst[k] = x - global[k]
	}
	for k := range p.Stays {
		clear(p.Stays[k].Of(dst).Data)
	}
}

// rootMeanSquare returns √(Σ ℓ²/n) of the losses ℓ of the samples of a worker's client.
func (m *worker) rootMeanSquare() float64 {
	t, d := &m.task, &m.client.Data
	n := d.Len()
	if len(m.losses) < n {
		m.losses = make(fl.Vector, n)
	}
	losses, sum := m.losses[:n], 0.0
	fl.SampleLosses(t.Worker, losses, t.Params, d)
	for _, x := range losses {
		sum += x * x
	}
	return math.Sqrt(sum / float64(n))
}

// norm returns ‖θᵢ − θᵗ⁻¹‖ of the parameters that are sent.
func (p *Personal) norm(params, global fl.Vector) float64 {
	sum, at := 0.0, 0
	for _, b := range p.Stays {
		sum += squares(params[at:b.Offset], global[at:b.Offset])
		at = b.Offset + b.Rows*b.Cols
	}
	return math.Sqrt(sum + squares(params[at:], global[at:]))
}

// squares returns ‖a − b‖².
func squares(a, b fl.Vector) (sum float64) {
	for k, x := range a {
		sum += (x - b[k]) * (x - b[k])
	}
	return sum
}

// note notes what the server computes of the update of the k-th client of a cohort for the
// selection.
func (s *Setup) note(u *fl.Update, global fl.Vector, got *trained, k int, told reports) {
	if s.Selects.Norms {
		got.answers[k].norm = s.Personal.norm(u.Params, global)
	}
	if s.Selects.Updates {
		s.Personal.difference(told[u.Client].Update, u.Params, global)
	}
}

// tell reports what the clients of a cohort told beside their updates, to the selection and to the
// aggregator.
func (c *Cell) tell(cohort []int, got *trained) {
	s, p := &c.setup.Selects, c.progress
	c.losses = c.losses[:0]
	for k, i := range cohort {
		if !c.setup.tells() {
			return
		}
		if c.setup.sendsLosses() {
			c.losses = append(c.losses, got.answers[k].loss)
			p.Uploaded += scalar
			c.ledger.add(i, 0, scalar)
		}
		if s.SquaredLosses {
			p.Uploaded += scalar
			c.ledger.add(i, 0, scalar)
		}
		if !s.Losses && !s.Norms && !s.SquaredLosses {
			continue
		}
		told := p.Reports.of(i)
		if s.Losses {
			told.Loss = got.answers[k].loss
		}
		if s.Norms {
			told.Norm = got.answers[k].norm
		}
		if s.SquaredLosses {
			told.RMS = got.answers[k].rms
		}
		p.Reports[i] = told
	}
	if c.setup.Losses {
		c.round.Losses = c.losses
	}
}

// queried sets dst to the norms of what available clients would upload in this round.
func (c *Cell) queried(dst fl.Vector, clients []int) {
	p := c.progress
	asked := c.asked[:0]
	for k, i := range clients {
		dst[k] = math.NaN()
		if _, ok := slices.BinarySearch(c.participation.selected.Available, i); ok {
			asked = append(asked, i)
		}
	}
	c.asked = asked
	if len(asked) == 0 || c.unread != nil {
		return
	}
	c.sendQuery(asked)
	if len(c.norms) < len(asked) {
		c.norms = make(fl.Vector, len(asked))
	}
	norms := c.norms[:len(asked)]
	j := job{p.Round, asked, p.Global, c.sent(), c.variant, p.Broadcast, p.Mail, p.Clients, nil,
		nil, nil}
	c.unread = c.trainer.query(j, norms)
	p.Training += c.trainer.trained.seconds
	if c.unread != nil {
		return
	}
	for k, i := range clients {
		if len(asked) > 0 && asked[0] == i {
			dst[k], asked, norms = norms[0], asked[1:], norms[1:]
		}
	}
}

// query has the clients of a job train, keeps nothing of it, and sets norms to those of their
// updates.
func (w *trainer) query(j job, norms fl.Vector) error {
	w.job, w.sum, w.norms = j, nil, norms
	defer func() { w.norms = nil }()
	w.trained.resize(len(j.cohort))
	w.reserve(len(w.workers))
	_, err := w.run()
	return err
}
