package aggregator

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
)

// An order says which networks are fused first, where the last one counts half.
type order string

// newOrder declares the parameter.
func newOrder(p *fl.Params) order {
	o := order(p.Choice("order", "ascending",
		"which networks come first: the least accurate, the most accurate, or by client",
		"ascending", "descending", "given"))
	if s := p.Setting(); s.Known() && o != "given" {
		if err := needsHeld(s); err != nil {
			p.Fail("order", "%s %v", o, err)
		}
	}
	return o
}

// of returns the updates in that order.
func (o order) of(r *fl.Round) ([]int, error) {
	if o == "given" {
		return byClient(r), nil
	}
	list, err := ranked(r)
	if o == "descending" {
		slices.Reverse(list)
	}
	return list, err
}

// needsHeld is why an aggregator that ranks clients does not fit where the server has no
// samples to rank them by.
func needsHeld(s fl.Setting) error {
	if !s.Held {
		return errors.New("ranks clients by samples that the server holds; " +
			"validation = 0.1 gives it a tenth")
	}
	return nil
}

// ranked returns the updates by how well their models do on the server's samples, the worst
// first, ties by client: by accuracy, or by loss where there are no classes.
func ranked(r *fl.Round) ([]int, error) {
	if r.Validation == nil || r.Validation.Len() == 0 {
		return nil, errors.New("the server holds no samples to rank clients by")
	}
	if missing := absent(r.Validation); missing > 0 {
		r.Notes.Add(fmt.Sprintf("the server's samples lack %d of %d classes, so clients are "+
			"ranked by the others", missing, r.Validation.Shape.Classes))
	}
	merit, order := make(fl.Vector, len(r.Updates)), byClient(r)
	for k := range merit {
		merit[k] = meritOf(r.ModelOf(k), r.Updates[k].Params, r.Validation)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(merit[a], merit[b]) })
	return order, nil
}

// byClient returns the updates in the order of clients.
func byClient(r *fl.Round) []int {
	order := make([]int, len(r.Updates))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int { return r.Updates[a].Client - r.Updates[b].Client })
	return order
}

// halves returns CODE's weights of updates in an order: half for the last, a quarter for the one
// before it, and so on; the first two have the same.
func halves(r *fl.Round, order []int) fl.Vector {
	w, weight := r.Scratch(len(order)), 1.0
	for k := len(order) - 1; k > 0; k-- {
		weight /= 2
		w[order[k]] = weight
	}
	w[order[0]] = weight
	return w
}

// A sharing says how much each network counts in a mean of networks that are aligned.
type sharing string

// newSharing declares the parameter.
func newSharing(p *fl.Params) sharing {
	a := sharing(p.Choice("weights", "uniform", "1/K | nₖ/Σₛn | ½ for the most accurate on the "+
		"server's samples, ¼ for the next, as CODE has", "uniform", "samples", "merit"))
	if s := p.Setting(); s.Known() && a == "merit" {
		if err := needsHeld(s); err != nil {
			p.Fail("weights", "merit %v", err)
		}
	}
	return a
}

// of returns the weights of a round.
func (a sharing) of(r *fl.Round) (fl.Vector, error) {
	switch a {
	case "merit":
		order, err := ranked(r)
		if err != nil {
			return nil, err
		}
		return halves(r, order), nil
	case "samples":
		w := r.Scratch(len(r.Updates))
		for k := range w {
			w[k] = float64(r.Updates[k].Samples)
		}
		if toSumOne(w) {
			return w, nil
		}
	}
	w := r.Scratch(len(r.Updates))
	w.Fill(1 / float64(len(w)))
	return w, nil
}

// absent returns how many classes have no sample.
func absent(d *fl.Dataset) int {
	seen := make([]bool, d.Shape.Classes)
	for _, c := range d.Y {
		seen[c] = true
	}
	n := 0
	for _, s := range seen {
		if !s {
			n++
		}
	}
	return n
}

// meritOf is the share of labels that a model classifies rightly, or less its loss where there
// are no classes.
func meritOf(m fl.Model, params fl.Vector, d *fl.Dataset) float64 {
	w := m.Worker()
	if d.Shape.Classes == 0 {
		return -w.Loss(params, d)
	}
	return float64(fl.Correct(w, params, d)) / float64(len(d.Y))
}
