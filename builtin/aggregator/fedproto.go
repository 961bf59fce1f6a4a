// FedProto, the server's half — a mean of models, and of the prototypes of each class.
//
//	Y. Tan, G. Long, L. Liu, T. Zhou, Q. Lu, J. Jiang, C. Zhang. FedProto: Federated Prototype
//	Learning across Heterogeneous Clients. AAAI 2022, Algorithm 1.
//
// Notation: of a class, S the clients of the cohort that have it, D_i the number of samples of
// client i of it, D their sum, C_i its prototype. The server sends all clients
//
//	C̄ = Σ_S (D_i/D)·C_i,
//
// and the mean of models that FedAvg makes, by samples. A class that no client of the cohort has
// keeps the prototype that it had.
//
// Departures: eq. 6 divides by |S| besides, which would make prototypes |S| times too small; the
// authors' code takes a plain mean over S, which prototypes = "uniform" does. Models are averaged
// too.

package aggregator

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
)

// FedProto describes the aggregator to the registry.
var FedProto = fl.AggregatorEntry{
	Name:    "fedproto",
	Summary: "mean of models by samples; keeps and sends a mean prototype of each class",
	Paper:   "tan2022",
	Deviations: "models are averaged too; prototypes are means, not divided by the number of " +
		"clients once more as in eq. 6",
	OneLabel: true,
	New: func(p *fl.Params) (fl.Aggregator, error) {
		uniform := p.Choice("prototypes", "samples", "clients count in a prototype by their "+
			"samples of the class, as eq. 6 has it, or equally, as the authors' code has it",
			"samples", "uniform") == "uniform"
		return &fedProto{uniform: uniform, sent: fl.Tensors{}}, nil
	},
	Fits: func(s fl.Setting) error {
		switch {
		case !s.Network || s.Head:
			return errors.New("needs a network of several layers, which has features to compare")
		case s.Shape.Classes == 0:
			return errors.New("needs classes; these data have a regression target")
		}
		return nil
	},
	Traits: fl.AggregatorTraits{Method: "FedProto"},
}

// fedProto keeps the prototypes, and which classes have one, in State.
type fedProto struct {
	uniform bool
	sent    fl.Tensors // the broadcast of a round, whose memory is that of the round
}

var _ fl.Aggregator = (*fedProto)(nil)

// Aggregate implements fl.Aggregator.
func (a *fedProto) Aggregate(r *fl.Round) (fl.Outcome, error) {
	if len(r.Updates) == 0 {
		return fl.Outcome{}, errNoUpdates
	}
	w := r.Scratch(len(r.Updates))
	for k := range r.Updates {
		w[k] = float64(r.Updates[k].Samples)
	}
	toSumOne(w)
	classes, n := scoresOf(r.Layout), r.Updates[0].Payload["prototypes"].Cols
	kept, known := r.State.Matrix("prototypes", classes, n), r.State.Vector("known", classes)
	a.renew(r, kept, known)
	present := int(known.Sum())
	means := fl.Matrix{Rows: present, Cols: n, Data: r.Scratch(present * n)}
	labels := fl.Matrix{Rows: 1, Cols: present, Data: r.Scratch(present)}
	next := 0
	for c := range classes {
		if known[c] == 1 {
			copy(means.Row(next), kept.Row(c))
			labels.Data[next] = float64(c)
			next++
		}
	}
	a.sent["prototypes"], a.sent["classes"] = means, labels
	return fl.Outcome{Params: r.CombineDeltas(w), Broadcast: a.sent, Weights: w}, nil
}

// renew sets the prototypes of the classes that the cohort has.
func (a *fedProto) renew(r *fl.Round, kept fl.Matrix, known fl.Vector) {
	total := r.Scratch(kept.Rows)
	each := func(visit func(class int, weight float64, mean fl.Vector)) {
		for k := range r.Updates {
			p := r.Updates[k].Payload
			for j, c := range p["classes"].Data {
				weight := p["samples"].Data[j]
				if a.uniform {
					weight = 1
				}
				visit(int(c), weight, p["prototypes"].Row(j))
			}
		}
	}
	each(func(class int, weight float64, _ fl.Vector) {
		if total[class] == 0 {
			clear(kept.Row(class))
		}
		total[class] += weight
		known[class] = 1
	})
	each(func(class int, weight float64, mean fl.Vector) {
		kept.Row(class).AddScaled(weight/total[class], mean)
	})
}

// scoresOf returns how many scores a network has.
func scoresOf(l fl.Layout) (scores int) {
	for _, b := range l.Blocks {
		if b.Name == fl.Weight {
			scores = b.Rows
		}
	}
	return scores
}
