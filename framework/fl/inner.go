package fl

import (
	"errors"
	"fmt"
)

// InnerParam is what the parameter for an aggregator within an aggregator is called.
const InnerParam = "inner"

// Inner declares the parameter "inner": an aggregator, as [setting] names one, whose change of the
// model takes the place of the weighted mean of deltas; Nest makes an Aggregator of the two. It has
// no default: it is nil when it is not given, too.
func (p *Params) Inner() Aggregator {
	c, _ := p.component("aggregator", InnerParam, "", "the aggregator whose step θ − θᵗ⁻¹ is "+
		"taken for the mean update Δ; none: the weighted mean of deltas").(Aggregator)
	return c
}

// Nest returns an aggregator whose θᵗ is what o makes of the model that an inner aggregator makes
// of a round. Each keeps a state of its own. Where the inner one is a weighted sum, so is the
// result, with the same weights.
func Nest(inner Aggregator, o ServerOptimizer) Aggregator {
	n := &nested{inner: inner, outer: o, below: newBelow(InnerParam + " ")}
	if sum, ok := inner.(*WeightedSum); ok {
		return WeighThen(nestedWeigher{n, sum.Weigher}, nestedSteps{n, sum.Optimizer})
	}
	return n
}

// nested is an aggregator and what makes a step of its own along what that one does.
type nested struct {
	inner Aggregator
	outer ServerOptimizer
	below below // the state of the inner one
}

var _ Aggregator = (*nested)(nil)

// Aggregate implements Aggregator.
func (n *nested) Aggregate(r *Round) (Outcome, error) {
	whole := n.enter(r)
	made, err := n.inner.Aggregate(r)
	if r.State = whole; err != nil {
		return Outcome{}, err
	}
	updates := r.hide()
	defer func() { r.Updates = updates }()
	return n.step(r, made, r.Scratch(len(r.Global)))
}

// enter makes the state of a round that of the inner aggregator, and returns the whole of it.
func (n *nested) enter(r *Round) (whole State) {
	whole = r.State
	n.below.of, r.State = whole, &n.below
	return whole
}

// step returns what the outer aggregator makes of what the inner one made, which is copied to theta
// first: it may be an update, or in State.
func (n *nested) step(r *Round, made Outcome, theta Vector) (Outcome, error) {
	switch {
	case made.Adopted != nil:
		return Outcome{}, errors.New("inner: adopts models of clients, along which no step leads")
	case len(made.Params) != len(theta):
		return Outcome{}, fmt.Errorf("inner: returned %d parameters, the model has %d",
			len(made.Params), len(theta))
	}
	copy(theta, made.Params)
	out, err := r.step(n.outer, theta)
	if out.Broadcast == nil {
		out.Broadcast = made.Broadcast
	}
	if out.Mail == nil {
		out.Mail = made.Mail
	}
	out.Weights = made.Weights
	return out, err
}

// A nestedWeigher is the weigher of an inner weighted sum.
type nestedWeigher struct {
	*nested
	weigher Weigher
}

// Weights implements Weigher.
func (w nestedWeigher) Weights(r *Round) (Weights, error) {
	whole := w.enter(r)
	weights, err := w.weigher.Weights(r)
	r.State = whole
	return weights, err
}

// nestedSteps are the steps of an inner weighted sum, if any, and of the outer aggregator.
type nestedSteps struct {
	*nested
	first ServerOptimizer
}

// Step implements ServerOptimizer.
func (s nestedSteps) Step(r *Round, sum Vector) (Outcome, error) {
	made := Outcome{Params: sum}
	if s.first != nil {
		whole := s.enter(r)
		var err error
		made, err = s.first.Step(r, sum)
		if r.State = whole; err != nil {
			return Outcome{}, err
		}
	}
	return s.step(r, made, sum)
}
