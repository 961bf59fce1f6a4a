// SLOT-Align with pseudo-labels — class-conditional maps for clients whose labels are not used.
//
//	Ours, after slot-align-labelled. Labels that a model predicts for features without any, as if
//	they were true: D.-H. Lee. Pseudo-Label: The Simple and Efficient Semi-Supervised Learning
//	Method for Deep Neural Networks. ICML 2013 Workshop on Challenges in Representation Learning.
//
// Notation: as in slot-align-labelled; the first L clients have labels, or all.
//
//	client with labels:  N_kc, μ_kc, Wₖ, from which N(μₖ, Σₖ) follows;  others: μₖ and Σₖ
//	server:  N(μ_b, Σ_b) as slot-align has it; moments by class ν_c and W of the aligned
//	         features of clients with labels, see slot_head.go; the head of discriminant
//	         analysis is theirs
//	client:  pseudo-labels ŷ of its rows: of the head, first on features that slot-align moves;
//	         by ŷ its moments by class, and the map from those mixed by the shares π_c of all
//	         to ν_c and W mixed alike, for the classes that it then has; pseudo-labels of the
//	         features so moved, and again, until none changes or for so many iterations
//
// So labels that differ from client to client do not move features, where pseudo-labels are right.
// Where they are wrong a map is of wrong classes, and can be worse than that of slot-align.
// Iterations cost no communication: a client with labels sends C + Cm + m(m + 1)/2 floats, another
// one m + m(m + 1)/2, as in slot-align; all get both; with τ = 0 nothing is sent. labels = "own"
// has clients with labels use these, and pseudo-labels for none of them.
//
// Departures: no paper has this; a client's rows are moved by one affine map, whichever their
// class.

package preprocess

import (
	"errors"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
)

// SLOTAlignPseudo describes the preprocessor to the registry.
var SLOTAlignPseudo = fl.PreprocessorEntry{
	Name:    "slot-align-pseudo",
	Summary: "slot-align by class, with pseudo-labels of a head on aligned features",
	Paper:   "slot-align",
	Deviations: "the paper has no maps by class and no pseudo-labels; labels of some or all " +
		"clients make the head",
	New:    newSLOTAlignPseudo,
	Traits: fl.PreprocessTraits{Labelled: true},
	Fits:   needsLabels,
}

// needsLabels is why what goes by class does not fit.
func needsLabels(s fl.Setting) error {
	if s.Shape.Classes == 0 {
		return errors.New("goes by class, and these rows have none")
	}
	return needsOwners(s)
}

type slotAlignPseudo struct {
	way        way
	plain      bool
	labelled   int  // L; 0: all
	own        bool // clients with labels use them
	iterations int
}

var _ fl.Preprocessor = (*slotAlignPseudo)(nil)

func newSLOTAlignPseudo(p *fl.Params) (fl.Preprocessor, error) {
	a := &slotAlignPseudo{way: newWay(p), plain: newIteration(p)}
	a.labelled = p.Int("labelled", 0, fl.AtLeast(0), "L: the first L clients have labels, which "+
		"make the head; 0: all have")
	a.own = p.Choice("labels", "pseudo", "by which clients with labels are moved: those of the "+
		"head, or their own", "pseudo", "own") == "own"
	a.iterations = p.Int("iterations", 3, fl.AtLeast(1), "of pseudo-labels and maps, at most")
	return a, nil
}

// Shape implements fl.Preprocessor.
func (a *slotAlignPseudo) Shape(in fl.Shape) (fl.Shape, error) { return narrow(in) }

// hasLabels reports whether labels of a client are used.
func (a *slotAlignPseudo) hasLabels(client int) bool {
	return a.labelled == 0 || client < a.labelled
}

// Summarize returns N_kc, μ_kc and Wₖ, or μₖ and Σₖ; with τ = 0 nothing.
func (a *slotAlignPseudo) Summarize(s *fl.SummaryInput) (fl.Tensors, error) {
	if a.way.tau == 0 {
		return nil, nil
	}
	if !a.hasLabels(s.Client) {
		g, err := momentsOf(s.Data.X)
		return sent(g), err
	}
	own, err := byClass(s.Data)
	if err != nil {
		return nil, err
	}
	return own.sent(), nil
}

// Combine returns μ_b, Σ_b, and the moments by class of aligned features.
func (a *slotAlignPseudo) Combine(c *fl.CombineInput) (fl.Tensors, error) {
	if a.way.tau == 0 {
		return nil, nil
	}
	var own []classes
	laws, w := make([]ot.Gaussian, len(c.Uploads)), make(fl.Vector, len(c.Uploads))
	for k, u := range c.Uploads {
		w[k] = float64(u.Samples)
		if _, labelled := u.Payload["count"]; !labelled {
			laws[k] = received(u.Payload)
			continue
		}
		own = append(own, receivedClasses(u.Payload))
		laws[k] = own[len(own)-1].law()
	}
	if len(own) == 0 {
		return nil, errors.New("no client with labels is enrolled: raise labelled")
	}
	w.Scale(1 / w.Sum())
	to, err := centre(c, w, laws, a.plain)
	if err != nil {
		return nil, err
	}
	all, err := alignedClasses(own, to, 1)
	if err != nil {
		return nil, err
	}
	all.count.Scale(1 / all.count.Sum())
	reference := sent(to)
	for name, m := range all.sent() {
		reference["class "+name] = m
	}
	return reference, nil
}

// Transform moves features towards the reference of their classes.
func (a *slotAlignPseudo) Transform(m *fl.TransformInput) (fl.Matrix, error) {
	if m.Own == nil {
		return fl.Matrix{}, errNoClient
	}
	if m.Blend = a.way.blend(); a.way.tau == 0 {
		return copied(m.Rows), nil
	}
	all := receivedClasses(fl.Tensors{"count": m.Reference["class count"],
		"mean": m.Reference["class mean"], "covariance": m.Reference["class covariance"]})
	if a.own && a.hasLabels(m.Client) {
		return a.byLabels(m, m.Own.Y, m.Rows, all)
	}
	labels, err := a.pseudo(m, all)
	if err != nil {
		return fl.Matrix{}, err
	}
	m.Notes.Observe("pseudo-labels that are right", agreement(labels, m.Own.Y))
	return a.byLabels(m, labels, m.Rows, all)
}

// pseudo returns the pseudo-labels of a client's own rows.
func (a *slotAlignPseudo) pseudo(m *fl.TransformInput, all classes) ([]int, error) {
	h, err := newHead(all)
	if err != nil {
		return nil, err
	}
	var from ot.Gaussian
	if a.hasLabels(m.Client) {
		own, err := byClass(m.Own)
		if err != nil {
			return nil, err
		}
		from = own.law()
	} else if from, err = momentsOf(m.Own.X); err != nil {
		return nil, err
	}
	whole := slotAlignPseudo{way: way{tau: 1}}
	rows := &fl.TransformInput{Own: m.Own, Rows: m.Own.X, Notes: m.Notes}
	z, err := whole.way.move(rows, from, received(m.Reference))
	if err != nil {
		return nil, err
	}
	labels := h.labels(z)
	for range a.iterations - 1 {
		if z, err = whole.byLabels(rows, labels, m.Own.X, all); err != nil {
			return nil, err
		}
		next := h.labels(z)
		if slices.Equal(next, labels) {
			break
		}
		labels = next
	}
	return labels, nil
}

// byLabels moves rows by the map that labels of the client's own rows give.
func (a *slotAlignPseudo) byLabels(
	m *fl.TransformInput, labels []int, rows fl.Matrix, all classes,
) (fl.Matrix, error) {
	d := *m.Own
	d.Y = labels
	own, err := byClass(&d)
	if err != nil {
		return fl.Matrix{}, err
	}
	share := own.shared(all.count)
	return a.way.move(&fl.TransformInput{Rows: rows, Notes: m.Notes}, own.mixed(share),
		all.mixed(share))
}

// shared returns the shares of classes that a client has, of those of all.
func (s classes) shared(all fl.Vector) fl.Vector {
	share := all.Clone()
	for c, n := range s.count {
		if n == 0 {
			share[c] = 0
		}
	}
	share.Scale(1 / share.Sum())
	return share
}
