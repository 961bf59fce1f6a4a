// Risk — the loss of the worst clients, or of the worst group of them, or how far it is above the
// least that it can be: an objective in place of the mean, as a metric and for the audit.
//
//	R. T. Rockafellar, S. Uryasev. Optimization of Conditional Value-at-Risk. Journal of Risk 2,
//	2000, Theorem 1; K. Pillutla, Y. Laguel, J. Malick, Z. Harchaoui. Federated Learning with
//	Superquantile Aggregation for Heterogeneous Data. Machine Learning 113, 2024.
//	S. Sagawa, P. W. Koh, T. Hashimoto, P. Liang. Distributionally Robust Neural Networks for
//	Group Shifts. ICLR 2020, Equation 2; M. Mohri, G. Sivek, A. T. Suresh. Agnostic Federated
//	Learning. ICML 2019.
//
// Notation: Fᵤ(θ) the training loss of unit u, a client or a group with its clients by p, pᵤ its
// share, c the share of the worst,
//
//	ρ(θ) = max {Σ λᵤFᵤ(θ) : 0 ≤ λᵤ ≤ pᵤ/c, Σ λᵤ = 1},
//
// the mean loss of the worst share c of clients ("cvar"); for c → 0 that of the worst client
// ("worst-client") or group ("worst-group"). The excess is ρ(θ) − min ρ, whose minimum is computed
// by an interior-point method to a certified gap, see stats.Tail: for losses with an optimum.
// All clients that count have a part in it, enrolled or not. Δ-FL with conformity c descends along
// ρ of its cohort, AFL and DRFA along that of the worst client.
//
// Departures: groups are of clients, as the metric groups has them.

package metric

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hansa-fl/hansa/framework/fl"
	"github.com/hansa-fl/hansa/framework/stats"
)

// Risk describes the metric to the registry.
var Risk = fl.MetricEntry{
	Name:       "risk",
	Summary:    "loss of the worst share of clients, client or group; or above its least",
	Paper:      "pillutla2024",
	Deviations: "a metric, of the training losses of all clients",
	New:        newRisk,
	Traits: fl.MetricTraits{Packed: true, Range: atLeastZero,
		Reads: func(params map[string]any) []fl.Reading {
			list := slices.Clone(readsObjective)
			if params["form"] == "excess" {
				list = append(list, fl.ReadsOptimum)
			}
			if params["objective"] == worstGroup && params["by"] == enrolled {
				list = append(list, fl.ReadsEnrollment)
			}
			return list
		}},
}

// worstGroup is the objective whose units are groups.
const worstGroup = "worst-group"

// riskGap is the largest certified gap of a minimum, of 1 + its value.
const riskGap = 1e-7

// mostRiskWork is the most clients, times parameters, of which the least is computed: Newton's
// steps take gradients of all clients for each parameter.
const mostRiskWork = 3000

type risk struct {
	objective string
	share     float64 // c
	groups    groups
	excess    bool

	// The minimum of the population that was asked for last: seeds and rounds share it.
	best fl.Optimum
	of   *fl.Population
}

var _ fl.ObjectiveMetric = (*risk)(nil)

func newRisk(p *fl.Params) (fl.Metric, error) {
	m := &risk{
		objective: p.Choice("objective", "cvar", "mean loss of the worst share of clients, by p; "+
			"loss of the worst client, or of the worst group", "cvar", "worst-client", worstGroup),
		share: p.Float("share", 0.1, fl.Open(0, 1), "c, the share of clients in the mean of the "+
			"worst, by p: the conditional value at risk at level 1 − c"),
		excess: p.Choice("form", "value", "the loss itself; or what it is above the least that it "+
			"can be, for models with an optimum and few parameters", "value", "excess") == "excess",
	}
	m.groups = newGroupsBy(p)
	switch s := p.Setting(); {
	case !s.Known() || !m.excess:
	case !s.Solvable:
		p.Fail("form", "excess %v", needsOptimum(s))
	case s.Clients*s.Shape.Features*max(s.Shape.Classes, 1) > mostRiskWork:
		p.Fail("form", "excess takes at most %d clients times features times classes; there are "+
			"%d × %d × %d", mostRiskWork, s.Clients, s.Shape.Features, max(s.Shape.Classes, 1))
	}
	return m, nil
}

// Measure implements fl.Metric.
func (m *risk) Measure(s *fl.Snapshot) (float64, error) {
	value, err := m.Value(s)
	if err != nil || !m.excess {
		return value, err
	}
	best, err := m.Least(s)
	if err != nil {
		return 0, err
	}
	return value - best.Value, nil
}

// Unit implements fl.Metric.
func (m *risk) Unit() string { return "" }

// Higher implements fl.Metric.
func (m *risk) Higher() bool { return false }

// Value implements fl.ObjectiveMetric.
func (m *risk) Value(s *fl.Snapshot) (float64, error) {
	u, err := m.units(s)
	if err != nil {
		return 0, err
	}
	values := make(fl.Vector, len(u.members))
	u.mean(values, s.ClientLosses())
	return u.tail.Of(make(fl.Vector, len(values)), values), nil
}

// Least implements fl.ObjectiveMetric.
func (m *risk) Least(s *fl.Snapshot) (*fl.Optimum, error) {
	if m.of == s.Population {
		return &m.best, nil
	}
	facts := s.Model.Facts()
	if facts.Solve == nil || facts.Nonsmooth {
		return nil, errors.New("the least loss of the worst can be computed of linear, and of " +
			"softmax or logistic with l2 > 0")
	}
	u, err := m.units(s)
	if err != nil {
		return nil, err
	}
	start, err := facts.Solve(s.Population, s.Roster.Importance)
	if err != nil {
		return nil, err
	}
	if len(u.members) > 1 {
		got := u.tail.Minimise(u, start.Params)
		if got.Gap+got.Residual > riskGap*(1+got.Value) {
			return nil, fmt.Errorf("the least loss of the worst was not found: the gap is %.1e, "+
				"the gradient %.1e", got.Gap, got.Residual)
		}
		start = fl.Optimum{Params: got.At, Value: got.Value}
	}
	m.best, m.of = start, s.Population
	return &m.best, nil
}

// units are what is compared: clients or groups.
type units struct {
	s       *fl.Snapshot
	members [][]int
	tail    stats.Tail
	losses  fl.Vector
	own     fl.Vector // a gradient
	near    fl.Vector
	worker  fl.Worker
}

var _ stats.TailFunctions = (*units)(nil)

// units returns those with a share.
func (m *risk) units(s *fl.Snapshot) (*units, error) {
	u := &units{s: s, worker: s.Worker}
	if m.objective == worstGroup {
		u.members = m.groups.members(s, nil)
	} else {
		for i, p := range s.Roster.Importance {
			if p > 0 && m.groups.part.samples(s.Population, i) > 0 {
				u.members = append(u.members, []int{i})
			}
		}
	}
	if len(u.members) == 0 {
		return nil, errors.New("no client that counts has samples")
	}
	if m.objective == "cvar" {
		u.tail.Worst = m.share
	}
	for _, clients := range u.members {
		share := 0.0
		for _, i := range clients {
			share += s.Roster.Importance[i]
		}
		u.tail.Share = append(u.tail.Share, share)
	}
	u.tail.Share.Scale(1 / u.tail.Share.Sum())
	return u, nil
}

// mean sets dst to the means of units of what clients have.
func (u *units) mean(dst, x fl.Vector) {
	for k, clients := range u.members {
		sum, share := 0.0, 0.0
		for _, i := range clients {
			sum += float64(u.s.Roster.Importance[i] * x[i])
			share += u.s.Roster.Importance[i]
		}
		dst[k] = sum / share
	}
}

// Values implements stats.TailFunctions.
func (u *units) Values(dst, x fl.Vector) {
	if u.losses == nil {
		u.losses = make(fl.Vector, u.s.Population.N())
	}
	for _, clients := range u.members {
		for _, i := range clients {
			c := u.s.Population.Client(i)
			u.losses[i] = u.worker.Loss(x, &c.Data)
		}
	}
	u.mean(dst, u.losses)
}

// Gradients implements stats.TailFunctions.
func (u *units) Gradients(dst fl.Matrix, x fl.Vector) {
	clear(dst.Data)
	for k := range u.members {
		u.gradient(dst.Row(k), x, k, 1)
	}
}

// gradient adds that of unit k at x, times a number.
func (u *units) gradient(dst, x fl.Vector, k int, times float64) {
	if len(u.own) != len(x) {
		u.own, u.near = make(fl.Vector, len(x)), make(fl.Vector, len(x))
	}
	share := 0.0
	for _, i := range u.members[k] {
		share += u.s.Roster.Importance[i]
	}
	for _, i := range u.members[k] {
		c := u.s.Population.Client(i)
		clear(u.own)
		u.worker.Gradient(u.own, x, &c.Data, nil)
		dst.AddScaled(times*u.s.Roster.Importance[i]/share, u.own)
	}
}

// Curve implements stats.TailFunctions by central differences of gradients, which are exact for
// quadratics but for rounding.
func (u *units) Curve(dst, x, lambda, v fl.Vector) {
	size := v.Norm()
	if size == 0 {
		return
	}
	h := 1e-4 * (1 + x.Norm()) / size
	for k, l := range lambda {
		if l == 0 {
			continue
		}
		for _, side := range []float64{1, -1} {
			if len(u.near) != len(x) {
				u.own, u.near = make(fl.Vector, len(x)), make(fl.Vector, len(x))
			}
			copy(u.near, x)
			u.near.AddScaled(side*h, v)
			u.gradient(dst, u.near, k, side*l/(2*h))
		}
	}
}
