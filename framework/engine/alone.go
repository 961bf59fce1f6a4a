package engine

import (
	"fmt"

	"github.com/hansa-fl/hansa/framework/fl"
)

// An aloneModel is what clients train alone for a metric; see fl.Reference.
type aloneModel struct {
	name string // in the state of a client; no rule can ask for it by mistake
	by   fl.Reference
}

// references returns what clients train alone for the measures of a cell.
func (s *Setup) references() (list []aloneModel) {
	known := map[string]bool{}
	for _, m := range s.Measures {
		r, ok := m.Metric.(fl.Reference)
		if !ok || known[r.AloneBy()] {
			continue
		}
		known[r.AloneBy()] = true
		list = append(list, aloneModel{aloneName(r.AloneBy()), r})
	}
	return list
}

// aloneName is the name of what is trained by a Reference.
func aloneName(by string) string { return "<alone " + by + ">" }

// trainAlone trains what a client has for itself by as many steps as its update says.
func (w *trainer) trainAlone(m *worker, u *fl.Update) error {
	for k := range w.references {
		r := &w.references[k]
		_, _, begun := m.state.before(r.name)
		v := m.state.Vector(r.name, len(w.first))
		if !begun {
			copy(v, w.first)
		}
		t := &m.alone
		t.Recycle()
		t.T, t.Client, t.Global, t.Params = w.job.t, &m.client, w.first, v
		t.Model, t.Worker = w.variants.models[0], m.workers[0]
		t.RNG = m.aloneRNG.Open(w.alone.At(w.job.t, u.Client))
		r.by.Alone(t, u.Steps)
		if !v.Finite() {
			return fmt.Errorf("client %d: alone, it has parameters with "+notFinite+": local "+
				"training diverged; try a lower lr of the metric", u.Client)
		}
	}
	return nil
}

// Alone implements fl.ClientModels.
func (c *clientModels) Alone(by string, client int, params fl.Vector) error {
	store, err := c.cell.progress.Clients.peek(client)
	if err != nil {
		return err
	}
	if store != nil {
		if kept, _, ok := store.Holds(aloneName(by)); ok {
			if len(kept.Data) != len(params) {
				return fmt.Errorf("client %d: alone, it has %d parameters, the model has %d",
					client, len(kept.Data), len(params))
			}
			copy(params, kept.Data)
			return nil
		}
	}
	if len(c.cell.trainer.first) != len(params) {
		return fmt.Errorf("no client trains alone by %s", by)
	}
	copy(params, c.cell.trainer.first)
	return nil
}
