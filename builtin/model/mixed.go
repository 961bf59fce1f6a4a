// Mixed — clients with different models, of which every one draws its own.
//
//	Y.-H. Chiang et al. Optimal-Transport-Based One-Shot Federated Learning for Artificial
//	Intelligence of Things. IEEE Internet of Things Journal, 2024: devices whose networks
//	differ in width.
//
// Notation: m₁, …, m_V the models. A client draws one of them, uniformly and for good; the
// global model is m₁ until the aggregator adopts another. Models with different layouts can be
// fused in one round, by aggregators that say they can.
//
// Departures: none.

package model

import (
	"math/rand/v2"

	"github.com/hansa-fl/hansa/framework/fl"
)

// Mixed describes the model to the registry.
var Mixed = fl.ModelEntry{
	Name:    "mixed",
	Summary: "one of several models for every client, at random; the first is the global one",
	Paper:   "code",
	New: func(p *fl.Params) (fl.Model, error) {
		of := p.Models("of", "the models, of which the first is the global one")
		return &mixedModel{of}, nil
	},
	Example: map[string]any{"of": []any{
		map[string]any{"name": "mlp", "widths": []any{int64(4)}},
	}},
}

type mixedModel struct{ of []fl.Model }

var _ fl.Model = (*mixedModel)(nil)

// For implements fl.Model.
func (m *mixedModel) For(in fl.Shape) (fl.Model, error) {
	sized := &mixedModel{}
	for _, v := range m.of {
		s, err := v.For(in)
		if err != nil {
			return nil, err
		}
		sized.of = append(sized.of, s)
	}
	return sized, nil
}

// Layout implements fl.Model.
func (m *mixedModel) Layout() fl.Layout { return m.of[0].Layout() }

// Init implements fl.Model.
func (m *mixedModel) Init(rng *rand.Rand) fl.Vector { return m.of[0].Init(rng) }

// Worker implements fl.Model.
func (m *mixedModel) Worker() fl.Worker { return m.of[0].Worker() }

// Facts implements fl.Model.
func (m *mixedModel) Facts() fl.ModelFacts {
	return fl.ModelFacts{Single: m.of[0].Facts().Single, Packed: true, Variants: m.of}
}
