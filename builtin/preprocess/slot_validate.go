// SLOT-Align with a share of the way by validation — every client moves its features by the τ at
// which a head on aligned features is most accurate on rows that the client held out.
//
//	Ours; the map is that of slot-align, whose paper has one τ for all.
//
// Notation: as in slot-align; a grid of τ; N_kc, μ_kc and Wₖ moments by class of the rows that a
// client does not hold out, every h-th of its rows.
//
//	client:  N_kc, μ_kc, Wₖ, from which its N(μₖ, Σₖ) follows
//	server:  N(μ_b, Σ_b); for each τ of the grid the moments by class ν_c and W of features moved
//	         by τ, see slot_head.go
//	client:  of each τ the head of discriminant analysis, and its accuracy on rows held out, moved
//	         by τ; τₖ is the best, of equal ones the least; z ← (1 − τₖ)z + τₖ·Tₖ(z)
//
// A client sends C + Cm + m(m + 1)/2 floats, as one of fedcgs does afterwards, and gets C for all
// of the grid, Cm + m(m + 1)/2 for each τ, and the reference. Moments by class are all that leaves
// a client: τₖ and accuracies stay. Rows held out are in no moments that are sent before training,
// but they are trained on afterwards, as all are. A client with fewer than h rows holds out none,
// and takes the least τ of the grid. With the grid {0} nothing is sent or moved, to the bit.
//
// A head of one τ is of clients that all move by that, and clients then choose their own: the
// choice is not an equilibrium.
//
// Departures: the paper has no validation.

package preprocess

import (
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/ot"
)

// SLOTAlignValidated describes the preprocessor to the registry.
var SLOTAlignValidated = fl.PreprocessorEntry{
	Name:       "slot-align-validated",
	Summary:    "slot-align with a τ of each client's own, by accuracy on rows held out",
	Paper:      "slot-align",
	Deviations: "the paper has one τ for all; labels make heads of which the most accurate decides",
	New:        newSLOTAlignValidated,
	Traits:     fl.PreprocessTraits{Labelled: true},
	Fits:       needsLabels,
}

type slotAlignValidated struct {
	grid  []float64 // ascending
	held  int       // h
	plain bool
}

var _ fl.Preprocessor = (*slotAlignValidated)(nil)

func newSLOTAlignValidated(p *fl.Params) (fl.Preprocessor, error) {
	a := &slotAlignValidated{plain: newIteration(p)}
	a.grid = p.FloatsOr("grid", []float64{0, 0.25, 0.5, 0.75, 1}, fl.Closed(0, 1),
		"shares τ of the way among which a client chooses")
	a.held = p.Int("held_out", 5, fl.AtLeast(2), "h: every h-th row of a client is held out")
	if a.grid = slices.Clone(a.grid); len(a.grid) == 0 {
		p.Fail("grid", "is empty: give at least one τ")
	}
	slices.Sort(a.grid)
	return a, nil
}

// Shape implements fl.Preprocessor.
func (a *slotAlignValidated) Shape(in fl.Shape) (fl.Shape, error) { return narrow(in) }

// divided returns the rows of a client that it uses, and those that it holds out.
func (a *slotAlignValidated) divided(d *fl.Dataset) (used, held *fl.Dataset) {
	var rows [2][]int
	for i := range d.Len() {
		which := 0
		if i%a.held == a.held-1 {
			which = 1
		}
		rows[which] = append(rows[which], i)
	}
	return d.Pick(rows[0]), d.Pick(rows[1])
}

// still reports whether no client is moved, whatever is sent.
func (a *slotAlignValidated) still() bool { return a.grid[len(a.grid)-1] == 0 }

// Summarize returns N_kc, μ_kc and Wₖ; with the grid {0} nothing.
func (a *slotAlignValidated) Summarize(s *fl.SummaryInput) (fl.Tensors, error) {
	if a.still() {
		return nil, nil
	}
	used, _ := a.divided(s.Data)
	own, err := byClass(used)
	if err != nil {
		return nil, err
	}
	return own.sent(), nil
}

// Combine returns μ_b and Σ_b, and moments by class for every τ.
func (a *slotAlignValidated) Combine(c *fl.CombineInput) (fl.Tensors, error) {
	if a.still() {
		return nil, nil
	}
	own, laws := make([]classes, len(c.Uploads)), make([]ot.Gaussian, len(c.Uploads))
	w := make(fl.Vector, len(c.Uploads))
	for k, u := range c.Uploads {
		own[k] = receivedClasses(u.Payload)
		laws[k], w[k] = own[k].law(), float64(u.Samples)
	}
	w.Scale(1 / w.Sum())
	to, err := centre(c, w, laws, a.plain)
	if err != nil {
		return nil, err
	}
	reference := sent(to)
	for k, tau := range a.grid {
		all, err := alignedClasses(own, to, tau)
		if err != nil {
			return nil, err
		}
		reference["class count"] = vector(all.count)
		reference[nameOf("class mean", k)] = all.mean
		reference[nameOf("class covariance", k)] = packed(all.within)
	}
	return reference, nil
}

// nameOf returns the name of what belongs to a τ.
func nameOf(what string, k int) string { return fmt.Sprintf("%s %d", what, k) }

// Transform moves features by the τ that the client chooses.
func (a *slotAlignValidated) Transform(m *fl.TransformInput) (fl.Matrix, error) {
	if m.Own == nil {
		return fl.Matrix{}, errNoClient
	}
	if a.still() {
		return copied(m.Rows), nil
	}
	used, held := a.divided(m.Own)
	own, err := byClass(used)
	if err != nil {
		return fl.Matrix{}, err
	}
	from, to := own.law(), received(m.Reference)
	best, most := a.grid[0], -1.0
	for k, tau := range a.grid {
		if held.Len() == 0 || len(a.grid) == 1 {
			break
		}
		h, err := newHead(receivedClasses(fl.Tensors{"count": m.Reference["class count"],
			"mean":       m.Reference[nameOf("class mean", k)],
			"covariance": m.Reference[nameOf("class covariance", k)]}))
		if err != nil {
			return fl.Matrix{}, err
		}
		z, err := way{tau: tau}.move(&fl.TransformInput{Rows: held.X, Notes: m.Notes}, from, to)
		if err != nil {
			return fl.Matrix{}, err
		}
		if right := agreement(h.labels(z), held.Y); right > most {
			best, most = tau, right
		}
	}
	m.Notes.Observe("τ by validation", best)
	return way{tau: best}.move(m, from, to)
}
