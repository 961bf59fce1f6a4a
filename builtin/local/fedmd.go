// FedMD, the client's half — a model of every client's own, that learns from a consensus.
//
//	D. Li, J. Wang. FedMD: Heterogenous Federated Learning via Model Distillation. NeurIPS 2019
//	Workshop on Federated Learning, arXiv:1910.03581, Algorithm 1.
//
// Notation: f(x) the scores of a public sample x by the client's model, f̃(x) the consensus that
// the server sent, σ the softmax, T the temperature. The client
//
//	digests   steps on public samples against the gradient of T²·KL(σ(f̃(x)/T) ‖ σ(f(x)/T)),
//	revisits  steps on its own samples as sgd makes them,
//	sends     f(x) of all public samples, by its new model.
//
// The model stays with the client, from θ⁰ on, and is neither sent nor counted. Every client is
// sent the public samples once. In the first round there is no consensus; with digest_epochs = 0 it
// is local-only, bit for bit.
//
// Departures: transfer learning on labelled public samples comes first only with transfer_epochs
// above 0. All public samples are scored in every round, where the paper draws some. Scores of the
// consensus become targets by a softmax; the authors' code has the absolute difference of scores.
// Clients' models have the same layout.

package local

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/tensor"
)

// FedMD describes the local rule to the registry.
var FedMD = fl.LocalRuleEntry{
	Name:    "fedmd",
	Summary: "every client trains a model of its own, on its samples and on a public consensus",
	Paper:   "li2019fedmd",
	Deviations: "all public samples are scored in every round; targets are a softmax of the " +
		"consensus, not its scores; transfer learning is off by default; one layout",
	OneLabel: true,
	New:      newFedMD,
	Fits: func(s fl.Setting) error {
		switch {
		case s.Shape.Classes == 0:
			return errors.New("needs classes; these data have a regression target")
		case !s.SoftTargets():
			return errors.New("needs a network or model = \"softmax\": other models take no soft " +
				"targets")
		}
		return nil
	},
	Traits: fl.LocalTraits{Packed: true, Method: "FedMD", Public: true, Whole: true,
		Stays: func(_ map[string]any, l fl.Layout) []fl.Block { return l.Blocks }},
}

// fedMD keeps in State whether transfer learning was done; the engine keeps the model.
type fedMD struct {
	sgd
	transfer, digest, batch int
	temperature             float64 // T
}

var _ fl.LocalRule = (*fedMD)(nil)

func newFedMD(p *fl.Params) (fl.LocalRule, error) {
	s := &fedMD{
		digest: p.Int("digest_epochs", 1, fl.AtLeast(0), "passes over the public samples that "+
			"draw the model to the consensus; 0: local-only"),
		transfer: p.Int("transfer_epochs", 0, fl.AtLeast(0), "passes over the labelled public "+
			"samples before a client trains for the first time"),
		batch: p.Int("public_batch", 64, fl.AtLeast(0), "public samples per step; 0: all of them"),
		temperature: p.Float("temperature", 1, fl.Above(0), "T, which divides scores and those "+
			"of the consensus"),
		sgd: newSteps(p),
	}
	refuseMixup(p, &s.work, "makes targets of labels, and public samples have others")
	if in := p.Setting(); s.transfer > 0 && in.Public && !in.Labelled {
		p.Fail("transfer_epochs", "%d needs labels of public samples, which labelled = false hides",
			s.transfer)
	}
	return s, nil
}

// Run implements fl.LocalRule.
func (s *fedMD) Run(t *fl.Task) (fl.Update, error) {
	w, ok := t.Worker.(fl.GuidedWorker)
	if !ok {
		return fl.Update{}, errors.New("fedmd needs a model that takes soft targets")
	}
	if t.Public == nil {
		return fl.Update{}, errors.New("there are no public data")
	}
	steps := s.transferTo(t, w) + s.digests(t, w)
	d := s.descent(t)
	w.Descend(d)
	scores := t.Payload(t.Public.Len(), t.Public.Shape.Classes)
	w.Scores(scores, t.Params, t.Public.X)
	return fl.Update{Steps: steps + d.Steps, Params: t.Params,
		Payload: fl.Tensors{"scores": scores}}, nil
}

// transferTo trains a client's model on labelled public samples, once.
func (s *fedMD) transferTo(t *fl.Task, w fl.Worker) (steps int) {
	if s.transfer == 0 {
		return 0
	}
	done := t.State.Vector("transferred", 1)
	if done[0] == 1 {
		return 0
	}
	done[0] = 1
	d := s.onPublic(t, t.Public, s.transfer)
	w.Descend(d)
	return d.Steps
}

// digests draws the model to the consensus, if there is one.
func (s *fedMD) digests(t *fl.Task, w fl.Worker) (steps int) {
	consensus := t.Broadcast["scores"]
	if s.digest == 0 || consensus.Rows == 0 {
		return 0
	}
	public := *t.Public
	if public.Y == nil { // which soft targets of weight 1 do not need
		public.Y = t.Ints(public.Len())
		clear(public.Y)
	}
	d := s.onPublic(t, &public, s.digest)
	p := fl.Matrix{Rows: consensus.Rows, Cols: consensus.Cols,
		Data: t.Scratch(len(consensus.Data))}
	for r := range p.Rows {
		copy(p.Row(r), consensus.Row(r))
		fl.Vector(p.Row(r)).Scale(1 / s.temperature)
		tensor.Softmax(p.Row(r), p.Row(r))
	}
	d.Guide.Targets = fl.SoftTargets{Prob: p, Temperature: s.temperature, Weight: 1}
	w.Descend(d)
	return d.Steps
}

// onPublic returns a descent on public samples, at the rate of training.
func (s *fedMD) onPublic(t *fl.Task, public *fl.Dataset, epochs int) *fl.Descent {
	d := s.descent(t)
	d.Data, d.Batches = public, t.BatchesOf(public.Len(), s.batch)
	d.Steps = epochs * d.Batches.PerEpoch()
	return d
}
