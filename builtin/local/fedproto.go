// FedProto, the client's half — local descent whose features are drawn to prototypes of classes.
//
//	Y. Tan, G. Long, L. Liu, T. Zhou, Q. Lu, J. Jiang, C. Zhang. FedProto: Federated Prototype
//	Learning across Heterogeneous Clients. AAAI 2022, Algorithm 1.
//
// Notation: z the features of a sample, of length d, y its class, C̄_y the prototype of that class
// that the server sent, λ the weight. The client descends on the cross-entropy and on
// λ·‖z − C̄_y‖²/d of each sample (eq. 7), and sends the mean features of each of its classes by
// its new model (eq. 3), with their numbers of samples. With λ = 0 its model is that of sgd, bit
// for bit.
//
// Departures: the model is sent and averaged too, so that there is a global one; the paper sends
// prototypes alone. The distance is the mean square by sample, as in the authors' code, where the
// paper has one norm for each class. Features are what enters the last dense layer. A class without
// a prototype has no penalty.

package local

import (
	"errors"

	"github.com/hansa-fl/hansa/framework/fl"
)

// FedProto describes the local rule to the registry.
var FedProto = fl.LocalRuleEntry{
	Name:    "fedproto",
	Summary: "gradient descent that draws features to prototypes of their classes",
	Paper:   "tan2022",
	Deviations: "the model is sent and averaged too; the distance to prototypes is the mean " +
		"square by sample, as in the authors' code",
	OneLabel: true,
	New:      newFedProto,
	Fits:     needsFeatures,
	Traits:   fl.LocalTraits{Method: "FedProto"},
}

// fedProto keeps nothing in State.
type fedProto struct {
	sgd
	lambda float64 // λ
}

var (
	_ fl.LocalRule      = (*fedProto)(nil)
	_ fl.FeaturePenalty = (*fedProto)(nil)
)

func newFedProto(p *fl.Params) (fl.LocalRule, error) {
	s := &fedProto{
		lambda: p.Float("lambda", 1, fl.AtLeast(0), "weight λ of the distance to prototypes; the "+
			"paper tries 0 to 4"),
		sgd: newSteps(p),
	}
	refuseMixup(p, &s.work, "mixes samples of several classes, of which each has a prototype")
	return s, nil
}

// Run implements fl.LocalRule.
func (s *fedProto) Run(t *fl.Task) (fl.Update, error) {
	w, ok := t.Worker.(fl.GuidedWorker)
	if !ok {
		return fl.Update{}, errors.New("fedproto needs a network that tells its features")
	}
	d := s.descent(t)
	if known := t.Broadcast["prototypes"]; s.lambda > 0 && known.Rows > 0 {
		classes := t.Client.Data.Shape.Classes
		table := fl.Matrix{Rows: classes, Cols: known.Cols, Data: t.Scratch(classes * known.Cols)}
		has := fl.Matrix{Rows: classes, Cols: 1, Data: t.Scratch(classes)}
		for k, c := range t.Broadcast["classes"].Data {
			copy(table.Row(int(c)), known.Row(k))
			has.Data[int(c)] = 1
		}
		d.Guide.Penalty, d.Guide.Beside = s, [2]fl.Matrix{table, has}
	}
	w.Descend(d)
	return fl.Update{Steps: d.Steps, Params: t.Params, Payload: prototypes(t, w)}, nil
}

// Penalise implements fl.FeaturePenalty.
func (s *fedProto) Penalise(in *fl.PenaltyInput) (value float64) {
	clear(in.Grad)
	if in.Beside[1].Data[in.Label] == 0 {
		return 0
	}
	share := s.lambda / float64(len(in.Features))
	for j, c := range in.Beside[0].Row(in.Label) {
		off := in.Features[j] - c
		value += share * off * off
		in.Grad[j] = 2 * share * off
	}
	return value
}

// prototypes returns the mean features of the classes that a client has, by its trained model,
// which classes these are, and how many samples of each it has.
func prototypes(t *fl.Task, w fl.GuidedWorker) fl.Tensors {
	x, y, n := t.Client.Data.X, t.Client.Data.Y, w.FeatureLen()
	counts, present := t.Ints(t.Client.Data.Shape.Classes), 0
	clear(counts)
	for _, c := range y {
		if counts[c]++; counts[c] == 1 {
			present++
		}
	}
	means, classes, samples := t.Payload(present, n), t.Payload(1, present), t.Payload(1, present)
	row := t.Ints(len(counts))
	next := 0
	for c, count := range counts {
		if count > 0 {
			row[c], classes.Data[next], samples.Data[next] = next, float64(c), float64(count)
			next++
		}
	}
	z := fl.Matrix{Rows: x.Rows, Cols: n, Data: t.Scratch(x.Rows * n)}
	w.Features(z, t.Params, x)
	for r, c := range y {
		means.Row(row[c]).AddScaled(1/float64(counts[c]), z.Row(r))
	}
	return fl.Tensors{"prototypes": means, "classes": classes, "samples": samples}
}
