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

// take notes that a cohort takes part in round t. What its clients tell is not known yet.
func (r reports) take(cohort []int, t int) {
	for _, i := range cohort {
		told := fl.Unreported()
		told.Round = t
		r[i] = told
	}
}

// keeps reports whether a setup has its selection told of clients.
func keepsReports(t fl.SelectionTraits) bool { return t.Rounds || t.Losses || t.Norms }

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
		(*r)[i] = told
	}
}

// An answer is what a client tells beside its update.
type answer struct{ loss, norm float64 }

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
		if !s.Losses && !s.Norms {
			continue
		}
		told := p.Reports.of(i)
		if s.Losses {
			told.Loss = got.answers[k].loss
		}
		if s.Norms {
			told.Norm = got.answers[k].norm
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
	j := job{p.Round, asked, p.Global, c.variant, p.Broadcast, p.Mail, p.Clients}
	if c.unread = c.trainer.query(j, norms); c.unread != nil {
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
