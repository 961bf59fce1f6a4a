// Epsilon — what the rounds so far cost in differential privacy, at a δ.
//
//	H. B. McMahan, D. Ramage, K. Talwar, L. Zhang. Learning Differentially Private Recurrent
//	Language Models. ICLR 2018: privacy of clients, counted round by round.
//	P. Kairouz et al. Practical and Private (Deep) Learning Without Sampling or Shuffling. ICML
//	2021, Appendix D: of the prefix sums of a tree.
//	I. Mironov, 2017, and A. Koskela, J. Jälkö, A. Honkela, 2020: the accountants; see package
//	privacy.
//
// Notation: neighbours are populations in which one client is another one (replace-one), or one of
// which has a client more (add-or-remove-one). The rounds are (ε, δ)-private if for neighbours
// P(A) ≤ e^ε P'(A) + δ for all sets A of the models of all rounds.
//
// Amplification by sampling is claimed where the participation law is one that has it, and no
// footnote claims more:
//
//	uniform cohorts of one size     replace-one
//	independent with rates qᵢ       either, at the largest rate
//	any other                       none: the client that was available in most rounds is taken to
//	                                have participated in all of them
//	noise that clients share        of uniform cohorts of one size alone; the law of their sum is
//	                                that of package privacy, Distributed, by Rényi divergences
//	prefix sums of a tree           none; rounds in which a client was available, and how far they
//	                                lie apart, give the sensitivity
//
// An upper bound, by either accountant. Replace-one doubles how far a client moves a sum, and holds
// for any law. Without noise it is +∞.
//
// What it does not count: the tuning of parameters, accuracies, and footnotes, which are measured
// without noise. Availability and enrolment are taken not to depend on data. Noise is from streams
// that can be drawn again: numbers for research, no protection for a deployment.
//
// Departures: none.

package metric

import (
	"errors"
	"fmt"
	"math"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/privacy"
)

// Epsilon describes the metric to the registry.
var Epsilon = fl.MetricEntry{
	Name:    "epsilon",
	Summary: "ε of the rounds so far at a δ, with what the participation law amplifies",
	Paper:   "mcmahan2018",
	New:     newEpsilon,
	Traits: fl.MetricTraits{Packed: true, Accounts: true, Reads: reads(fl.ReadsEnrollment),
		Range: atLeastZero},
}

type epsilon struct {
	delta     float64
	pld       bool
	adjacency privacy.Adjacency
}

var _ fl.Metric = (*epsilon)(nil)

func newEpsilon(p *fl.Params) (fl.Metric, error) {
	m := &epsilon{
		delta: p.Float("delta", 1e-5, fl.Open(0, 1), "δ, by how much the bound may be exceeded"),
		pld: p.Choice("accountant", "pld", "the distribution of the privacy loss, or Rényi "+
			"divergences, which bound it from further above; of noise that clients share always "+
			"the latter", "pld", "rdp") == "pld",
	}
	if p.Choice("adjacency", "replace-one", "which populations are neighbours: one client is "+
		"another; or there is one more, which needs clients that participate independently",
		"replace-one", "add-or-remove-one") == "replace-one" {
		m.adjacency = privacy.ReplaceOne
	}
	return m, nil
}

// Measure implements fl.Metric.
func (m *epsilon) Measure(s *fl.Snapshot) (float64, error) {
	if s.Exposure == nil {
		return 0, errors.New("the aggregator says nothing of its noise")
	}
	l, err := m.ledger(s.Exposure)
	if err != nil {
		return 0, err
	}
	if s.Notes != nil {
		m.claim(s.Notes, s.Exposure, l)
	}
	if s.Exposure.Shares != nil {
		return m.shared(s, l)
	}
	if !m.pld {
		a, err := privacy.NewRDP()
		if err == nil {
			err = l.Account(a)
		}
		if err != nil {
			return 0, err
		}
		e, err := a.Epsilon(m.delta)
		return e.Epsilon, err
	}
	var a privacy.PLD
	if err := l.Account(&a); err != nil {
		return 0, err
	}
	in, err := a.Compose().Epsilon(m.delta)
	return in.High, err
}

// shared returns ε of noise that clients share, by Rényi divergences.
func (m *epsilon) shared(s *fl.Snapshot, l *privacy.Ledger) (float64, error) {
	e, of := s.Exposure, s.Exposure.Shares
	d := privacy.Distributed{Skellam: of.Law == fl.Skellam, Noise: e.Noise, Clients: of.Clients,
		Dim: privacy.Padded(len(s.Params)), Bits: of.Bits, Range: of.Range, Bias: of.Bias}
	if d.Clients == 0 {
		d.Clients = int(math.Ceil(e.Expected - 1e-9*e.Expected))
	}
	rate, rounds := 1.0, e.Rounds
	switch {
	case e.Why != "":
		rounds = l.MostRounds()
	case e.Size < e.Of:
		rate = float64(e.Size) / float64(e.Of)
	}
	if m.pld && s.Notes != nil {
		s.Notes.Add("ε: of noise on integers by Rényi divergences, which bound it from above")
	}
	a, err := privacy.NewRDP()
	if err == nil {
		err = a.AddDistributed(d, 2, rate, rounds)
	}
	if err != nil {
		return 0, err
	}
	spent, err := a.Epsilon(m.delta)
	return spent.Epsilon, err
}

// claim notes what is claimed of the rounds, in words that do not change from round to round.
func (m *epsilon) claim(notes *fl.Notes, e *fl.Exposure, l *privacy.Ledger) {
	for _, c := range l.Claims() {
		text := c.Text
		if e.Tree {
			text = "not amplified: prefix sums have the noise of a tree"
		}
		notes.Add("ε: " + text)
	}
}

// ledger returns the record of the rounds so far.
func (m *epsilon) ledger(e *fl.Exposure) (*privacy.Ledger, error) {
	together := e.Why != "" || e.Rate == 0 && e.Size < e.Of
	if m.adjacency == privacy.AddOrRemoveOne && together {
		return nil, fmt.Errorf("adjacency = \"add-or-remove-one\" needs clients that participate "+
			"independently of each other, and here one client more may keep another from "+
			"participating: %v; adjacency = \"replace-one\" holds for any law", e.Draw)
	}
	if m.adjacency == privacy.AddOrRemoveOne && e.Shares != nil {
		return nil, errors.New("adjacency = \"add-or-remove-one\": one client more adds noise, " +
			"too; adjacency = \"replace-one\" holds where clients add it")
	}
	l, err := privacy.NewLedger(m.adjacency, 1)
	if err != nil || e.Rounds == 0 {
		return l, err
	}
	most := e.Most
	if e.Tree {
		restarts := privacy.Restarts{Every: e.Restart, Completes: e.Completed}
		return l, l.AddTrees(e.Noise, restarts, e.Rounds, most, e.Separation)
	}
	round := privacy.Round{Noise: e.Noise}
	switch {
	case e.Why != "":
		round.Draw = privacy.NotRandom(e.Why)
	case e.Rate > 0:
		round.Draw = privacy.Poisson(e.Rate)
	default:
		round.Draw = privacy.FixedSize(e.Size, e.Of)
	}
	for t := range e.Rounds {
		if round.Could = nil; e.Why != "" {
			round.Could = make([]int, 0, 1) // the one client is that which was available most often
			if t < most {
				round.Could = append(round.Could, 0)
			}
		}
		if err := l.Add(round); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// Unit implements fl.Metric.
func (*epsilon) Unit() string { return fl.Privacy }

// Higher implements fl.Metric: it is a cost. Less is cheaper, and nothing is ranked by it.
func (*epsilon) Higher() bool { return false }
